import { Skeleton } from '@mantine/core'
import { type RefObject, useEffect, useId, useMemo, useRef } from 'react'
import { useThreads } from '../chat/thread-list.ts'
import { useAgents } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { Failure } from '../ui/failure.tsx'
import { moveFocus } from '../ui/move-focus.ts'
import classes from './conversation-list.module.css'
import { groupThreads, type ThreadGroup } from './groups.ts'
import { ThreadRow } from './thread-row.tsx'

/** The conversations with all agents, in groups by their time; older ones are read when somebody scrolls to them. */
export function ConversationList({ onLeave }: { onLeave?: (() => void) | undefined }) {
  const { rows, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useThreads()
  const groups = useMemo(() => groupThreads(rows ?? []), [rows])
  const list = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  useReached(end, hasNextPage && !isFetchingNextPage && !error, fetchNextPage)
  if (!rows && !error)
    return (
      <div role="status" aria-label={t('common.loading')}>
        {[70, 50, 80, 60].map((width) => (
          <Skeleton key={width} height={14} my={14} mx={10} w={`${width}%`} />
        ))}
      </div>
    )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      ref={list}
      role="group"
      aria-label={t('conversations.title')}
      onKeyDown={(event) => moveFocus(event, () => [...list.current!.querySelectorAll('li')])}
    >
      {rows?.length === 0 && <p className={classes.empty}>{t('conversations.empty')}</p>}
      {groups.map((group) => (
        <Group key={group.name} group={group} onLeave={onLeave} />
      ))}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {isFetchingNextPage && <Skeleton height={14} my={14} mx={10} w="60%" />}
      <div ref={end} />
    </div>
  )
}

interface GroupProps {
  group: ThreadGroup
  onLeave: (() => void) | undefined
}

function Group({ group: { name, threads }, onLeave }: GroupProps) {
  const id = useId()
  const { rows: agents = [] } = useAgents()
  const nameAgent = (agent_id: string) =>
    agents.length > 1 ? agents.find((agent) => agent.id === agent_id)?.name : undefined
  return (
    <section aria-labelledby={id} className={classes.group}>
      <h2 id={id} className={classes.name}>
        {name}
      </h2>
      <ul className={classes.threads}>
        {threads.map((thread) => (
          <ThreadRow
            key={thread.thread_id}
            thread={thread}
            agent={nameAgent(thread.agent_id)}
            onLeave={onLeave}
          />
        ))}
      </ul>
    </section>
  )
}

/** The distance from the end of a list at which its next page is read. */
const NEAR_END_PX = 400

/** Calls a function while the end of a scrolled list is near. */
function useReached(end: RefObject<HTMLElement | null>, isOn: boolean, reach: () => unknown) {
  useEffect(() => {
    if (!isOn || !end.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && reach(), {
      root: end.current.closest('[data-scroller]'),
      rootMargin: `${NEAR_END_PX}px`,
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [end, isOn, reach])
}
