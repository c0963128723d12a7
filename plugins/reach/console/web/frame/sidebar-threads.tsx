import { Button, Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { waitingThreads } from '../chat/thread-events.ts'
import { type ThreadRow, titleOf, useThreads } from '../chat/thread-list.ts'
import type { ListedAgent } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { Pin } from '../ui/icons.ts'
import classes from './sidebar-agents.module.css'

interface Props {
  agent: ListedAgent
  /** Text that the titles contain, in lower case. */
  search: string
  onLeave: (() => void) | undefined
}

/** The threads with an agent. */
export function ThreadList({ agent, search, onLeave }: Props) {
  const { rows, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useThreads(agent.id)
  const shown = rows
    ?.toSorted(byPlace)
    .filter(({ title }) => search === '' || title?.toLowerCase().includes(search))
  if (isPending) return <Skeleton height={16} my={6} ml={28} mr={10} w="auto" />
  if (rows?.length === 0 && search === '') return <p className={classes.empty}>{t('chat.no_threads')}</p>
  return (
    <ul className={classes.threads}>
      {shown?.map((thread) => (
        <li key={thread.thread_id}>
          <ThreadEntry agent={agent} thread={thread} onLeave={onLeave} />
        </li>
      ))}
      {hasNextPage && (
        <li>
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {t('common.more')}
          </Button>
        </li>
      )}
    </ul>
  )
}

/** Pinned threads first, then by the last activity, as the server lists them. */
const byPlace = (a: ThreadRow, b: ThreadRow) =>
  Number(b.pinned) - Number(a.pinned) || b.last_active - a.last_active

function ThreadEntry({ agent, thread, onLeave }: Omit<Props, 'search'> & { thread: ThreadRow }) {
  const { thread_id, pinned, turn_active, unread } = thread
  const isWaiting = useSyncExternalStore(waitingThreads.listen, () =>
    waitingThreads.read().some((waiting) => waiting.thread_id === thread_id),
  )
  const state = isWaiting ? 'waiting' : turn_active ? 'running' : 'unread'
  const mark =
    state !== 'unread' ? t(`chat.${state}`) : unread > 0 ? t('chat.unread', { count: unread }) : undefined
  return (
    <Link
      to="/chat/$agent/$thread"
      params={{ agent: agent.id, thread: thread_id }}
      className={classes.thread}
      activeProps={{ 'data-active': true, 'aria-current': 'page' }}
      data-unread={unread > 0}
      onClick={onLeave}
    >
      <span className={classes.name}>{titleOf(thread)}</span>
      {pinned && <Pin size={12} aria-label={t('chat.pinned')} className={classes.pin} />}
      {mark && <span className={classes.mark} role="img" aria-label={mark} title={mark} data-mark={state} />}
    </Link>
  )
}
