import { formatCompact, formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { Figures } from '../overview/figures.tsx'
import { Empty } from '../ui/empty.tsx'
import { Pending } from '../ui/pending.tsx'
import { Section } from '../ui/section.tsx'
import { DayChart } from './day-chart.tsx'
import { listMeasures } from './measures.ts'
import { type UsageQuery, useUsage } from './use-usage.ts'

/** The sums of a window and a bar for each of its days. */
export function Days({ whose, window }: Omit<UsageQuery, 'by'>) {
  const { data, error, refetch } = useUsage({ whose, window, by: 'by_day' })
  if (!data) return <Pending error={error} refetch={refetch} height={260} />
  const { totals, buckets } = data
  if (totals.model_calls === 0) return <Empty title={t('usage.none')}>{t('usage.none_about')}</Empty>
  return (
    <>
      <Figures
        label={t('usage.totals')}
        figures={[
          {
            label: t('usage.tokens'),
            value: formatCompact(totals.total_tokens),
            ...(totals.estimated_tokens > 0 && {
              note: t('usage.estimated', { count: formatCompact(totals.estimated_tokens) }),
            }),
          },
          {
            label: t('usage.input'),
            value: formatCompact(totals.input_tokens),
            note: t('usage.cached', { count: formatCompact(totals.cached_input_tokens) }),
          },
          {
            label: t('usage.output'),
            value: formatCompact(totals.output_tokens),
            note: t('usage.reasoning', { count: formatCompact(totals.reasoning_tokens) }),
          },
          { label: t('usage.calls'), value: formatNumber(totals.model_calls) },
          ...listMeasures(totals),
        ]}
      />
      {buckets.length > 0 && (
        <Section title={t('usage.by_day')}>
          <DayChart from={data.from} to={data.to} buckets={buckets} />
        </Section>
      )}
    </>
  )
}
