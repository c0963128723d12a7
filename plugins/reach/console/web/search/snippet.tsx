import type { SnippetPart } from './search.ts'
import classes from './snippet.module.css'

/** A passage with the words that were searched in it. */
export function Snippet({ parts, isLine = false }: { parts: readonly SnippetPart[]; isLine?: boolean }) {
  return (
    <span className={classes.snippet} data-line={isLine}>
      {parts.map(({ text, match }, index) =>
        match ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
      )}
    </span>
  )
}
