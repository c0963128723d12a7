import { findNetworkFailure, listCauses, type NetworkFailure } from '#plugin-api'
import type { ConnectorFailureReason } from '../types.ts'
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

/**
 * A server does not know the session of a connection any more, as after its restart; it has not carried out the call.
 */
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
const LATE = 'The server did not answer in time.'
const CLOSED = 'The server closed the connection before it had answered.'
const REDIRECTED =
  'The server redirects to another address, which is not followed. Enter that address instead.'
const BAD_PORT = 'The address has a port that is reserved for another protocol.'

/** The reason and the words for a code of the library; without words, the message is the server's. */
const BY_CODE: Record<string, [ConnectorFailureReason, string?]> = {
  REQUEST_TIMEOUT: ['timeout', LATE],
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

/** Classifies an error that a connection has thrown. */
export function toFailure(error: unknown): ConnectorFailure {
  const causes = listCauses(error)
  const failure = causes.find((cause) => cause instanceof ConnectorFailure)
  if (failure) return failure as unknown as ConnectorFailure
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
  if (name === 'AbortError') return fail('timeout', LATE)
  if (name === 'SyntaxError') return fail('protocol', NOT_JSON)
  if (name === 'ZodError') return fail('protocol', ILL_FORMED)
  return fail(name === 'ProtocolError' ? 'protocol' : 'unknown')
}

type Cause = { code?: unknown; hostname?: unknown; address?: unknown; port?: unknown; details?: unknown }

const CERTIFICATES: Record<string, string> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'it is signed by an authority that this server does not trust',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it belongs to another host name',
}

/** Explains an error of the network in a sentence about the server that was asked. */
function describeNetworkFailure(failure: NetworkFailure, error: unknown): string {
  const { reason, code = '' } = failure
  const cause = (listCauses(error) as Cause[]).find((each) => each.code === code) ?? {}
  if (reason === 'address_not_allowed') {
    const { host = 'server' } = Object(cause.details) as { host?: string }
    return `The host ${JSON.stringify(host)} is in a local or private network, which connectors may not reach. The administrator can allow it by plugins.connectors.allow_hosts.`
  }
  if (reason === 'timeout') return LATE
  if (reason === 'insecure')
    return CERTIFICATES[code]
      ? `The certificate of the server is not accepted: ${CERTIFICATES[code]}.`
      : 'No secure connection to the server is possible: it may not speak TLS at this address.'
  const { hostname, address, port } = cause
  const target = typeof address === 'string' ? ` at ${address}${port ? `, port ${port}` : ''}` : ''
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return `The host name ${JSON.stringify(hostname ?? '')} cannot be resolved to an address.`
  if (code === 'ECONNREFUSED') return `The server${target} refused the connection.`
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return `No network route leads to the server${target}.`
  if (CLOSED_CODES.has(code)) return CLOSED
  return 'The connection to the server failed.'
}

/** True for a failure before a connection was open, so that nothing was sent. */
const isNeverConnected = ({ code = '' }: NetworkFailure): boolean =>
  NEVER_CONNECTED.has(code) || code.startsWith('EAI_')

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
const CLOSED_CODES = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'ERR_STREAM_PREMATURE_CLOSE',
])
