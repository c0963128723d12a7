import { memo } from 'react'
import { readText, type ThreadStore } from '../store/thread-store.ts'
import type { Message } from '../store/thread-view.ts'
import classes from './user-message.module.css'

/** A message of the user. */
export const UserMessage = memo(function UserMessage({ message }: { message: Message; store: ThreadStore }) {
  const text = readText(message.content)
  return <div className={classes.line}>{text && <div className={classes.bubble}>{text}</div>}</div>
})
