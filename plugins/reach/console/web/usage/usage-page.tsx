import { Group, SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { useAccount } from '../session/account.ts'
import { Empty } from '../ui/empty.tsx'
import { Pending } from '../ui/pending.tsx'
import { Section } from '../ui/section.tsx'
import { Breakdowns } from './breakdowns.tsx'
import { DayChart } from './day-chart.tsx'
import { ExportUsage } from './export-usage.tsx'
import { BudgetBar, QuotaBar } from './limit-bar.tsx'
import { ServerBudget } from './server-budget.tsx'
import type { Measure } from './spending.ts'
import { Totals } from './totals.tsx'
import { UsageArea } from './usage-area.tsx'
import { type UsageQuery, useOwnUsage, useUsage } from './use-usage.ts'

/** The length of a day in seconds; a single one needs no chart. */
const DAY = 86_400

/** The costs and tokens of a period, of the account itself or, for administrators, of all accounts. */
export default function UsagePage() {
  const isAdmin = useAccount().role === 'admin'
  const [window, setWindow] = useState<UsageQuery['window']>('last_30d')
  const [whose, setWhose] = useState<UsageQuery['whose']>('own')
  const [chosen, setChosen] = useState<Measure>('cost')
  const { data, error, refetch } = useUsage({ whose, window, by: 'by_day' })
  const currency = useFacts().currency ?? ''
  const windows: { value: UsageQuery['window']; label: string }[] = [
    { value: 'today', label: t('usage.today') },
    { value: 'last_7d', label: t('usage.last_7d') },
    { value: 'last_30d', label: t('usage.last_30d') },
    { value: 'this_month', label: t('usage.this_month') },
  ]
  // Without a known price, there is nothing else to compare.
  const measure = data?.totals.cost ? chosen : 'tokens'
  return (
    <UsageArea actions={data?.from != null && <ExportUsage whose={whose} from={data.from} to={data.to} />}>
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
            onChange={(value) => setWhose(value)}
          />
        )}
      </Group>
      {whose === 'own' ? <OwnLimits /> : <ServerBudget />}
      {!data ? (
        <Pending error={error} refetch={refetch} height={260} />
      ) : data.totals.model_calls === 0 ? (
        <Empty title={t('usage.none')}>{t('usage.none_about')}</Empty>
      ) : (
        <>
          <Totals totals={data.totals} />
          {data.from !== null && data.to - data.from > DAY && (
            <Section
              title={t('usage.by_day')}
              actions={
                data.totals.cost && (
                  <SegmentedControl
                    size="xs"
                    aria-label={t('usage.measure')}
                    value={measure}
                    data={[
                      { value: 'cost', label: t('usage.cost') },
                      { value: 'tokens', label: t('usage.tokens') },
                    ]}
                    onChange={(value) => setChosen(value)}
                  />
                )
              }
            >
              <DayChart
                from={data.from}
                to={data.to}
                buckets={data.buckets}
                measure={measure}
                currency={currency}
              />
            </Section>
          )}
          <Breakdowns whose={whose} window={window} span={data} measure={measure} />
        </>
      )}
    </UsageArea>
  )
}

/** The limits of the account, if it has any. */
function OwnLimits() {
  const { quota, budget } = useOwnUsage({ window: 'last_30d', by: 'by_day' }).data ?? {}
  if (!budget && (quota?.token_quota ?? null) === null) return null
  return (
    <Stack gap="md">
      {budget && <BudgetBar budget={budget} />}
      {quota && <QuotaBar quota={quota} />}
    </Stack>
  )
}
