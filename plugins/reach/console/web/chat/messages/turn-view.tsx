import { memo } from 'react'
import { MessageFiles } from '../files/message-files.tsx'
import { readFiles, readText, type ThreadStore } from '../store/thread-store.ts'
import type { Message, Turn } from '../store/thread-view.ts'
import { Reply } from './reply.tsx'
import classes from './user-message.module.css'

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

interface UserMessageProps {
  message: Message
  store: ThreadStore
}

/** A message of the user with its files. */
const UserMessage = memo(function UserMessage({ message, store }: UserMessageProps) {
  const text = readText(message.content)
  return (
    <div className={classes.line}>
      <MessageFiles agent_id={store.agent_id} files={readFiles(message.content)} size="small" align="end" />
      {text && <div className={classes.bubble}>{text}</div>}
    </div>
  )
})
