import type { ChannelConnection, ChannelLink, ChannelSettings } from '#plugin-api'
import { createApi } from './api.ts'
import { codeOf } from './failure.ts'
import type { Fields } from './fields.ts'
import { download, sendFile } from './file.ts'
import { openGateway } from './gateway.ts'
import { messageOf } from './inbound.ts'
import { sendMessage } from './message.ts'
import { takePress } from './press.ts'
import { openStream } from './stream.ts'
import { targetOf } from './target.ts'

/** The bot has no right to a call, or the call is closed to it. */
const NO_RIGHT = [11253, 11254]

/** Opens a channel: messages come by QQ's gateway, answers go by its API. */
export async function openConnection(
  settings: ChannelSettings,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const closing = new AbortController()
  const lifetime = AbortSignal.any([link.signal, closing.signal])
  const api = createApi(settings, lifetime)

  async function take(type: string, data: Fields, id: string | undefined): Promise<void> {
    const message = messageOf(type, data)
    if (message) await link.receive(message)
    else if (type === 'INTERACTION_CREATE') await takePress(data, id, { link, api, lifetime })
    else link.log.debug({ type }, 'an event of QQ that is no message')
  }

  const gateway = await openGateway({ settings, link, api, lifetime, onEvent: take })
  let mayStream = settings.config.c2c_streaming !== false
  const live: ChannelConnection['live'] = async (target, message, signal, begun) => {
    try {
      return await openStream(api, targetOf(target), message, signal, begun)
    } catch (error) {
      // Not every bot may do this, and one that may not need not try again with each message.
      if (NO_RIGHT.includes(codeOf(error))) mayStream = false
      throw error
    }
  }

  return {
    send: (target, message, signal) => sendMessage(api, targetOf(target), message, signal),
    get live() {
      return mayStream ? live : undefined
    },
    sendFile: (target, file, signal) => sendFile(api, targetOf(target), file, signal),
    download: (reference, signal) => download(settings.fetch, reference, AbortSignal.any([signal, lifetime])),
    close() {
      closing.abort()
      return gateway.closed()
    },
  }
}
