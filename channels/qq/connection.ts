import {
  type ChannelConnection,
  type ChannelLink,
  type ChannelSettings,
  type Json,
  toFilledText,
  toObject,
} from '#plugin-api'
import { type Api, createApi } from './api.ts'
import type { QQConfig } from './config.ts'
import { readCode } from './failure.ts'
import { download, sendFile } from './file.ts'
import { openGateway } from './gateway.ts'
import { isMessageEvent, readMessage, toTarget } from './inbound.ts'
import { sendMessage } from './message.ts'
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
    download: (reference, signal) => download(settings.fetch, reference, [signal, lifetime]),
    close() {
      closing.abort()
      return gateway.closed()
    },
  }
}

/** The result that QQ shows to the presser: done, or failed and may be repeated. */
const DONE = 0
const FAILED = 1

/** The context for handling presses. */
interface PressContext {
  link: Pick<ChannelLink, 'press' | 'log'>
  api: Api
  lifetime: AbortSignal
}

/**
 * Passes a press to the gateway, answers QQ, and sends the outcome to the conversation, because QQ can show neither a
 * notice nor a change of the message. Never rejects: the person can press again.
 */
async function handlePress(
  data: Json,
  event_id: string | undefined,
  { link, api, lifetime }: PressContext,
): Promise<void> {
  const resolved = toObject(toObject(data.data).resolved)
  const id = toFilledText(data.id)
  const value = toFilledText(resolved.button_data)
  const group = toFilledText(data.group_openid)
  const sender = toFilledText(group ? data.group_member_openid : data.user_openid)
  if (!id || !value || !sender) {
    link.log.debug('ignored a QQ interaction that is not a press of our buttons')
    return
  }

  const conversation_id = group ?? sender
  const outcome = await link.press({ value, sender: { id: sender }, conversation_id }).catch((error) => {
    link.log.warn({ error }, 'a pressed button could not be stored')
    return undefined
  })

  /** Makes a call once: the press is stored, and a late answer would be useless. */
  const tryOnce = async (what: string, work: Promise<unknown>) => {
    try {
      await work
    } catch (error) {
      if (!lifetime.aborted) link.log.warn({ error }, `QQ refused ${what}`)
    }
  }
  const what = 'the answer to a button'
  const path = `/interactions/${encodeURIComponent(id)}`
  const body = { code: outcome ? DONE : FAILED }
  await tryOnce(what, api.call('PUT', path, { body, what, signal: lifetime }))
  if (!outcome) return
  const target = { scene: group ? 'groups' : 'users', openid: conversation_id, event_id } as const
  await tryOnce('a notice', sendMessage(api, target, { text: outcome.notice, key: `notice ${id}` }, lifetime))
}
