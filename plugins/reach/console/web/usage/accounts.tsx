import { formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Section } from '../ui/section.tsx'
import { BarList } from './bar-list.tsx'
import type { UsageQuery } from './use-usage.ts'

/** The accounts that used most in a window. */
export function Accounts({ window }: Pick<UsageQuery, 'window'>) {
  const init = { params: { query: { window, granularity: 'total', limit: 100 } } } as const
  const { data } = api.useQuery('get', '/admin/usage', init)
  if (!data || data.accounts.length === 0) return null
  return (
    <Section title={t('usage.by_account')}>
      <BarList
        label={t('usage.by_account')}
        bars={data.accounts.map(({ user_id, username, total_tokens, token_quota, quota_used }) => ({
          key: user_id,
          label: username,
          value: total_tokens,
          text: formatNumber(total_tokens),
          note:
            token_quota === null
              ? undefined
              : t('usage.quota_of', { used: formatNumber(quota_used), max: formatNumber(token_quota) }),
        }))}
      />
    </Section>
  )
}
