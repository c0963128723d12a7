import { lazy, memo, Suspense } from 'react'
import { useCompaction } from '../compaction.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import type { Turn } from '../store/thread-view.ts'
import { Reply } from './reply.tsx'
import { UserMessage } from './user-message.tsx'

const CompactedLine = lazy(() => import('./compacted-line.tsx'))

interface Props {
  turn: Turn
  store: ThreadStore
  /** True while the turn runs or waits for a person. */
  isActive: boolean
  isLast: boolean
}

/** A message of the user and all that followed from it. */
export const TurnView = memo(function TurnView({ turn, store, isActive, isLast }: Props) {
  const questions = turn.messages.filter(({ role }) => role === 'user')
  const compaction = useCompaction(store.thread_id)
  return (
    <>
      {questions.map((message) => (
        <UserMessage key={message.id} message={message} store={store} />
      ))}
      <Reply turn={turn} store={store} isActive={isActive} isLast={isLast} />
      {compaction?.turn_id === turn.id && (
        <Suspense>
          <CompactedLine compaction={compaction} />
        </Suspense>
      )}
    </>
  )
})
