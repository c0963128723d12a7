import type { ChannelConnection, ChannelLink, ChannelSettings, JSONValue } from '#plugin-api'
import { createSlackApi, type Reach } from './api.ts'
import type { SlackConfig } from './config.ts'
import { downloadFile } from './download.ts'
import { createEnvelopeHandler } from './envelope.ts'
import { identifyBot } from './identity.ts'
import type { FileReference } from './inbound-files.ts'
import { beginLive, createMessages, type Posted, type Target } from './messages.ts'
import { openSession } from './session.ts'
import { createUploads } from './upload.ts'

/** Opens a channel: identifies the bot and connects in Socket Mode. */
export async function openConnection(
  settings: ChannelSettings<SlackConfig> & Reach,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const closing = new AbortController()
  const signal = AbortSignal.any([link.signal, closing.signal])
  const api = await createSlackApi(settings, 'bot_token')
  const messages = createMessages(api)
  const sendFile = createUploads(api, settings)
  const bot = await identifyBot(api, signal)
  const handle = createEnvelopeHandler({ bot, link, messages, signal })
  const session = await openSession({ settings, link, signal, handle })

  const until = (call: AbortSignal) => AbortSignal.any([signal, call])
  return {
    send: (target, message, call) => messages.post(target as Target, message, until(call)),
    live: (target, message, call, begun) =>
      beginLive(
        messages,
        { target: target as Target, message, begun: begun as Posted | undefined },
        call,
        until,
      ),
    settle: (_target, sent, text, call) => messages.replace(sent as Posted, text, until(call)),
    sendFile: (target, file, call) => sendFile(target as Target, file, until(call)),
    typing: (target, call) => showTyping(target, until(call)),
    download: (reference, call) => downloadFile(api, settings, reference as FileReference, until(call)),
    async close() {
      closing.abort()
      await session.ended
    },
  }

  /** Shows the status, which Slack supports only in threads and removes with the next message. */
  async function showTyping(target: JSONValue, call: AbortSignal): Promise<void> {
    const { channel, thread_ts } = target as Target
    if (!thread_ts) return
    const fields = { channel_id: channel, thread_ts, status: 'is thinking…' }
    await api.call('assistant.threads.setStatus', fields, call)
  }
}
