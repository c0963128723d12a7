import { ChannelFailure } from '#plugin-api'
import type { Timing } from './timing.ts'

/** Time limit of one call to a kind, in milliseconds. */
const CALL_MS = 2 * 60_000
/** Time that an aborted call gets to settle, in milliseconds. */
const ABORT_MS = 10_000

/**
 * Makes one call with a signal that is aborted together with the caller's, or after a time limit. Settles when the call
 * has settled, so that it does not continue in the background; a call that ignores its abort is abandoned.
 */
export async function attempt<Result>(
  call: (signal: AbortSignal) => Promise<Result>,
  { signal, timing }: { signal: AbortSignal; timing: Timing },
): Promise<Result> {
  signal.throwIfAborted()
  const abort = new AbortController()
  const settled = new AbortController()
  const end = () => abort.abort(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  let isLate = false
  const limit = async () => {
    await timing.wait(CALL_MS, settled.signal)
    if (settled.signal.aborted) return
    isLate = true
    abort.abort(new ChannelFailure('timeout', 'The platform did not answer in time.'))
  }
  const abandoned = new Promise<never>((_, reject) => {
    const leave = () => timing.wait(ABORT_MS, settled.signal).then(() => reject(abort.signal.reason))
    abort.signal.addEventListener('abort', leave, { once: true })
  })
  // Nobody awaits this promise if the call settles in time.
  abandoned.catch(() => undefined)
  void limit()
  try {
    return await Promise.race([call(abort.signal), abandoned])
  } catch (error) {
    // The time limit explains more than the error that the abort caused in the call.
    throw isLate ? abort.signal.reason : error
  } finally {
    settled.abort()
    signal.removeEventListener('abort', end)
  }
}
