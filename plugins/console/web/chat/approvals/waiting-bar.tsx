import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { t } from '../../i18n/words.ts'
import { api } from '../../server/client.ts'
import { titleOf } from '../thread-list.ts'
import classes from './approval-card.module.css'
import { useActiveThreads } from './use-active-threads.ts'

/** A slim bar for each other thread of the account that waits for a decision. */
export function WaitingBar({ thread_id }: { thread_id: string | undefined }) {
  const active = useActiveThreads().filter((thread) => thread.thread_id !== thread_id)
  const states = useQueries({
    queries: active.map((thread) =>
      api.queryOptions('get', '/agents/{id}/threads/{thread_id}/history', {
        params: { path: { id: thread.agent_id, thread_id: thread.thread_id }, query: { limit: 1 } },
      }),
    ),
  })
  const waiting = active.filter((_, index) => states[index]?.data?.hitl_pending)
  return waiting.map(({ agent_id, thread_id, title }) => (
    <Link
      key={thread_id}
      to="/chat/$agent/$thread"
      params={{ agent: agent_id, thread: thread_id }}
      className={classes.bar}
    >
      {t('approvals.waits', { title: titleOf({ thread_id, title }) })}
    </Link>
  ))
}
