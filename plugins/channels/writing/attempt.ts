import { ChannelFailure } from '#plugin-api'
import type { Timing } from './timing.ts'

/** How long one call may take, with all that a kind does in it. */
const CALL_MS = 2 * 60_000
/** How long to wait for a call that was told to end. */
const ENDING_MS = 10_000

/**
 * Makes one call with a signal that is aborted when the caller's is, or when the call takes too long. Settles once the
 * call has, so that nothing of it goes on afterwards; a call that does not heed its signal is left alone in the end.
 */
export async function attempt<Result>(
  call: (signal: AbortSignal) => Promise<Result>,
  { signal, timing }: { signal: AbortSignal; timing: Timing },
): Promise<Result> {
  signal.throwIfAborted()
  const ending = new AbortController()
  const settled = new AbortController()
  const end = () => ending.abort(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  let isLate = false
  const limit = async () => {
    await timing.wait(CALL_MS, settled.signal)
    if (settled.signal.aborted) return
    isLate = true
    ending.abort(new ChannelFailure('timeout', 'The platform did not answer in time.'))
  }
  const leftAlone = new Promise<never>((_, reject) => {
    const leave = () => timing.wait(ENDING_MS, settled.signal).then(() => reject(ending.signal.reason))
    ending.signal.addEventListener('abort', leave, { once: true })
  })
  // Where the call ends in time, nobody listens to it.
  leftAlone.catch(() => undefined)
  void limit()
  try {
    return await Promise.race([call(ending.signal), leftAlone])
  } catch (error) {
    // Why the call was ended says more than what it made of that.
    throw isLate ? ending.signal.reason : error
  } finally {
    settled.abort()
    signal.removeEventListener('abort', end)
  }
}
