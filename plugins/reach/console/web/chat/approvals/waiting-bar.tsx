import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { t } from '../../i18n/words.ts'
import { type WaitingThread, waitingThreads } from '../thread-events.ts'
import { titleOf, useThreadRow } from '../thread-list.ts'
import classes from './approval-card.module.css'

/** A slim bar with a link to each other thread of the account that waits for a decision. */
export function WaitingBar({ thread_id }: { thread_id: string | undefined }) {
  const waiting = useSyncExternalStore(waitingThreads.listen, waitingThreads.read)
  const others = waiting.filter((thread) => thread.thread_id !== thread_id)
  if (others.length === 0) return null
  return (
    <div className={classes.bars}>
      {others.map((thread) => (
        <Bar key={thread.thread_id} thread={thread} />
      ))}
    </div>
  )
}

function Bar({ thread: { agent_id, thread_id } }: { thread: WaitingThread }) {
  const row = useThreadRow(agent_id, thread_id)
  return (
    <Link to="/chat/$agent/$thread" params={{ agent: agent_id, thread: thread_id }} className={classes.bar}>
      {t('approvals.waits', { title: titleOf({ thread_id, title: row?.title ?? null }) })}
    </Link>
  )
}
