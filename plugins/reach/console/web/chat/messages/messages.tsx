import { Button, Skeleton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useRef } from 'react'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import { ArrowDown } from '../../ui/icons.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import { useMarkRead, useThread } from '../store/threads.ts'
import { useThreadRow } from '../thread-list.ts'
import type { ListedAgent } from '../use-agent.ts'
import classes from './messages.module.css'
import { usePrinting } from './printing.ts'
import { TurnView } from './turn-view.tsx'
import { useJump } from './use-jump.ts'
import { useStickToEnd } from './use-stick-to-end.ts'
import { Waiting } from './waiting.tsx'

interface Props {
  agent: ListedAgent
  store: ThreadStore
}

/** The height of a turn that was not measured yet. */
const ESTIMATED_PX = 220
/** The distance from the beginning at which older messages are read. */
const NEAR_START_PX = 1200

/** The messages of a thread, of which those in view are rendered. */
export function Messages({ agent, store }: Props) {
  const turns = useThread(store, (view) => view.turns)
  const status = useThread(store, (view) => view.status)
  const error = useThread(store, (view) => view.error)
  const older = useThread(store, (view) => view.older)
  const active = useThread(store, (view) => view.active)
  const row = useThreadRow(agent.id, store.thread_id)
  useMarkRead(store, active, (row?.unread ?? 0) > 0)

  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => turns[index]!.id,
    estimateSize: () => ESTIMATED_PX,
    overscan: 3,
    anchorTo: 'end',
    paddingStart: 16,
    paddingEnd: 8,
  })

  useMessageKeys(scroller, virtual)
  const isPrinting = usePrinting()
  const isAtEnd = useStickToEnd(scroller, store)
  const failedJump = useJump({ store, scroller, virtual, leaveEnd: isAtEnd.leave })
  const handleScroll = () => {
    if (older !== null && scroller.current!.scrollTop < NEAR_START_PX) store.loadOlder().catch(() => {})
  }
  // A first page that does not fill the view has nothing to scroll.
  useEffect(() => {
    const element = scroller.current!
    if (older !== null && element.scrollHeight <= element.clientHeight) store.loadOlder().catch(() => {})
  }, [older, store])

  return (
    <div className={classes.area}>
      {failedJump && (
        <p className={classes.missing} role="status">
          {failedJump.text}{' '}
          {failedJump.retry && (
            <Button size="compact-xs" variant="subtle" onClick={failedJump.retry}>
              {t('common.again')}
            </Button>
          )}
        </p>
      )}
      <div className={classes.scroller} ref={scroller} onScroll={handleScroll} tabIndex={-1}>
        <div className={classes.column}>
          {error !== undefined && <Failure error={error} onRetry={store.retry} />}
          {status === 'loading' && error === undefined && <Loading />}
          {status === 'rebuilding' && <p className={classes.note}>{t('chat.rebuilding')}</p>}
          {isPrinting && older !== null && <p className={classes.note}>{t('answers.print_older')}</p>}
          <section
            aria-label={t('chat.messages')}
            className={classes.list}
            style={{ height: virtual.getTotalSize() }}
          >
            {(isPrinting ? turns.map(toPrintedItem) : virtual.getVirtualItems()).map(
              ({ key, index, start }) => (
                <div
                  key={key}
                  data-index={index}
                  tabIndex={-1}
                  ref={isPrinting ? undefined : virtual.measureElement}
                  className={classes.row}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <TurnView
                    turn={turns[index]!}
                    store={store}
                    isActive={turns[index]!.id === active}
                    isLast={index === turns.length - 1}
                  />
                </div>
              ),
            )}
          </section>
          <Waiting store={store} />
        </div>
      </div>
      {!isAtEnd.value && (
        <Button
          className={classes.new}
          size="xs"
          radius="xl"
          variant="default"
          leftSection={<ArrowDown size={14} aria-hidden />}
          onClick={isAtEnd.restore}
        >
          {t(active ? 'chat.new' : 'chat.to_end')}
        </Button>
      )}
    </div>
  )
}

/** The place of a turn on paper, where the turns follow each other. */
const toPrintedItem = ({ id }: { id: string }, index: number) => ({ key: id, index, start: 0 })

function Loading() {
  return (
    <div className={classes.loading} role="status" aria-label={t('common.loading')}>
      <Skeleton height={40} width="50%" ml="auto" radius={12} />
      <Skeleton height={16} width="90%" />
      <Skeleton height={16} width="80%" />
      <Skeleton height={16} width="60%" />
    </div>
  )
}

/** The display frames within which a message that was scrolled to is rendered. */
const MAX_FRAMES = 20

/** Moves the focus between the turns of a thread by `J` and `K`, also to those that are not rendered. */
function useMessageKeys(
  scroller: RefObject<HTMLDivElement | null>,
  virtual: Virtualizer<HTMLDivElement, Element>,
) {
  const find = (index: number) => scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  const focus = (index: number, frames = MAX_FRAMES) => {
    const row = find(index)
    if (row) row.focus({ preventScroll: true })
    else if (frames > 0) requestAnimationFrame(() => focus(index, frames - 1))
  }
  const move = (step: number) => {
    const { count } = virtual.options
    if (count === 0) return
    const focused = document.activeElement?.closest<HTMLElement>('[data-index]')?.dataset.index
    // Without a focus one begins at the end of what is in view.
    const from =
      focused === undefined ? (virtual.range?.endIndex ?? count - 1) + (step < 0 ? 1 : 0) : Number(focused)
    const index = Math.min(Math.max(from + step, 0), count - 1)
    virtual.scrollToIndex(index, { align: 'start' })
    focus(index)
  }
  useHotkeys([
    ['J', () => move(1)],
    ['K', () => move(-1)],
  ])
}
