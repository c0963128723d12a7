import { Menu } from '@mantine/core'
import { formatCost } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'

/** The cost and the tokens of a conversation, at the end of its menu. */
export function ThreadCost({ thread_id }: { thread_id: string }) {
  const query = { thread_id, window: 'all', granularity: 'total' } as const
  const { totals } = api.useQuery('get', '/usage/summary', { params: { query } }).data ?? {}
  if (!totals?.total_tokens) return null
  const facts = [totals.cost && formatCost(totals.cost), t('tools.tokens', { count: totals.total_tokens })]
  return (
    <>
      <Menu.Divider />
      <Menu.Label fw={400}>{facts.filter(Boolean).join(' · ')}</Menu.Label>
    </>
  )
}
