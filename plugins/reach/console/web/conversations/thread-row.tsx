import { Link } from '@tanstack/react-router'
import { memo, useSyncExternalStore } from 'react'
import { waitingThreads } from '../chat/thread-events.ts'
import { type ThreadRow as Row, titleOf } from '../chat/thread-list.ts'
import { t } from '../i18n/words.ts'
import { LazyThreadMenu } from './lazy-thread-menu.tsx'
import classes from './thread-row.module.css'

interface Props {
  thread: Row
  /** The name of the agent, where conversations with several are listed. */
  agent?: string | undefined
  onLeave?: (() => void) | undefined
}

/** A conversation in a list: its title and agent, its state, and its menu. */
export const ThreadRow = memo(function ThreadRow({ thread, agent, onLeave }: Props) {
  const { thread_id, agent_id, turn_active, unread } = thread
  const isWaiting = useSyncExternalStore(waitingThreads.listen, () =>
    waitingThreads.read().some((waiting) => waiting.thread_id === thread_id),
  )
  const state = isWaiting ? 'waiting' : turn_active ? 'running' : 'unread'
  const mark =
    state !== 'unread' ? t(`chat.${state}`) : unread > 0 ? t('chat.unread', { count: unread }) : undefined
  const title = titleOf(thread)
  return (
    <li className={classes.row}>
      <Link
        to="/chat/$agent/$thread"
        params={{ agent: agent_id, thread: thread_id }}
        className={classes.link}
        activeProps={{ 'data-active': true, 'aria-current': 'page' }}
        data-unread={unread > 0}
        title={title}
        onClick={onLeave}
      >
        <span className={classes.title}>{title}</span>
        {agent !== undefined && <span className={classes.agent}>{agent}</span>}
        {mark && (
          <span className={classes.mark} role="img" aria-label={mark} title={mark} data-mark={state} />
        )}
      </Link>
      <LazyThreadMenu
        row={thread}
        title={title}
        label={t('forms.actions', { name: title })}
        className={classes.menu}
        size={24}
      />
    </li>
  )
})
