import { memo } from 'react'
import type { ThreadStore } from '../store/thread-store.ts'
import type { Turn } from '../store/thread-view.ts'
import { Reply } from './reply.tsx'
import { UserMessage } from './user-message.tsx'

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
  return (
    <>
      {questions.map((message) => (
        <UserMessage key={message.id} message={message} store={store} />
      ))}
      <Reply turn={turn} store={store} isActive={isActive} isLast={isLast} />
    </>
  )
})
