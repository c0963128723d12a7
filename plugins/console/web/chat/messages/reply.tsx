import { Markdown } from '../markdown/markdown.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import type { Turn } from '../store/thread-view.ts'
import { listParts } from './parts.ts'
import classes from './reply.module.css'

interface Props {
  turn: Turn
  store: ThreadStore
  isActive: boolean
  isLast: boolean
}

/** The answer of the agent and its steps in a turn. */
export function Reply({ turn, isActive }: Props) {
  const parts = listParts(turn)
  return (
    <article className={classes.reply} aria-busy={isActive}>
      {parts.map((part) =>
        part.type === 'text' ? <Markdown key={part.key} text={part.text} isStreaming={isActive} /> : null,
      )}
      {isActive && parts.length === 0 && <span className={classes.thinking} />}
    </article>
  )
}
