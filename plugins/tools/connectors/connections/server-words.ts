import { cutText, isObject, maskOf } from '#plugin-api'

/** The most characters of a server's words that are kept. */
const MAX_DETAIL = 500
/** The most characters of a body that are searched for words. */
const MAX_BODY_CHARS = 20_000

/** The fields in which servers say why they refuse a request. */
const WORDS_FIELDS = ['message', 'error_description', 'detail', 'error', 'title', 'msg', 'reason']

/** Returns words of a server in one line of a bounded length. */
export const cutWords = (text: string): string => {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return line.length > MAX_DETAIL ? `${cutText(line, MAX_DETAIL)}…` : line
}

/** A shorter secret is likely to be a word, which may be shown. */
const MIN_SECRET_CHARS = 6

/** Masks secrets that a server repeats, as they are or encoded. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      new URLSearchParams([['', secret]]).toString().slice(1),
      JSON.stringify(secret).slice(1, -1),
    ])
  return forms.reduce((shown, form) => shown.replaceAll(form, () => maskOf(form)), text)
}

/** Returns the sentence about a reply that refuses a request, with the words of the server if there are some. */
export const sentenceOfStatus = (status: number, words: string): string =>
  `The server answered with the status ${status}${words ? `: ${words}` : '.'}`

/** True for the words of a refusal whose server does not know the session of the request. */
export const isAboutSession = (words: string): boolean =>
  (/\bsessions?\b|session[-_ ]?id/i.test(words) && UNKNOWN.test(words)) || isAboutGreeting(words)

/** True for the words of a refusal whose server expects a greeting first. */
export const isAboutGreeting = (words: string): boolean => NO_GREETING.test(words)

const UNKNOWN_WORDS =
  "not found|unknown|invalid|no valid|not valid|expired|missing|required|terminated|closed|does(?: not|n[’']t) exist|no such|not recogni[sz]ed|no longer|could not find|without"
const UNKNOWN = new RegExp(UNKNOWN_WORDS, 'i')
const NO_GREETING_WORDS =
  'not (?:yet |been )*initiali[sz]ed|before initiali[sz]|initiali[sz]e (?:first|request)|initiali[sz]ation (?:request|was not|is required|required)'
const NO_GREETING = new RegExp(NO_GREETING_WORDS, 'i')

/** Finds the words of a server in the body of a refusal; empty for a page or anything else that is not short. */
export function findWords(body: unknown): string {
  if (typeof body !== 'string') return ''
  const text = body.slice(0, MAX_BODY_CHARS).trim()
  try {
    return cutWords(wordsOf(JSON.parse(text)))
  } catch {
    return /^\s*</.test(text) ? '' : cutWords(text)
  }
}

function wordsOf(value: unknown, levels = 3): string {
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) return levels > 0 ? wordsOf(value[0], levels - 1) : ''
  if (!isObject(value) || levels === 0) return ''
  // The error of JSON-RPC, or an object that describes the error, before the text beside it.
  const fields = typeof value.error === 'object' ? ['error', ...WORDS_FIELDS] : WORDS_FIELDS
  return fields.map((name) => wordsOf(value[name], levels - 1)).find(Boolean) ?? ''
}
