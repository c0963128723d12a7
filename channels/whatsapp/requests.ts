import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  AppError,
  type ChannelSettings,
  createRecentSet,
  type HookReply,
  type HookRequest,
  type Inbox,
  type Json,
  JsonTooComplex,
  parseJson,
  toObject,
  toObjects,
  toText,
} from '#plugin-api'
import { createGraphApi } from './api.ts'
import type { WhatsAppConfig } from './config.ts'
import { toRefusal } from './failure.ts'
import { readMessage, readPress } from './inbound.ts'
import { createSending } from './sending.ts'

/** Time limit for the notice after a press, in milliseconds: WhatsApp waits for the answer of the request. */
const NOTICE_MS = 8000

/** Presses that were handled: WhatsApp delivers events again whose answer was lost. */
const handledPresses = createRecentSet(1000)

/** Handles a request of WhatsApp. Throws AUTH_FAILED, BAD_JSON or NOT_FOUND. */
export async function handleRequest(
  settings: ChannelSettings<WhatsAppConfig>,
  inbox: Inbox,
  request: HookRequest,
): Promise<HookReply> {
  const { method, headers, body, query } = request
  if (method === 'GET') return confirmAddress(settings.config, query)
  if (method !== 'POST') throw new AppError('NOT_FOUND')
  if (!isSigned(settings.config.app_secret, body, headers['x-hub-signature-256']))
    throw new AppError('AUTH_FAILED')
  for (const value of listValues(parse(body))) {
    // An app delivers the events of all its numbers to one address.
    if (toObject(value.metadata).phone_number_id !== settings.config.phone_number_id) continue
    for (const message of toObjects(value.messages)) {
      const press = readPress(message, value)
      if (press) await handlePress(settings, inbox, { press, message_id: toText(message.id) })
      else {
        const received = readMessage(message, value)
        if (received) await inbox.receive(received)
      }
    }
    for (const { status, errors } of toObjects(value.statuses))
      if (status === 'failed') await inbox.refused?.(toRefusal(toObject(toObjects(errors)[0])))
  }
  return { status: 200, headers: TEXT, body: 'EVENT_RECEIVED' }
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

/** Answers the check of the address with the challenge, if the verify token is right. */
function confirmAddress({ verify_token }: WhatsAppConfig, query: HookRequest['query']): HookReply {
  const { 'hub.mode': mode, 'hub.verify_token': token = '', 'hub.challenge': challenge = '' } = query
  if (mode !== 'subscribe') throw new AppError('NOT_FOUND')
  if (!isSame(digest(verify_token, token), digest(verify_token, verify_token)))
    throw new AppError('AUTH_FAILED')
  if (!/^[\w.-]{1,256}$/.test(challenge)) throw new AppError('NOT_FOUND')
  return { status: 200, headers: TEXT, body: challenge }
}

const digest = (secret: string, content: string | Uint8Array) =>
  createHmac('sha256', secret).update(content).digest()

const isSame = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other)

/** True if the body was signed with the secret of the app. */
function isSigned(secret: string, body: Uint8Array, header = ''): boolean {
  const [, signature = ''] = /^sha256=([0-9a-f]{64})$/i.exec(header) ?? []
  return isSame(Buffer.from(signature, 'hex'), digest(secret, body))
}

function parse(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    if (cause instanceof JsonTooComplex) throw new AppError('VALIDATION_FAILED', { issues: [] }, { cause })
    throw new AppError('BAD_JSON', {}, { cause })
  }
}

/** Lists the values of the events about messages. */
const listValues = (content: unknown): Json[] =>
  toObjects(toObject(content).entry)
    .flatMap(({ changes }) => toObjects(changes))
    .flatMap(({ field, value }) => (field === 'messages' ? [toObject(value)] : []))

/** Handles a press, and sends its notice as a message, since WhatsApp shows none by itself. */
async function handlePress(
  settings: ChannelSettings<WhatsAppConfig>,
  inbox: Inbox,
  { press, message_id }: { press: Parameters<Inbox['press']>[0]; message_id: string },
): Promise<void> {
  const name = `${settings.config.phone_number_id} ${message_id}`
  if (handledPresses.has(name)) return
  const { notice } = await inbox.press(press)
  handledPresses.add(name)
  const target = {
    to: press.conversation_id,
    is_group: press.conversation_id !== press.sender.id,
    message_id,
  }
  const sending = createSending(createGraphApi(settings), settings.config)
  // The decision counts without its notice.
  await sending
    .sendText(target, notice, AbortSignal.timeout(NOTICE_MS))
    .catch((error) => inbox.refused?.(error))
}
