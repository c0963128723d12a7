import { SourceLink } from '../markdown/source-link.tsx'
import type { Source } from '../store/thread-view.ts'
import classes from './search-results.module.css'
import { describeSource } from './source-groups.ts'

/** The results of a search: titles that open the pages, with their origin and a passage. */
export function SearchResults({ sources }: { sources: readonly Source[] }) {
  return (
    <ol className={classes.results}>
      {sources.map((source) => (
        <li key={source.id}>
          <span className={classes.number}>{source.number}</span>
          <div className={classes.head}>
            <SourceLink source={source}>{source.title}</SourceLink>
            <span className={classes.origin}>{describeSource(source)}</span>
          </div>
          {source.text && <p className={classes.text}>{source.text}</p>}
        </li>
      ))}
    </ol>
  )
}
