import { listCauses, type NetworkFailure } from '#toolbox'

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
export function describeNetworkFailure(failure: NetworkFailure, error: unknown): string {
  const { reason, code = '' } = failure
  const cause = (listCauses(error) as Cause[]).find((each) => each.code === code) ?? {}
  if (reason === 'address_not_allowed') {
    const { host = 'server' } = Object(cause.details) as { host?: string }
    return `The host ${JSON.stringify(host)} is in a local or private network, which connectors may not reach. The administrator can allow it by plugins.connectors.allow_hosts.`
  }
  if (reason === 'timeout') return 'The server did not answer in time.'
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
  if (CLOSED.has(code)) return 'The server closed the connection before it had answered.'
  return 'The connection to the server failed.'
}

/** True for a failure before a connection was open, so that nothing was sent. */
export const isNeverConnected = ({ code = '' }: NetworkFailure): boolean =>
  NEVER_CONNECTED.has(code) || code.startsWith('EAI_')

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
const CLOSED = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'ERR_STREAM_PREMATURE_CLOSE',
])
