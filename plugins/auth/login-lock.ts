import { AppError } from '#kernel'

/** The refusal of an attempt that comes before a lock ends; `ms` is how long that is. */
export function lockedFor(ms: number): AppError {
  const retry_after_seconds = Math.max(1, Math.ceil(ms / 1000))
  return new AppError('LOGIN_LOCKED', { retry_after_seconds, minutes: Math.ceil(retry_after_seconds / 60) })
}
