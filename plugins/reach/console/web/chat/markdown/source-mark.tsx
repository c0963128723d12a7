import { use } from 'react'
import { openPlace } from '../files/open-file.ts'
import { findSource, placeOf, SourcesContext } from '../messages/sources.ts'
import type { Source } from '../store/thread-view.ts'
import { MarkdownLink } from './markdown-link.tsx'
import classes from './source-mark.module.css'

const PREFIX = '#source-'

/** A number in brackets that is not part of a link. */
const MARK = /(?<!\\|\])\[(\d{1,3})\](?![([:])/g

/** Writes the numbers of known sources in prose as links that `SourceMark` shows. */
export const markSources = (text: string, sources: readonly Source[]): string =>
  sources.length === 0
    ? text
    : text.replace(MARK, (all, number) =>
        findSource(sources, Number(number)) ? `[${number}](${PREFIX}${number})` : all,
      )

/** True for the address of a mark that `markSources` has written. */
export const isSourceMark = (href: string | undefined): href is string => href?.startsWith(PREFIX) ?? false

/** The number of a source. It says the passage or the title on hover, and opens the document or the address. */
export function SourceMark({ href }: { href: string }) {
  const number = Number(href.slice(PREFIX.length))
  const source = findSource(use(SourcesContext), number)
  const documentPlace = source && placeOf(source)
  return (
    <sup className={classes.mark} title={source?.text ?? source?.title}>
      {documentPlace ? (
        <button type="button" aria-label={source.title} onClick={() => openPlace(documentPlace)}>
          {number}
        </button>
      ) : (
        <MarkdownLink href={source?.url ?? source?.uri} label={source?.title}>
          {number}
        </MarkdownLink>
      )}
    </sup>
  )
}
