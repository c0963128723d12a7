import { memo } from 'react'
import { MessageFiles } from '../files/message-files.tsx'
import { readFiles, readText, type ThreadStore } from '../store/thread-store.ts'
import type { Message } from '../store/thread-view.ts'
import classes from './user-message.module.css'

interface Props {
  message: Message
  store: ThreadStore
}

/** A message of the user with its files. */
export const UserMessage = memo(function UserMessage({ message, store }: Props) {
  const text = readText(message.content)
  return (
    <div className={classes.line}>
      <MessageFiles agent_id={store.agent_id} files={readFiles(message.content)} size="small" align="end" />
      {text && <div className={classes.bubble}>{text}</div>}
    </div>
  )
})
