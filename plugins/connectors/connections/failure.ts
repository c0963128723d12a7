import { findNetworkFailure, listCauses } from '#toolbox'
import type { ConnectorFailureReason } from '../types.ts'
import { describeNetworkFailure } from './network-words.ts'

/** The most characters of a server's words that are kept. */
const MAX_DETAIL = 500

/** Why a server cannot be used; the message may contain words of the server. */
export class ConnectorFailure extends Error {
  readonly reason: ConnectorFailureReason

  constructor(reason: ConnectorFailureReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** A server refused what the scopes of a token do not allow. */
export class InsufficientScope extends ConnectorFailure {
  /** The scopes that the server requires, separated by spaces. */
  readonly scope: string

  constructor(scope: string, options?: ErrorOptions) {
    super('forbidden', cut(`The server requires the scope "${scope}".`), options)
    this.scope = scope
  }
}

/** A server does not know the session of a connection any more, as after its restart; it has not carried out the call. */
export class SessionLost extends ConnectorFailure {
  constructor(status: number, options?: ErrorOptions) {
    super(
      'not_found',
      `The server no longer knows the session: it answered with the status ${status}.`,
      options,
    )
  }
}

/** The statuses with which servers refuse an unknown session; the protocol says 404. */
const LOST_SESSION_STATUSES = [400, 404, 410]

/** Returns SessionLost if a server may have refused a request because of its session. */
export function findLostSession(error: unknown): SessionLost | undefined {
  const status = listCauses(error)
    .map(readStatus)
    .find((value) => value !== undefined)
  if (status === undefined || !LOST_SESSION_STATUSES.includes(status)) return undefined
  return new SessionLost(status, { cause: error })
}

const readStatus = ({ data }: Record<string, unknown>) => (Object(data) as { status?: number }).status

const BY_STATUS: Record<number, ConnectorFailureReason> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
}

const ILL_FORMED = 'The answer of the server does not have the form that the protocol requires.'
const NO_PROTOCOL = 'The server does not answer as a server of the Model Context Protocol.'
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
    new ConnectorFailure(reason, cut(String(words)), { cause: error })
  if (causes.some((cause) => cause.name === 'UnauthorizedError'))
    return fail('unauthorized', 'The server requires a sign-in.')
  const scopes = causes.map((cause) => Object(cause).requiredScope).find((scope) => typeof scope === 'string')
  if (scopes !== undefined) return new InsufficientScope(scopes, { cause: error })
  const network = findNetworkFailure(error)
  if (network) {
    const reason = network.reason === 'insecure' ? 'unreachable' : network.reason
    return fail(reason, describeNetworkFailure(network, error))
  }
  // The error for a port that `fetch` refuses to connect to has no code.
  if (causes.some((cause) => cause.message === 'bad port')) return fail('unreachable', BAD_PORT)
  for (const cause of causes) {
    const { code } = cause
    const status = readStatus(cause)
    const reason = status !== undefined && (status >= 500 ? 'unreachable' : BY_STATUS[status])
    if (reason) return fail(reason, `The server answered with the status ${status}.`)
    if (status !== undefined && status >= 300 && status < 400) return fail('protocol', REDIRECTED)
    if (status !== undefined && status >= 400)
      return fail('unknown', `The server answered with the status ${status}.`)
    if (typeof code === 'string' && BY_CODE[code]) return fail(...BY_CODE[code]!)
  }
  if (name === 'AbortError') return fail('timeout', 'The server did not answer in time.')
  if (name === 'SyntaxError') return fail('protocol', 'The server answered with something that is not JSON.')
  if (name === 'ZodError') return fail('protocol', ILL_FORMED)
  return fail(name === 'ProtocolError' ? 'protocol' : 'unknown')
}

const cut = (text: string) => {
  const shown = text.toWellFormed().replaceAll(/\p{Cc}+/gu, ' ')
  return shown.length > MAX_DETAIL ? `${shown.slice(0, MAX_DETAIL)}…` : shown
}
