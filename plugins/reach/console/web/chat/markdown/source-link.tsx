import type { ReactNode } from 'react'
import { openPlace } from '../files/open-file.ts'
import { pageOf, placeOf } from '../messages/sources.ts'
import type { Source } from '../store/thread-view.ts'
import { MarkdownLink } from './markdown-link.tsx'

interface Props {
  source: Source
  /** The name of the source, if the text of the link does not say it. */
  label?: string
  children: ReactNode
}

/**
 * Opens a source: a document in the panel, a page in another tab at the place that was read. A tool has read or found the
 * page, so nobody is asked as about links that a model writes.
 */
export function SourceLink({ source, label, children }: Props) {
  const documentPlace = placeOf(source)
  if (documentPlace)
    return (
      <button type="button" aria-label={label} onClick={() => openPlace(documentPlace)}>
        {children}
      </button>
    )
  const page = pageOf(source)
  if (page)
    return (
      <a href={page.href} target="_blank" rel="noreferrer noopener" aria-label={label}>
        {children}
      </a>
    )
  return (
    <MarkdownLink href={source.url ?? source.uri} label={label}>
      {children}
    </MarkdownLink>
  )
}
