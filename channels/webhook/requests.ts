import { AppError, deferSchema, objectOf, type TypeOf } from '#kernel'
import type { ButtonPress, HookReply, HookRequest, InboundMessage, Inbox } from '#plugin-api'
import { isSigned } from './signature.ts'

const id = { type: 'string', minLength: 1, maxLength: 512 } as const
const text = { type: 'string', maxLength: 200_000 } as const
const user = objectOf({ id, name: { type: 'string', maxLength: 256 } }, ['id'])

const messageBody = objectOf(
  {
    type: { const: 'message' },
    id,
    conversation_id: id,
    user,
    text,
    group: { type: 'boolean' },
    mentioned: { type: 'boolean' },
    sent_at: { type: 'number', minimum: 0 },
    quote: objectOf({ text, sender: { type: 'string', maxLength: 256 } }, ['text']),
    files: {
      type: 'array',
      maxItems: 16,
      items: objectOf(
        {
          url: { type: 'string', format: 'url', pattern: '^https?://', maxLength: 4096 },
          filename: { type: 'string', maxLength: 256 },
          media_type: { type: 'string', maxLength: 128 },
          size: { type: 'integer', minimum: 0 },
        },
        ['url'],
      ),
    },
  },
  ['id', 'conversation_id', 'user'],
)

const pressBody = objectOf(
  { type: { const: 'press' }, value: { type: 'string', maxLength: 64 }, conversation_id: id, user },
  ['type', 'value', 'conversation_id', 'user'],
)

const checkMessage = deferSchema<TypeOf<typeof messageBody>>(messageBody, 'json')
const checkPress = deferSchema<TypeOf<typeof pressBody>>(pressBody, 'json')

/** Handles a signed request with a message or a press. Throws AUTH_FAILED, BAD_JSON or VALIDATION_FAILED. */
export async function handleRequest(
  secret: string,
  { method, headers, body }: HookRequest,
  inbox: Inbox,
): Promise<HookReply> {
  if (method !== 'POST') throw new AppError('NOT_FOUND')
  if (!isSigned(secret, body, headers)) throw new AppError('AUTH_FAILED')
  const content = parse(body)
  if ((content as { type?: unknown } | null)?.type === 'press')
    return answer(200, await inbox.press(toPress(content)))
  await inbox.receive(toMessage(content))
  return answer(202, { accepted: true })
}

const answer = (status: number, content: object): HookReply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(content),
})

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    throw new AppError('BAD_JSON', {}, { cause: error })
  }
}

function toPress(content: unknown): ButtonPress {
  const { value, conversation_id, user: sender } = checkPress(content)
  return { value, conversation_id, sender }
}

function toMessage(content: unknown): InboundMessage {
  const said = checkMessage(content)
  const {
    id: message_id,
    conversation_id,
    user: sender,
    text: words = '',
    group = false,
    mentioned = true,
    files = [],
  } = said
  return {
    id: message_id,
    conversation: { id: conversation_id, type: group ? 'group' : 'direct' },
    sender,
    text: words,
    mentioned: !group || mentioned,
    ...(said.sent_at !== undefined && { sent_at: said.sent_at }),
    ...(said.quote && { quote: said.quote }),
    files: files.map(({ url, ...file }) => ({ ...file, reference: { url } })),
    target: { conversation_id, reply_to: message_id },
  }
}
