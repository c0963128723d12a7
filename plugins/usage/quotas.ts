import { EventEmitter, once } from 'node:events'
import { AppError } from '#kernel'
import type { ModelCalling } from '../providers/types.ts'
import type { Cradle } from './manifest.ts'
import { resetOf } from './periods.ts'
import type { Wish } from './reservation.ts'
import type { QuotaRow } from './schemas.ts'

/** The time that a call waits for others to release what they have reserved, in milliseconds. */
const WAIT_MS = 60_000
/** The interval at which it looks for releases of other server processes, in milliseconds. */
const POLL_MS = 500

/** The token quotas of accounts. */
export type Quotas = ReturnType<typeof createQuotas>

/** Makes what holds accounts to their quotas. */
export function createQuotas({
  usageCounters,
  usageRecords,
  quotaWindow: window,
  clock,
  log,
}: Pick<Cradle, 'usageCounters' | 'usageRecords' | 'quotaWindow' | 'clock' | 'log'>) {
  const resets_at = () => resetOf(window, clock.seconds())
  /** Tells the id of an account when one of its calls in this process has ended. */
  const endings = new EventEmitter().setMaxListeners(0)

  const attempt = (user_id: string, wish: Wish, quota: number) =>
    usageCounters.reserve(user_id, wish, quota).catch((error) => {
      // It may have been reserved though nobody heard of it. The turn does not wait for that to be undone.
      usageRecords
        .release(user_id, wish.call_id)
        .catch((error) => log.error({ error, call_id: wish.call_id }, 'a reservation could not be given up'))
      throw error
    })

  const untilNextEnding = async (user_id: string, signal: AbortSignal | undefined): Promise<void> => {
    const waiting = AbortSignal.any([AbortSignal.timeout(POLL_MS), ...(signal ? [signal] : [])])
    await once(endings, user_id, { signal: waiting }).catch(() => undefined)
    signal?.throwIfAborted()
  }

  return {
    /**
     * Reserves what a call may take, and limits its answer to that. Calls reserve more than they take, so one that does
     * not fit beside others waits for them; throws TOKEN_QUOTA_EXCEEDED if that cannot help, or not in time.
     */
    async reserve({ call_id, account, estimate, limitOutput, signal }: ModelCalling): Promise<void> {
      const { user_id, token_quota: quota } = account
      if (quota === null) return
      const { prompt, output } = estimate()
      const deadline = clock.now() + WAIT_MS
      for (;;) {
        const takesAny = clock.now() >= deadline
        const found = await attempt(user_id, { call_id, prompt, output, takesAny }, quota)
        if ('output' in found) return limitOutput(found.output)
        const needed = prompt + 1
        if (takesAny || found.used + needed > quota) {
          const details = { quota, ...found, needed, window, resets_at: resets_at() }
          throw new AppError('TOKEN_QUOTA_EXCEEDED', details)
        }
        await untilNextEnding(user_id, signal)
      }
    },

    /** Lets calls of an account that wait for others try again. */
    noteEnding: (user_id: string): void => void endings.emit(user_id),

    /** How an account stands to its quota now. */
    async read(user_id: string, token_quota: number | null): Promise<QuotaRow> {
      const { used, reserved } = (await usageCounters.listUses([user_id])).get(user_id) ?? NOTHING
      const remaining = token_quota === null ? null : Math.max(0, token_quota - used)
      return { token_quota, window, used, reserved, remaining, resets_at: resets_at() }
    },
  }
}

const NOTHING = { used: 0, reserved: 0 }
