import { Menu, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { t } from '../../i18n/words.ts'
import { type WaitingThread, waitingThreads } from '../thread-events.ts'
import { titleOf, useThreadRow } from '../thread-list.ts'
import classes from './approval-card.module.css'

const WaitingList = lazy(() => import('./waiting-list.tsx'))

/** A slim bar that leads to another thread of the account that waits for a decision, and a list if more of them wait. */
export function WaitingBar({ thread_id }: { thread_id: string | undefined }) {
  const waiting = useSyncExternalStore(waitingThreads.listen, waitingThreads.read)
  const [first, ...others] = waiting.filter((thread) => thread.thread_id !== thread_id)
  if (!first) return null
  return (
    <div className={classes.bars}>
      <Bar key={first.thread_id} thread={first} />
      {others.length > 0 && (
        <Menu position="top-end" shadow="md">
          <Menu.Target>
            <UnstyledButton className={classes.more}>
              {t('approvals.waits_more', { count: others.length })}
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown className={classes.waiting}>
            <Suspense>
              <WaitingList threads={others} />
            </Suspense>
          </Menu.Dropdown>
        </Menu>
      )}
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
