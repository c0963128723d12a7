import { QuotaBar } from './limit-bar.tsx'
import { useOwnUsage } from './use-usage.ts'

/** The token limit of the account as an item of a list; nothing without one. */
export function OwnQuota({ className }: { className: string | undefined }) {
  const { quota } = useOwnUsage({ window: 'today', by: 'total' }).data ?? {}
  return quota && quota.token_quota !== null ? (
    <li className={className}>
      <QuotaBar quota={quota} />
    </li>
  ) : null
}
