import { groupNameOf } from '../groups/group.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { useFacts } from '../server/facts.ts'
import { Section } from '../ui/section.tsx'
import { listMeasures } from './measures.ts'
import type { Measure } from './spending.ts'
import { type SpendingRow, SpendingTable } from './spending-table.tsx'
import { type UsageQuery, useUsage } from './use-usage.ts'

interface Props extends Omit<UsageQuery, 'by'> {
  /** The period in Unix seconds; `from` is null if it has no beginning. */
  span: { from: number | null; to: number }
  measure: Measure
}

/** The spending of a period by model, agent, person and group. */
export function Breakdowns(props: Props) {
  const hasGroups = useFacts().features.groups ?? false
  return (
    <>
      <ByBucket {...props} by="by_model" />
      <ByBucket {...props} by="by_agent" />
      {props.whose === 'all' && <ByPerson {...props} />}
      {props.whose === 'all' && hasGroups && <ByGroup {...props} />}
    </>
  )
}

interface BlockProps {
  title: string
  /** The heading of the first column. */
  noun: string
  rows: SpendingRow[] | undefined
  measure: Measure
}

function Block({ title, noun, rows, measure }: BlockProps) {
  if (!rows || rows.length === 0) return null
  return (
    <Section title={title}>
      <SpendingTable label={title} noun={noun} rows={rows} measure={measure} />
    </Section>
  )
}

const WORDS = {
  by_model: { title: 'usage.by_model', noun: 'usage.model' },
  by_agent: { title: 'usage.by_agent', noun: 'usage.agent' },
} as const

function ByBucket({ measure, by, ...query }: Props & { by: keyof typeof WORDS }) {
  const rows = useUsage({ ...query, by }).data?.buckets.map((bucket) => ({
    ...bucket,
    label: bucket.label ?? bucket.key,
    note: listMeasures(bucket)
      .map(({ label, value }) => `${label}: ${value}`)
      .join(' · '),
  }))
  return <Block title={t(WORDS[by].title)} noun={t(WORDS[by].noun)} rows={rows} measure={measure} />
}

/** The accounts that used most in a period. */
function ByPerson({ measure, window }: Props) {
  const init = { params: { query: { window, granularity: 'total', limit: 100 } } } as const
  const { data } = api.useQuery('get', '/admin/usage', init)
  const rows = data?.accounts.map((account) => ({
    ...account,
    key: account.user_id,
    label: account.username,
  }))
  return <Block title={t('usage.by_person')} noun={t('usage.person')} rows={rows} measure={measure} />
}

/** The groups whose members used most; a member of two counts in both. */
function ByGroup({ measure, span: { from, to } }: Props) {
  const query = {
    by: 'group',
    format: 'json',
    ...(from !== null && { from: String(from) }),
    to: String(to),
  } as const
  const { data } = api.useQuery('get', '/usage/export', { params: { query } })
  // The accounts in no group are a row of their own, without a key.
  const rows = data?.map(({ key, name, calls, cost, currency, ...sums }) => ({
    ...sums,
    key,
    label: key === '' ? t('usage.no_group') : groupNameOf({ id: key, name: name ?? key }),
    model_calls: calls,
    cost: cost === null ? null : { amount: cost, currency },
    unpriced_tokens: 0,
  }))
  const isGrouped = rows?.some(({ key }) => key !== '')
  return (
    <Block
      title={t('usage.by_group')}
      noun={t('usage.group')}
      rows={isGrouped ? rows : undefined}
      measure={measure}
    />
  )
}
