import { EventEmitter, once } from 'node:events'
import { AppError, createDeadline } from '#plugin-api'
import type { ModelCalling } from '../providers/types.ts'
import type { Cradle } from './manifest.ts'
import { nextReset } from './periods.ts'
import type { QuotaRow } from './schemas.ts'
import type { Wish } from './usage-counters.ts'

/** The time that a call waits for other calls to release their reservations, in milliseconds. */
const WAIT_MS = 60_000
/** The interval at which a waiting call looks for releases by other server processes, in milliseconds. */
const POLL_MS = 500

/** The token quotas of accounts. */
export type Quotas = ReturnType<typeof createQuotas>

/** Creates the quotas. */
export function createQuotas({
  usageCounters,
  usageRecords,
  quotaWindow: window,
  clock,
  log,
}: Pick<Cradle, 'usageCounters' | 'usageRecords' | 'quotaWindow' | 'clock' | 'log'>) {
  const resets_at = () => nextReset(window, clock.seconds())
  /** Emits the id of an account when one of its calls in this process has ended. */
  const endings = new EventEmitter().setMaxListeners(0)

  const attempt = (user_id: string, wish: Wish, quota: number) =>
    usageCounters.reserve(user_id, wish, quota).catch((error) => {
      // The reservation may have succeeded although the reply was lost. The turn does not wait for the release.
      usageRecords
        .release(user_id, wish.call_id)
        .catch((error) => log.error({ error, call_id: wish.call_id }, 'a reservation could not be released'))
      throw error
    })

  const untilNextEnding = async (user_id: string, signal: AbortSignal | undefined): Promise<void> => {
    const waiting = createDeadline([signal], { milliseconds: POLL_MS })
    await once(endings, user_id, { signal: waiting.signal }).catch(() => undefined)
    waiting.release()
    signal?.throwIfAborted()
  }

  return {
    /**
     * Reserves the tokens that a call may take, and limits its answer to them. Calls reserve more than they take, so a
     * call that does not fit beside others waits for them. Throws TOKEN_QUOTA_EXCEEDED if waiting cannot help or takes
     * too long.
     */
    async reserve({ call_id, account, estimate, limitOutput, signal }: ModelCalling): Promise<void> {
      const { user_id, token_quota: quota } = account
      if (quota === null) return
      const { prompt, output } = estimate()
      const deadline = clock.now() + WAIT_MS
      for (;;) {
        const takesAny = clock.now() >= deadline
        const attempted = await attempt(user_id, { call_id, prompt, output, takesAny }, quota)
        if ('output' in attempted) return limitOutput(attempted.output)
        const needed = prompt + 1
        if (takesAny || attempted.used + needed > quota) {
          const details = { quota, ...attempted, needed, window, resets_at: resets_at() }
          throw new AppError('TOKEN_QUOTA_EXCEEDED', details)
        }
        await untilNextEnding(user_id, signal)
      }
    },

    /** Lets waiting calls of an account try again. */
    noteEnding: (user_id: string): void => void endings.emit(user_id),

    /** Reads how much of its quota an account has used and reserved. */
    async read(user_id: string, token_quota: number | null): Promise<QuotaRow> {
      const { used, reserved } = (await usageCounters.listUses([user_id])).get(user_id) ?? NOTHING
      const remaining = token_quota === null ? null : Math.max(0, token_quota - used)
      return { token_quota, window, used, reserved, remaining, resets_at: resets_at() }
    },
  }
}

const NOTHING = { used: 0, reserved: 0 }
