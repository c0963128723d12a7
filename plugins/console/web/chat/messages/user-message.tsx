import { memo } from 'react'
import { FileCard } from '../files/file-card.tsx'
import { readText, type ThreadStore } from '../store/thread-store.ts'
import type { Message } from '../store/thread-view.ts'
import classes from './user-message.module.css'

interface Props {
  message: Message
  store: ThreadStore
}

/** A message of the user with its files. */
export const UserMessage = memo(function UserMessage({ message, store }: Props) {
  const text = readText(message.content)
  const files = message.content.flatMap((block) =>
    block.type === 'image' || block.type === 'file' ? [block] : [],
  )
  return (
    <div className={classes.line}>
      {files.length > 0 && (
        <div className={classes.files}>
          {files.map((file) => (
            <FileCard key={file.path} agent_id={store.agent_id} file={file} />
          ))}
        </div>
      )}
      {text && <div className={classes.bubble}>{text}</div>}
    </div>
  )
})
