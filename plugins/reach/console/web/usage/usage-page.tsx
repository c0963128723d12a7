import { Group, Progress, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { formatNumber } from '../i18n/format.ts'
import { t, type WordKey } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { useAccount } from '../session/account.ts'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Time } from '../ui/time.tsx'
import { BarList } from './bar-list.tsx'
import { Days } from './days.tsx'
import { listMeasures } from './measures.ts'
import { type UsageQuery, useUsage } from './use-usage.ts'

type Window = components['schemas']['UsageWindow']

/** The tokens that model calls used: your own, or for administrators everybody's. */
export default function UsagePage() {
  const isAdmin = useAccount().role === 'admin'
  const [window, setWindow] = useState<Window>('last_30d')
  const [whose, setWhose] = useState<'own' | 'all'>('own')
  const windows: { value: Window; label: string }[] = [
    { value: 'today', label: t('usage.today') },
    { value: 'last_7d', label: t('usage.last_7d') },
    { value: 'last_30d', label: t('usage.last_30d') },
    { value: 'all', label: t('usage.all_time') },
  ]
  return (
    <Page title={t('frame.usage')} about={t('usage.about')}>
      <Group gap="md">
        <SegmentedControl
          aria-label={t('usage.window')}
          value={window}
          data={windows}
          onChange={(value) => setWindow(value)}
        />
        {isAdmin && (
          <SegmentedControl
            aria-label={t('usage.whose')}
            value={whose}
            data={[
              { value: 'own', label: t('usage.own') },
              { value: 'all', label: t('usage.everybody') },
            ]}
            onChange={(value) => setWhose(value as typeof whose)}
          />
        )}
      </Group>
      {whose === 'own' && <QuotaBar />}
      <Days whose={whose} window={window} />
      <Breakdown whose={whose} window={window} by="by_model" title={t('usage.by_model')} />
      <Breakdown whose={whose} window={window} by="by_agent" title={t('usage.by_agent')} />
      {whose === 'all' && <Accounts window={window} />}
    </Page>
  )
}

/** The accounts that used most in a window. */
function Accounts({ window }: Pick<UsageQuery, 'window'>) {
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

/** The tokens of a window by model or agent, the most used first. */
function Breakdown({ title, ...query }: UsageQuery & { title: string }) {
  const { data } = useUsage(query)
  if (!data || data.buckets.length === 0) return null
  return (
    <Section title={title}>
      <BarList
        label={title}
        bars={data.buckets
          .toSorted((a, b) => b.total_tokens - a.total_tokens)
          .map(({ key, label, total_tokens, model_calls, ...sums }) => ({
            key,
            label: label ?? key,
            value: total_tokens,
            text: formatNumber(total_tokens),
            note: [
              t('usage.call_count', { count: model_calls }),
              ...listMeasures(sums).map(({ label, value }) => `${label}: ${value}`),
            ].join(' · '),
          }))}
      />
    </Section>
  )
}

const WINDOWS: Record<components['schemas']['QuotaWindow'], WordKey> = {
  all: 'usage.quota_all',
  day: 'usage.quota_day',
  month: 'usage.quota_month',
}
const NEAR = 0.9

/** The tokens that the account can still use. Nothing is shown to those without a limit. */
function QuotaBar() {
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
