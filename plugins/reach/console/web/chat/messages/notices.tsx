import type { Message } from '../store/thread-view.ts'
import classes from './turn-end.module.css'

/** Lists the notices of a turn, each once. */
export function Notices({ messages }: { messages: readonly Message[] }) {
  const notices = messages.flatMap(({ notices = [] }) => notices)
  const lines = new Set(notices.map(({ message }) => message))
  return [...lines].map((line) => (
    <div key={line} className={classes.note}>
      {line}
    </div>
  ))
}
