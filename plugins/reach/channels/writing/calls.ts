import { setTimeout as pause } from 'node:timers/promises'
import {
  type ChannelConnection,
  ChannelFailure,
  type JSONValue,
  type Logger,
  type OutboundMessage,
} from '#plugin-api'
import { type Failure, toFailure } from './failure.ts'

/** The clock of this package; tests pass their own. */
export interface Timing {
  /** Returns Unix milliseconds. */
  now(): number
  /** Resolves after this many milliseconds, or as soon as the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** The system's time. */
export const systemTiming: Timing = {
  now: () => Date.now(),
  // Rejects only when aborted.
  wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }).catch(() => undefined),
}

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

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Attempts at a call whose failure may pass end this long after the first one. */
const GIVE_UP_MS = 60 * MINUTE
const FIRST_PAUSE_MS = SECOND
const MAX_PAUSE_MS = MINUTE
/** The longest pause that a platform may ask for. */
const MAX_RETRY_AFTER_MS = 10 * MINUTE

/** Number of attempts at a call that is refused for a reason which no kind has listed. */
const UNKNOWN_ATTEMPTS = 3

const TRANSIENT = ['rate_limited', 'unreachable', 'timeout']

/** True if the failure passes by itself. */
export const isTransient = ({ reason }: Failure) => TRANSIENT.includes(reason)

/** Creates the back-off for a sequence of calls. */
export function createBackOff({ timing, random }: { timing: Pick<Timing, 'now'>; random: () => number }) {
  let failures = 0
  let unknownFailures = 0
  let since = 0
  return {
    /** Returns the pause before the next attempt, in milliseconds; undefined if no attempt should follow. */
    pauseAfter(failure: Failure): number | undefined {
      const { reason, retry_after_ms, is_about_text } = failure
      if (reason === 'unknown' && !is_about_text) {
        unknownFailures += 1
        if (unknownFailures >= UNKNOWN_ATTEMPTS) return undefined
      } else if (!isTransient(failure)) return undefined
      failures += 1
      if (failures === 1) since = timing.now()
      const longest = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 16))
      // Jitter, so that calls that failed together are not repeated together.
      const pause =
        retry_after_ms !== undefined
          ? Math.min(MAX_RETRY_AFTER_MS, Math.max(FIRST_PAUSE_MS, retry_after_ms) * (1 + random() / 10))
          : longest * (0.5 + random() / 2)
      return timing.now() + pause - since > GIVE_UP_MS ? undefined : Math.ceil(pause)
    },
    /** Resets the back-off after a successful call. */
    reset() {
      failures = 0
      unknownFailures = 0
    },
  }
}

/** Logs that a call is going to be repeated. */
export function logRepetition(log: Logger, { reason, detail }: Failure): void {
  log.warn({ reason, detail }, 'a call to the platform failed and is repeated')
}

/** Resolves with the channel's connection once it exists; rejects if the channel is closed or the signal aborted. */
export type Connect = (signal: AbortSignal) => Promise<ChannelConnection>

/** Returns the error of a call as a `ChannelFailure`. */
const toChannelFailure = (error: unknown, { reason, detail }: Failure) =>
  error instanceof ChannelFailure ? error : new ChannelFailure(reason, detail, { cause: error })

/**
 * Repeats calls to a channel while their failures may pass, for up to about an hour, and a call that fails for an unknown
 * reason twice. All other failures are final.
 */
export type Sender = ReturnType<typeof createSender>

/** Creates a sender. Concurrent calls are independent of each other. */
export function createSender({
  connect,
  signal,
  log,
  onRefused,
  clock = systemTiming,
  random = Math.random,
}: {
  connect: Connect
  signal: AbortSignal
  log: Logger
  /** Called with each failure that is final. */
  onRefused(failure: Failure): void
  clock?: Timing
  random?: () => number
}) {
  const repeat = async <Result>(
    call: (connection: ChannelConnection, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const backOff = createBackOff({ timing: clock, random })
    for (let attempts = 1; ; attempts += 1) {
      signal.throwIfAborted()
      const connection = await connect(signal)
      try {
        return await attempt((abort) => call(connection, abort), { signal, timing: clock })
      } catch (error) {
        signal.throwIfAborted()
        const failure = toFailure(error)
        const pause = backOff.pauseAfter(failure)
        if (pause === undefined) {
          onRefused(failure)
          throw toChannelFailure(error, failure)
        }
        if (attempts === 1) logRepetition(log, failure)
        await clock.wait(pause, signal)
      }
    }
  }

  return {
    /** Repeats a call on the current connection; throws the last failure as a `ChannelFailure`. */
    repeat,
    send: (target: JSONValue, message: OutboundMessage): Promise<JSONValue> =>
      repeat((connection, abort) => connection.send(target, message, abort)),
  }
}
