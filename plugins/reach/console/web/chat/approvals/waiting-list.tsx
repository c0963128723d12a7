import { Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { formatAge } from '../../i18n/format.ts'
import type { WaitingThread } from '../thread-events.ts'
import { titleOf, useThreadRow } from '../thread-list.ts'
import { useAgents } from '../use-agent.ts'
import classes from './approval-card.module.css'

/** The threads that wait for a decision, as items of a menu. */
export default function WaitingList({ threads }: { threads: readonly WaitingThread[] }) {
  return threads.map((thread) => <Entry key={thread.thread_id} thread={thread} />)
}

/** A thread in the list, with what tells it from others of its name. */
function Entry({ thread: { agent_id, thread_id } }: { thread: WaitingThread }) {
  const row = useThreadRow(agent_id, thread_id)
  const agent = useAgents().rows?.find(({ id }) => id === agent_id)
  return (
    <Menu.Item
      renderRoot={(props) => (
        <Link {...props} to="/chat/$agent/$thread" params={{ agent: agent_id, thread: thread_id }} />
      )}
    >
      {titleOf({ thread_id, title: row?.title ?? null })}
      <span className={classes.about}>
        {[agent?.name, row && formatAge(row.last_active)].filter(Boolean).join(' · ')}
      </span>
    </Menu.Item>
  )
}
