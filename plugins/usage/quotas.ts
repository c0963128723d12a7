import { AppError, type Cradle } from '#kernel'
import type { ModelCalling } from '../providers/types.ts'
import { resetOf } from './periods.ts'
import type { QuotaRow } from './schemas.ts'

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

  return {
    /** Reserves what a call may take; throws TOKEN_QUOTA_EXCEEDED. */
    async reserve({ call_id, account, estimateTokens }: ModelCalling): Promise<void> {
      const { user_id, token_quota: quota } = account
      if (quota === null) return
      const tokens = estimateTokens()
      const standing = await usageCounters.reserve(user_id, { call_id, tokens }, quota).catch((error) => {
        // It may have been reserved though nobody heard of it. The turn does not wait for that to be undone.
        usageRecords
          .release(user_id, call_id)
          .catch((error) => log.error({ error, call_id }, 'a reservation could not be given up'))
        throw error
      })
      if (standing)
        throw new AppError('TOKEN_QUOTA_EXCEEDED', { quota, ...standing, window, resets_at: resets_at() })
    },

    /** How an account stands to its quota now. */
    async read(user_id: string, token_quota: number | null): Promise<QuotaRow> {
      const { used, reserved } = (await usageCounters.listUses([user_id])).get(user_id) ?? NOTHING
      const remaining = token_quota === null ? null : Math.max(0, token_quota - used)
      return { token_quota, window, used, reserved, remaining, resets_at: resets_at() }
    },
  }
}

const NOTHING = { used: 0, reserved: 0 }
