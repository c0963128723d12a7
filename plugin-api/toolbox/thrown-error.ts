/** The kinds of network errors; `insecure` means that the peer's certificate or the TLS handshake was refused. */
export interface NetworkFailure {
  reason: 'timeout' | 'unreachable' | 'insecure' | 'address_not_allowed'
  /** The code of Node, the system or undici, e.g. `ECONNREFUSED`. */
  code?: string
}

/** Causes of an error that are examined, including the errors of an AggregateError. */
const MAX_CAUSES = 32

const CODE = /^[A-Z][A-Z\d_]{1,60}$/
const TIMEOUT = /^(?:ETIMEDOUT|ESOCKETTIMEDOUT|ETIMEOUT|(?:UND_)?ERR_\w*TIMEOUT)$/
const CERTIFICATE =
  /^(?:CERT_|CRL_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$)/
const UNREACHABLE =
  /^(?:E(?:CONN|HOST|NET|ADDR|PIPE|PROTO|AI_)[A-Z]*|ENOTFOUND|UND_ERR_[A-Z_]+|ERR_SOCKET_[A-Z_]+|ERR_STREAM_[A-Z_]+)$/

/** Lists a thrown value and its causes, nearest first. */
export function listCauses(error: unknown): Record<string, unknown>[] {
  const causes: unknown[] = [error]
  for (let index = 0; index < causes.length && index < MAX_CAUSES; index += 1) {
    const { cause, errors } = Object(causes[index]) as { cause?: unknown; errors?: unknown }
    const next = [cause, ...(Array.isArray(errors) ? errors : [])]
    causes.push(...next.filter((each) => each && typeof each === 'object' && !causes.includes(each)))
  }
  return causes.slice(0, MAX_CAUSES).map((each) => Object(each))
}

/** Classifies one error without its causes; undefined if it is not an error of the network. */
export function readNetworkFailure(error: { name?: unknown; code?: unknown }): NetworkFailure | undefined {
  const { name, code } = error
  if (code === 'ADDRESS_NOT_ALLOWED') return { reason: 'address_not_allowed', code }
  if (name === 'TimeoutError') return { reason: 'timeout' }
  if (typeof code !== 'string') return undefined
  if (TIMEOUT.test(code)) return { reason: 'timeout', code }
  if (CERTIFICATE.test(code)) return { reason: 'insecure', code }
  return UNREACHABLE.test(code) ? { reason: 'unreachable', code } : undefined
}

/** Classifies a thrown value by the nearest of it and its causes that is an error of the network. */
export function findNetworkFailure(error: unknown): NetworkFailure | undefined {
  for (const cause of listCauses(error)) {
    const failure = readNetworkFailure(cause)
    if (failure) return failure
  }
  return undefined
}

/** Returns the nearest code of a thrown value and its causes that looks like a system's code; it holds no secret. */
export const findErrorCode = (error: unknown): string | undefined =>
  listCauses(error)
    .map(({ code }) => code)
    .find((code): code is string => typeof code === 'string' && CODE.test(code))

/** Returns the name of the package that an import did not find; undefined for any other error. */
export function findMissingPackage(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ERR_MODULE_NOT_FOUND' ? /^Cannot find package '([^']+)'/.exec(message)?.[1] : undefined
}

/** Says that an optional package of the server is missing, and how to add it. */
export const describeMissingPackage = (name: string): string =>
  `the optional package ${name} is not installed: install the server again with "npm install --include=optional"`
