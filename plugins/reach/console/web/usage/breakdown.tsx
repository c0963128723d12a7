import { formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { Section } from '../ui/section.tsx'
import { BarList } from './bar-list.tsx'
import { type UsageQuery, useUsage } from './use-usage.ts'

/** The tokens of a window by model or agent, the most used first. */
export function Breakdown({ title, ...query }: UsageQuery & { title: string }) {
  const { data } = useUsage(query)
  if (!data || data.buckets.length === 0) return null
  return (
    <Section title={title}>
      <BarList
        label={title}
        bars={data.buckets
          .toSorted((a, b) => b.total_tokens - a.total_tokens)
          .map(({ key, label, total_tokens, model_calls }) => ({
            key,
            label: label ?? key,
            value: total_tokens,
            text: formatNumber(total_tokens),
            note: t('usage.call_count', { count: model_calls }),
          }))}
      />
    </Section>
  )
}
