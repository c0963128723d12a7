import type { ChannelConnection, ChannelLink, ChannelSettings } from '#plugin-api'
import type { Json } from '#toolbox'
import { createApi } from './api.ts'
import type { QQConfig } from './config.ts'
import { readCode } from './failure.ts'
import { download, sendFile } from './file.ts'
import { openGateway } from './gateway.ts'
import { isMessageEvent, readMessage, toTarget } from './inbound.ts'
import { sendMessage } from './message.ts'
import { handlePress } from './press.ts'
import { openStream } from './stream.ts'

/** Codes for a call that the bot may not make. */
const NOT_PERMITTED = [11253, 11254]

/** Opens a channel: messages arrive by QQ's gateway, answers are sent by its API. */
export async function openConnection(
  settings: ChannelSettings<QQConfig>,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const closing = new AbortController()
  const lifetime = AbortSignal.any([link.signal, closing.signal])
  const api = createApi(settings, lifetime)

  async function onEvent(type: string, data: Json, id?: string, bot_id?: string): Promise<void> {
    const message = readMessage(type, data, bot_id)
    if (message) await link.receive(message)
    else if (isMessageEvent(type)) link.log.info({ type }, 'ignored a message of a bot, or without an author')
    else if (type === 'INTERACTION_CREATE') await handlePress(data, id, { link, api, lifetime })
    else link.log.debug({ type }, 'ignored a QQ event that is not a message')
  }

  const gateway = await openGateway({ settings, link, api, lifetime, onEvent })
  let mayStream = settings.config.c2c_streaming !== false
  const live: ChannelConnection['live'] = async (target, message, signal, begun) => {
    try {
      return await openStream(api, toTarget(target), message, signal, begun)
    } catch (error) {
      // Not every bot may stream; without the permission it does not try again for each message.
      if (NOT_PERMITTED.includes(readCode(error))) mayStream = false
      throw error
    }
  }

  return {
    send: (target, message, signal) => sendMessage(api, toTarget(target), message, signal),
    get live() {
      return mayStream ? live : undefined
    },
    sendFile: (target, file, signal) => sendFile(api, toTarget(target), file, signal),
    download: (reference, signal) => download(settings.fetch, reference, AbortSignal.any([signal, lifetime])),
    close() {
      closing.abort()
      return gateway.closed()
    },
  }
}
