/** Headers of one connection or of the form of a body, which only the HTTP client may set. */
const NAMES = [
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** A letter in either case: patterns in JSON Schema have no flags. */
const eitherCase = (letter: string) => `[${letter}${letter.toUpperCase()}]`

/** The pattern of the names of these headers. */
export const connectionHeader: string = `^(${NAMES.join('|').replace(/[a-z]/g, eitherCase)})$`
