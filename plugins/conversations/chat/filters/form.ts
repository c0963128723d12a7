import { type ChatFilter, createFormCheck, LOCALES, type LocalizedText, objectOf } from '#plugin-api'
import { isNoticeCode } from '../notices.ts'

/** The time of one call of a filter, in milliseconds, unless it says otherwise. */
export const TIME_LIMIT_MS = 500
const MAX_TIME_LIMIT_MS = 5000

/** The longest sentence of a filter, in characters, and the most notices of one result. */
const MAX_MESSAGE_CHARS = 1000
const MAX_NOTICES = 16

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Filters between people and models, in the order in which their plugins start. */
    'chat.filters': ChatFilter
  }
}

const assertForm = createFormCheck<ChatFilter>(
  objectOf(
    {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,63}$' },
      on_failure: { enum: ['refuse', 'pass'] },
      time_limit_ms: { type: 'integer', minimum: 1, maximum: MAX_TIME_LIMIT_MS },
      request: true,
      reply: true,
    },
    ['name', 'on_failure'],
  ),
  ['request', 'reply'],
)

/** Checks an entry of the extension point `chat.filters`. */
export function assertChatFilter(candidate: unknown): ChatFilter {
  const subject = `filter "${(candidate as { name?: unknown } | null)?.name}"`
  const filter = assertForm(candidate, subject)
  if (!filter.request && !filter.reply)
    throw new Error(`${subject} is not valid: it has neither a function "request" nor a function "reply"`)
  return filter
}

/** The failure of a filter: a short reason without anything of the text that it was called with. */
export class FilterFailure extends Error {}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_MESSAGE_CHARS

/** Reads the code and the sentence of a refusal or a notice. Throws a FilterFailure. */
export function readSentence(value: unknown, subject: string): { code: string; message: LocalizedText } {
  const { code, message } = Object(value) as Record<string, unknown>
  if (typeof code !== 'string' || !CODE.test(code) || isNoticeCode(code))
    throw new FilterFailure(`the code of its ${subject} is not a code of its own in capital letters`)
  if (isText(message)) return { code, message: { en: message, zh: message } }
  const texts = Object(message) as Partial<LocalizedText>
  if (!LOCALES.every((locale) => isText(texts[locale])))
    throw new FilterFailure(
      `the message of its ${subject} is not a sentence of at most ${MAX_MESSAGE_CHARS} characters`,
    )
  return { code, message: texts as LocalizedText }
}

/** Reads the notices of a result. Throws a FilterFailure. */
export function readNotices(notices: unknown = []): { code: string; message: LocalizedText }[] {
  if (!Array.isArray(notices) || notices.length > MAX_NOTICES)
    throw new FilterFailure(`its notices are not a list of at most ${MAX_NOTICES}`)
  return notices.map((notice) => readSentence(notice, 'notice'))
}
