import { Group, Progress, Stack, Text } from '@mantine/core'
import type { components } from '#client'
import { formatNumber } from '../i18n/format.ts'
import { t, type WordKey } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Time } from '../ui/time.tsx'

const WINDOWS: Record<components['schemas']['QuotaWindow'], WordKey> = {
  all: 'usage.quota_all',
  day: 'usage.quota_day',
  month: 'usage.quota_month',
}
const NEAR = 0.9

/** The tokens that the account can still use. Nothing is shown to those without a limit. */
export function QuotaBar() {
  const init = { params: { query: { window: 'last_30d', granularity: 'by_day' } } } as const
  const quota = api.useQuery('get', '/usage/summary', init).data?.quota
  if (!quota || quota.token_quota === null) return null
  const { token_quota, used, window, resets_at } = quota
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{t(WINDOWS[window])}</Text>
        <Text size="sm" c="var(--meta)">
          {t('account.used_of', { used: formatNumber(used), max: formatNumber(token_quota) })}
          {resets_at !== null && (
            <>
              {' · '}
              {t('usage.resets')} <Time at={resets_at} />
            </>
          )}
        </Text>
      </Group>
      <Progress
        value={token_quota === 0 ? 100 : (100 * used) / token_quota}
        color={used >= token_quota * NEAR ? 'red' : 'indigo'}
        aria-label={t(WINDOWS[window])}
      />
    </Stack>
  )
}
