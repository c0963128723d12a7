import {
  AppError,
  ChannelFailure,
  type ChannelFailureReason,
  findErrorCode,
  findNetworkFailure,
} from '#plugin-api'

/** The pause after a refused password, in milliseconds: servers lock accounts after a few refusals in a short time. */
const REFUSED_PASSWORD_MS = 3_600_000

/** The protocol of a call that failed. */
export type MailProtocol = 'IMAP' | 'SMTP'

/** An error of one of the client libraries. */
interface LibraryError {
  message?: string
  code?: string
  /** IMAP: the response code of a refusal, such as AUTHENTICATIONFAILED. */
  serverResponseCode?: string
  authenticationFailed?: boolean
  responseStatus?: string
  responseText?: string
  /** SMTP: the reply code and the reply. */
  responseCode?: number
  response?: string
  command?: string
}

/** Codes of the libraries for a server that does not answer in time. */
const TIMEOUTS = new Set(['ETIMEDOUT', 'ETIMEOUT', 'CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT'])

/** Codes of imapflow for an answer that exceeds a limit or cannot be parsed, which ends the connection. */
const TOO_LARGE =
  /^(?:LineTooLarge|LiteralTooLarge|ResponseTooLarge|TooMany\w+|MAX_IMAP_NESTING_REACHED|Parser\w+)$/

/** True if an answer of the IMAP server exceeds the limits, as it would again. */
export const isTooLarge = (error: unknown): boolean =>
  TOO_LARGE.test((error as LibraryError | undefined)?.code ?? '')

/** Codes of IMAP's refusals (RFC 5530) that say something else than that the password is wrong. */
const IMAP_CODES: Readonly<Record<string, ChannelFailureReason>> = {
  UNAVAILABLE: 'unreachable',
  SERVERBUG: 'unreachable',
  INUSE: 'unreachable',
  LIMIT: 'rate_limited',
  THROTTLED: 'rate_limited',
  PRIVACYREQUIRED: 'unsupported',
  NONEXISTENT: 'not_found',
  NOPERM: 'forbidden',
}

/** Classifies the error of a call to a mail server. Returns the reason of an aborted signal as it is. */
export function toMailFailure(protocol: MailProtocol, thrown: unknown, signal?: AbortSignal): unknown {
  const error = signal?.aborted && !(thrown instanceof ChannelFailure) ? signal.reason : thrown
  if (error instanceof ChannelFailure || error instanceof AppError || signal?.aborted) return error
  const failure = error as LibraryError
  return (
    (protocol === 'IMAP' ? toImapRefusal(failure) : toSmtpRefusal(failure)) ??
    toConnectionFailure(protocol, failure)
  )
}

const toMissingTls = (protocol: MailProtocol) =>
  new ChannelFailure(
    'unsupported',
    `The ${protocol} server offers no STARTTLS, so the password would be sent unencrypted. Use the address with TLS (${protocol.toLowerCase()}s://), or allow connections without TLS.`,
  )

function toConnectionFailure(protocol: MailProtocol, error: LibraryError): ChannelFailure {
  const { code = '', message = '' } = error
  const network = findNetworkFailure(error)
  if (TIMEOUTS.has(code) || network?.reason === 'timeout')
    return new ChannelFailure('timeout', `The ${protocol} server did not answer in time.`)
  if (/STARTTLS/i.test(message) || (code === 'ETLS' && !network)) return toMissingTls(protocol)
  const detail = findErrorCode(error) ?? code
  const certificate = network?.reason === 'insecure' || /certificate|self[- ]signed/i.test(message)
  if (certificate)
    return new ChannelFailure(
      'unreachable',
      `The certificate of the ${protocol} server is not valid${detail ? ` (${detail})` : ''}.`,
    )
  if (/wrong version number|packet length too long/i.test(message))
    return new ChannelFailure(
      'unreachable',
      `The ${protocol} server does not begin with TLS at this port. Use ${protocol.toLowerCase()}:// for STARTTLS, or the port for TLS.`,
    )
  return new ChannelFailure(
    'unreachable',
    `The ${protocol} server cannot be reached${detail ? ` (${detail})` : ''}.`,
  )
}

function toImapRefusal(error: LibraryError): ChannelFailure | undefined {
  const { authenticationFailed, serverResponseCode: code, responseStatus, responseText, response } = error
  if (!authenticationFailed && responseStatus !== 'NO' && responseStatus !== 'BAD') return undefined
  const words = quoteWords(responseText ?? response)
  const reason = code === undefined ? undefined : IMAP_CODES[code]
  if (reason) return new ChannelFailure(reason, `The IMAP server refused the call${words}.`)
  if (authenticationFailed) return toRefusedPassword('IMAP', words)
  return new ChannelFailure('unknown', `The IMAP server refused the call${words}.`)
}

const toRefusedPassword = (protocol: MailProtocol, words: string) =>
  new ChannelFailure(
    'invalid_credentials',
    `The ${protocol} server does not accept the user name and the password${words}. If the account has a second factor, it needs an app password. So that the account is not locked, the next attempt is in an hour, or when the settings are changed.`,
    { retry_after_ms: REFUSED_PASSWORD_MS },
  )

function toSmtpRefusal(error: LibraryError): ChannelFailure | undefined {
  const { code, responseCode = 0, response = '', command } = error
  if (command === 'STARTTLS' && responseCode >= 500) return toMissingTls('SMTP')
  if (code === 'EAUTH' && responseCode === 0)
    return new ChannelFailure(
      'unsupported',
      'The SMTP server offers no way to sign in with a password on this connection.',
    )
  if (responseCode < 400) return undefined
  const words = quoteWords(response)
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})/.exec(response)?.[1] ?? ''
  if (responseCode === 454 || (code === 'EAUTH' && responseCode < 500))
    return new ChannelFailure('unreachable', `The SMTP server cannot check the password now${words}.`)
  if (code === 'EAUTH' || responseCode === 535 || responseCode === 534)
    return toRefusedPassword('SMTP', words)
  return new ChannelFailure(
    readSmtpReason(responseCode, status, response),
    `The SMTP server refused the mail${words}.`,
  )
}

const RATE = /\b(?:rate|too (?:many|much|fast)|throttl|quota|limit exceeded|try again later.*limit)/i

/** Returns the reason for a reply code of SMTP with its enhanced status code (RFC 3463), which may be missing. */
function readSmtpReason(code: number, status: string, response: string): ChannelFailureReason {
  if (code < 500)
    return code !== 421 && (RATE.test(response) || status === '4.7.0') ? 'rate_limited' : 'unreachable'
  if (code === 530) return 'invalid_credentials'
  if (code === 552 || /^5\.(?:3\.4|2\.3)$/.test(status)) return 'unsupported'
  if (/^5\.1\./.test(status) || (status === '' && (code === 550 || code === 553))) return 'not_found'
  if (/^5\.(?:7|2)\./.test(status) || code === 550 || code === 554) return 'forbidden'
  return 'unknown'
}

/** The most characters of a server's words that are kept. */
const MAX_WORDS = 200

/** Quotes the words of a server in one line; empty if there are none. */
function quoteWords(words: string | undefined): string {
  const line = (words ?? '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS)
    .toWellFormed()
  return line === '' ? '' : ` ("${line.replace(/[.\s]+$/, '')}")`
}
