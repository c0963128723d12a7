import {
  AppError,
  type ButtonPress,
  deferSchema,
  type HookReply,
  type HookRequest,
  type InboundFile,
  type InboundMessage,
  type Inbox,
  JsonTooComplex,
  objectOf,
  parseJson,
  type QuotedMessage,
  type TypeOf,
} from '#plugin-api'
import { isSigned } from './signature.ts'

/** The latest time that a date can have, in Unix milliseconds. */
const LAST_TIME = 8_640_000_000_000_000

/** An id has no half characters, which the database cannot store. */
const id = { type: 'string', minLength: 1, maxLength: 512, pattern: '^\\P{Cs}*$' } as const
const text = { type: 'string', maxLength: 200_000 } as const
const user = objectOf({ id, name: { type: 'string', maxLength: 256 } }, ['id'])

const files = {
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
} as const

const messageBody = objectOf(
  {
    type: { const: 'message' },
    id,
    conversation_id: id,
    user,
    text,
    group: { type: 'boolean' },
    mentioned: { type: 'boolean' },
    sent_at: { type: 'number', minimum: 0, maximum: LAST_TIME },
    quote: objectOf({
      text,
      sender: { type: 'string', maxLength: 256 },
      files,
      is_forwarded: { type: 'boolean' },
    }),
    files,
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
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    if (!(cause instanceof JsonTooComplex)) throw new AppError('BAD_JSON', {}, { cause })
    const { limit, unit } = cause
    const rule = unit === 'levels' ? 'maxDepth' : 'maxValues'
    const issues = [{ path: '', rule, message: `must have at most ${limit} ${unit}` }]
    throw new AppError('VALIDATION_FAILED', { issues }, { cause })
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
    mentioned: isMentioned = true,
    quote,
  } = said
  const mentioned = !group || isMentioned
  const quoted = quote && toQuote(quote)
  const attached = toFiles(said.files)
  const isEmpty = words.trim() === '' && attached.length === 0 && !quoted
  // A mention alone asks about what was said before.
  if (isEmpty && !(group && mentioned))
    throw new AppError('VALIDATION_FAILED', {
      issues: [{ path: '/text', rule: 'required', message: 'must not be empty without files or a quote' }],
    })
  return {
    id: message_id,
    conversation: { id: conversation_id, type: group ? 'group' : 'direct' },
    sender,
    text: words,
    mentioned,
    ...(said.sent_at !== undefined && { sent_at: said.sent_at }),
    ...(quoted && { quote: quoted }),
    files: attached,
    target: { conversation_id, reply_to: message_id },
  }
}

const toFiles = (listed: TypeOf<typeof files> = []): InboundFile[] =>
  listed.map(({ url, ...file }) => ({ ...file, reference: { url } }))

/** Returns a quoted message; undefined if nothing of it is known. */
function toQuote({
  text: words = '',
  files: listed,
  ...quote
}: NonNullable<TypeOf<typeof messageBody>['quote']>): QuotedMessage | undefined {
  const attached = toFiles(listed)
  if (words.trim() === '' && attached.length === 0) return undefined
  return { ...quote, text: words, ...(attached.length > 0 && { files: attached }) }
}
