import { DatabaseFailure } from '#engine'
import { isRefused } from './driver-errors.ts'

/**
 * Creates the failure of a MongoDB server from the error of the driver, which contains no password; `hosts` must not
 * contain one either.
 */
export function serverFailure({ hosts, tls }: { hosts: string; tls: boolean }, error: unknown) {
  const { message, cause } = error as Error
  // OpenSSL has a short reason beside a message of several lines.
  const socketError = (cause as Error | undefined)?.cause as { reason?: string; syscall?: string } | undefined
  const words = (socketError?.reason ?? message).replace(/\.$/, '')
  const hint = isRefused(error)
    ? 'are the user, the password and authSource in its address right?'
    : socketError?.syscall
      ? 'is it running, and is its address right?'
      : tls
        ? 'does it use TLS, as its address says?'
        : 'does it require tls=true in its address?'
  return new DatabaseFailure(
    `the MongoDB server at ${hosts} ${isRefused(error) ? 'refuses this user' : 'cannot be reached'}: ${words}; ${hint}`,
    { cause: error },
  )
}
