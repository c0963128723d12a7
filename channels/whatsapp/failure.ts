import { indexMeanings, type Json, PlatformRefusal, toFilledText, toObject } from '#plugin-api'

/** The codes of the Graph API with one meaning. */
const MEANINGS = indexMeanings([
  [
    'invalid_credentials',
    'The access token is not valid, has expired or was revoked. Create one for a system user in the Business settings, which does not expire',
    [0, 102, 190],
  ],
  [
    'forbidden',
    "The person has not written within the last 24 hours, and WhatsApp delivers an agent's messages only in that time. They must write first",
    [131047, 470],
  ],
  [
    'forbidden',
    'The access token lacks the permission whatsapp_business_messaging for this number',
    [3, 10, 131005],
  ],
  ['forbidden', 'The number of the recipient is not among the test numbers of the app', [131030]],
  ['forbidden', 'WhatsApp has locked or restricted the business account', [368, 131031, 130497, 131064]],
  ['forbidden', 'The business account has no valid payment method', [131042]],
  [
    'forbidden',
    'WhatsApp did not deliver the message, to protect the recipient from too many',
    [131049, 131050, 130472],
  ],
  ['forbidden', 'The display name of the number is not approved', [131037]],
  [
    'not_found',
    'The recipient cannot receive the message: not on WhatsApp, or with an old version',
    [131026, 131021, 1013],
  ],
  ['not_found', 'The phone number is not registered with the Cloud API', [131045, 133010, 33]],
  [
    'rate_limited',
    'WhatsApp limits the rate of messages',
    [4, 80007, 80008, 130429, 131048, 131056, 133008, 133009, 133016],
  ],
  ['unreachable', 'WhatsApp is temporarily unavailable', [1, 2, 131000, 131016, 131057, 133004]],
  ['unsupported', 'WhatsApp does not accept the file', [131052, 131053]],
  ['unsupported', 'WhatsApp does not accept a message of this type', [131051]],
])

/** Parameters that are invalid; the text among them if the words speak of it. */
const INVALID_PARAMETERS = new Set([100, 131008, 131009, 1008])
const ABOUT_TEXT = /\bbody\b|\btext\b|too long|characters/i
const MISSING_OBJECT = 33

/** One message each six seconds to one person is accepted permanently. */
const PAIR_LIMIT = 131056
const PAIR_PAUSE_MS = 6000

/** Classifies an error as answers of the Graph API and statuses of messages describe it. */
export function toRefusal(
  error: Json,
  { status, retry_after_ms }: { status?: number; retry_after_ms?: number } = {},
): PlatformRefusal<number> {
  const { error_data, message, title, error_subcode } = error
  const code = typeof error.code === 'number' ? error.code : 0
  const words = quoteWords(
    toFilledText(toObject(error_data).details) ?? toFilledText(message) ?? toFilledText(title),
  )
  if (INVALID_PARAMETERS.has(code)) {
    if (/appsecret_proof/i.test(words))
      return new PlatformRefusal(
        code,
        'invalid_credentials',
        'The app secret is not that of the app to which the access token belongs.',
      )
    if (code === 100 && error_subcode === MISSING_OBJECT)
      return new PlatformRefusal(
        code,
        'not_found',
        'The phone number ID does not exist, or the access token has no access to it.',
      )
    return new PlatformRefusal(code, 'unsupported', `WhatsApp refused the call (${code})${words}.`, {
      is_about_text: ABOUT_TEXT.test(words),
    })
  }
  const pause = retry_after_ms ?? (code === PAIR_LIMIT ? PAIR_PAUSE_MS : undefined)
  const details = pause === undefined ? {} : { retry_after_ms: pause }
  const meaning = MEANINGS.get(code)
  if (meaning && (code !== 0 || status === 401))
    return new PlatformRefusal(code, meaning.reason, `${meaning.words} (${code})${words}.`, details)
  const isPermission = code >= 200 && code < 300
  const reason = isPermission || status === 403 ? 'forbidden' : reasonOf(status)
  return new PlatformRefusal(code, reason, `WhatsApp refused the call (${code})${words}.`, details)
}

const reasonOf = (status = 0) =>
  status === 401
    ? 'invalid_credentials'
    : status === 429
      ? 'rate_limited'
      : status >= 500
        ? 'unreachable'
        : 'unknown'

/** The most characters of WhatsApp's words that are shown. */
const MAX_WORDS = 200

/** Quotes the words of an error without anything that looks like a token. */
function quoteWords(words = ''): string {
  const line = words
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/\S{40,}/g, '…')
    .trim()
    .slice(0, MAX_WORDS)
    .toWellFormed()
  return line === '' ? '' : `: ${line.replace(/[.\s]+$/, '')}`
}
