import { useEffect } from 'react'
import { formatCompact, formatCost, formatDuration, formatNumber } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { Figures } from '../overview/figures.tsx'
import { api } from '../server/client.ts'
import { Section } from '../ui/section.tsx'
import { BarList } from '../usage/bar-list.tsx'
import { nameTool } from './summary.ts'
import type { ThreadPath } from './use-events.ts'

/** Sums of a conversation: turns, tokens, and where the time went. They are read again as events arrive. */
export function Metrics({ path, lastSeq }: { path: ThreadPath; lastSeq: number }) {
  const metrics = api.useQuery('get', '/agents/{id}/threads/{thread_id}/trajectory/metrics', {
    params: { path },
  })
  const { data, refetch } = metrics
  useEffect(() => {
    const timer = setTimeout(() => void refetch(), 1_000)
    return () => clearTimeout(timer)
  }, [lastSeq, refetch])
  if (!data) return null
  const { turns, model_calls, tokens, cost, time, tool_calls } = data
  const inSeconds = (ms: number) => formatDuration(ms / 1000)
  const first = time.first_token_ms.p50
  const parts = [
    { key: 'model', label: t('trajectory.model_time'), value: time.model_ms },
    { key: 'tools', label: t('trajectory.tool_time'), value: time.tool_ms },
    { key: 'waiting', label: t('trajectory.waiting_time'), value: time.waiting_ms },
  ]
  return (
    <>
      <Figures
        label={t('trajectory.metrics')}
        figures={[
          {
            label: t('trajectory.turns'),
            value: formatNumber(turns),
            note: t('usage.call_count', { count: model_calls }),
          },
          {
            label: t('usage.tokens'),
            value: formatCompact(tokens.total_tokens ?? 0),
            note: t('trajectory.in_out', {
              read: formatCompact(tokens.input_tokens ?? 0),
              written: formatCompact(tokens.output_tokens ?? 0),
            }),
          },
          ...(cost ? [{ label: t('usage.cost'), value: formatCost(cost) }] : []),
          {
            label: t('trajectory.total_time'),
            value: inSeconds(time.total_ms),
            ...(first !== null && { note: t('trajectory.first_word', { time: inSeconds(first) }) }),
          },
        ]}
      />
      <Section title={t('trajectory.where_time')}>
        <BarList
          label={t('trajectory.where_time')}
          bars={parts.map((part) => ({ ...part, text: inSeconds(part.value) }))}
        />
      </Section>
      {Object.keys(tool_calls).length > 0 && (
        <Section title={t('trajectory.tools')}>
          <BarList
            label={t('trajectory.tools')}
            bars={Object.entries(tool_calls).map(([name, { count, errors, ms }]) => ({
              key: name,
              label: nameTool(name),
              value: count,
              text: formatNumber(count),
              note: errors > 0 ? t('trajectory.errors', { count: errors }) : inSeconds(ms),
            }))}
          />
        </Section>
      )}
    </>
  )
}
