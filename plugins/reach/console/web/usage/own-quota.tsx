import { QuotaBar } from './limit-bar.tsx'
import { useOwnUsage } from './use-usage.ts'

/** The token limit of the account; nothing without one. */
export function OwnQuota() {
  const { quota } = useOwnUsage({ window: 'today', by: 'total' }).data ?? {}
  return quota ? <QuotaBar quota={quota} /> : null
}
