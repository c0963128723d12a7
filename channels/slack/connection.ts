import { setTimeout as pause } from 'node:timers/promises'
import type { ChannelConnection, ChannelLink, ChannelSettings, JSONValue } from '#plugin-api'
import { createSlackApi, type Reach } from './api.ts'
import type { SlackConfig } from './config.ts'
import { downloadFile } from './download.ts'
import { createEnvelopeHandler } from './envelope.ts'
import { identifyBot } from './identity.ts'
import type { FileReference } from './inbound-files.ts'
import { beginLive, createMessages, type Posted, type Target } from './messages.ts'
import { openSocket, type SlackSocket } from './socket.ts'
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

/** The shortest time between two connections, in case they are cut at once. */
const MIN_INTERVAL_MS = 500

/**
 * Keeps a connection in Socket Mode. Opens a new one when Slack asks for it, before the old one is closed, or when the
 * old one is cut; if that fails once, the link is lost. Resolves when messages can arrive.
 */
async function openSession({
  link,
  ...options
}: { link: ChannelLink } & Omit<Parameters<typeof openSocket>[0], 'log'>): Promise<{ ended: Promise<void> }> {
  const { signal } = options
  let begun = 0
  const connect = () => {
    begun = performance.now()
    return openSocket({ ...options, log: link.log })
  }

  async function keep(first: SlackSocket): Promise<void> {
    let current = first
    for (;;) {
      const { reason, failure } = await current.ended
      const old = current
      try {
        signal.throwIfAborted()
        if (failure) throw failure
        link.connecting(reason)
        await pause(Math.max(0, begun + MIN_INTERVAL_MS - performance.now()), undefined, { signal })
        current = await connect()
        link.connected()
      } catch (error) {
        if (!signal.aborted) link.lost(error)
        return await old.close()
      }
      await old.close()
    }
  }

  return { ended: keep(await connect()) }
}
