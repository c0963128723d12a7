import { Group, Stack, Text } from '@mantine/core'
import type { components } from '#client'
import { formatMoney, formatNumber, formatSum } from '../i18n/format.ts'
import { t, type WordKey } from '../i18n/words.ts'
import { Time } from '../ui/time.tsx'
import { Bar } from '../ui/used-bar.tsx'

interface Props {
  label: string
  used: number
  max: number
  format(value: number): string
  formatMax?(value: number): string
  /** Unix seconds; null if it never begins anew. */
  resets_at: number | null
}

/** The used part of a limit that begins anew, in words and as a bar. */
const LimitBar = ({ label, used, max, format, formatMax = format, resets_at }: Props) => (
  <Stack gap={6}>
    <Group justify="space-between" gap="xs">
      <Text size="sm">{label}</Text>
      <Text size="sm" c="var(--meta)">
        {t('account.used_of', { used: format(used), max: formatMax(max) })}
        {resets_at !== null && (
          <>
            {' · '}
            {t('usage.resets')} <Time at={resets_at} />
          </>
        )}
      </Text>
    </Group>
    <Bar used={used} max={max} />
  </Stack>
)

const QUOTA_WORDS: Record<components['schemas']['QuotaWindow'], WordKey> = {
  all: 'usage.quota_all',
  day: 'usage.quota_day',
  month: 'usage.quota_month',
}

/** The tokens that the account can still use; nothing without a limit. */
export const QuotaBar = ({
  quota: { token_quota, used, window, resets_at },
}: {
  quota: components['schemas']['Quota']
}) =>
  token_quota === null ? null : (
    <LimitBar
      label={t(QUOTA_WORDS[window])}
      used={used}
      max={token_quota}
      format={formatNumber}
      resets_at={resets_at}
    />
  )

type Budget = components['schemas']['BudgetState']

const BUDGET_WORDS: Record<Budget['window'], WordKey> = {
  day: 'usage.budget_day',
  week: 'usage.budget_week',
  month: 'usage.budget_month',
}

/** The money that the account, or the server, can still spend. */
export const BudgetBar = ({ budget: { amount, window, currency, spent, resets_at } }: { budget: Budget }) => (
  <LimitBar
    label={t(BUDGET_WORDS[window])}
    used={spent}
    max={amount}
    format={(amount) => formatSum({ amount, currency })}
    formatMax={(amount) => formatMoney(amount, currency)}
    resets_at={resets_at}
  />
)
