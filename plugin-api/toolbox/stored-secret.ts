import { AppError } from '#kernel'

/**
 * Returns the place that an address leads to: its scheme, host and port. Secrets that were entered for one place are
 * not sent to another.
 */
export function placeOf(address: unknown): unknown {
  if (typeof address !== 'string' || !URL.canParse(address)) return address
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}

/** Returns VALIDATION_FAILED for secrets, by their paths in the body, that a change of the address does not send again. */
export const secretsElsewhere = (paths: readonly string[]): AppError =>
  new AppError('VALIDATION_FAILED', {
    issues: paths.map((path) => ({
      path,
      rule: 'address',
      message: 'was entered for another address: send the value itself, or null to remove it',
    })),
  })
