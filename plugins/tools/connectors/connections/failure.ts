import { findNetworkFailure, listCauses } from '#toolbox'
import type { ConnectorFailureReason } from '../types.ts'
import { describeNetworkFailure, isNeverConnected } from './network-words.ts'
import { cutWords, findWords, sentenceOfStatus } from './server-words.ts'

/** The reasons that mean that a server is out of order, unlike its refusals. */
const OUTAGES = new Set<ConnectorFailureReason>(['unreachable', 'timeout', 'program'])

interface FailureOptions extends ErrorOptions {
  /** True if the request never reached the server and can be sent again. */
  isUnsent?: boolean
  /** False if the server works although the reason is that of an outage. */
  isOutage?: boolean
}

/** Why a server cannot be used; the message may contain words of the server. */
export class ConnectorFailure extends Error {
  readonly reason: ConnectorFailureReason
  readonly isUnsent: boolean
  readonly isOutage: boolean

  constructor(reason: ConnectorFailureReason, message: string, options: FailureOptions = {}) {
    const { isUnsent = false, isOutage = OUTAGES.has(reason) } = options
    super(message, options)
    this.reason = reason
    this.isUnsent = isUnsent
    this.isOutage = isOutage
  }
}

/** A server refused what the scopes of a token do not allow. */
export class InsufficientScope extends ConnectorFailure {
  /** The scopes that the server requires, separated by spaces. */
  readonly scope: string

  constructor(scope: string, options?: ErrorOptions) {
    super('forbidden', cutWords(`The server requires the scope "${scope}".`), options)
    this.scope = scope
  }
}

/** A server does not know the session of a connection any more, as after its restart; it has not carried out the call. */
export class SessionLost extends ConnectorFailure {
  constructor(words: string, options?: ErrorOptions) {
    super('not_found', `The server no longer knows the session. ${words}`, { ...options, isUnsent: true })
  }
}

const readReply = ({ data }: Record<string, unknown>) => Object(data) as { status?: number; text?: unknown }

const BY_STATUS: Record<number, ConnectorFailureReason> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
}

/** Returns the reason for a status with which a server refuses a request. */
export const reasonOfStatus = (status: number): ConnectorFailureReason =>
  BY_STATUS[status] ?? (status >= 500 ? 'unreachable' : 'unknown')

/** The words for an answer that is not JSON. */
export const NOT_JSON = 'The server answered with something that is not JSON.'
/** The words for an answer that is JSON, but not a message. */
export const ILL_FORMED = 'The answer of the server does not have the form that the protocol requires.'
/** The words for a reply that is not of the protocol at all. */
export const NO_PROTOCOL = 'The server does not answer as a server of the Model Context Protocol.'
const CLOSED = 'The server closed the connection before it had answered.'
const REDIRECTED =
  'The server redirects to another address, which is not followed. Enter that address instead.'
const BAD_PORT = 'The address has a port that is reserved for another protocol.'

/** The reason and the words for a code of the library; without words, the message is the server's. */
const BY_CODE: Record<string, [ConnectorFailureReason, string?]> = {
  REQUEST_TIMEOUT: ['timeout', 'The server did not answer in time.'],
  CONNECTION_CLOSED: ['unreachable', CLOSED],
  NOT_CONNECTED: ['unreachable', CLOSED],
  SEND_FAILED: ['unreachable', CLOSED],
  INVALID_RESULT: ['protocol', ILL_FORMED],
  UNSUPPORTED_RESULT_TYPE: ['protocol', ILL_FORMED],
  ERA_NEGOTIATION_FAILED: ['protocol', NO_PROTOCOL],
  CLIENT_HTTP_AUTHENTICATION: ['unauthorized', 'The server refused the credentials.'],
  CLIENT_HTTP_FORBIDDEN: ['forbidden', 'The server does not allow this.'],
  CLIENT_HTTP_UNEXPECTED_CONTENT: ['protocol', NO_PROTOCOL],
  CAPABILITY_NOT_SUPPORTED: ['protocol', 'The server does not support what was asked of it.'],
  INSUFFICIENT_SCOPE: ['forbidden', 'The credentials lack a scope that the server requires.'],
}

/** Classifies whatever a connection has thrown. */
export function toFailure(error: unknown): ConnectorFailure {
  const causes = listCauses(error)
  const known = causes.find((cause) => cause instanceof ConnectorFailure)
  if (known) return known as unknown as ConnectorFailure
  const { name, message } = error as Error
  const fail = (reason: ConnectorFailureReason, words = message) =>
    new ConnectorFailure(reason, cutWords(String(words)), { cause: error })
  if (causes.some((cause) => cause.name === 'UnauthorizedError'))
    return fail('unauthorized', 'The server requires a sign-in.')
  const scopes = causes.map((cause) => Object(cause).requiredScope).find((scope) => typeof scope === 'string')
  if (scopes !== undefined) return new InsufficientScope(scopes, { cause: error })
  const network = findNetworkFailure(error)
  if (network) {
    const reason = network.reason === 'insecure' ? 'unreachable' : network.reason
    return new ConnectorFailure(reason, cutWords(describeNetworkFailure(network, error)), {
      cause: error,
      isUnsent: isNeverConnected(network),
    })
  }
  // The error for a port that `fetch` refuses to connect to has no code.
  if (causes.some((cause) => cause.message === 'bad port')) return fail('unreachable', BAD_PORT)
  for (const cause of causes) {
    const { code } = cause
    const { status, text } = readReply(cause)
    if (status !== undefined && status >= 300 && status < 400) return fail('protocol', REDIRECTED)
    if (status !== undefined && status >= 400)
      return fail(reasonOfStatus(status), sentenceOfStatus(status, findWords(text)))
    if (typeof code === 'string' && BY_CODE[code]) return fail(...BY_CODE[code])
  }
  if (name === 'AbortError') return fail('timeout', 'The server did not answer in time.')
  if (name === 'SyntaxError') return fail('protocol', NOT_JSON)
  if (name === 'ZodError') return fail('protocol', ILL_FORMED)
  return fail(name === 'ProtocolError' ? 'protocol' : 'unknown')
}
