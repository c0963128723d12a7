import { lazy, Suspense, use, useState } from 'react'
import { findSource, SourcesContext } from '../messages/sources.ts'
import type { Source } from '../store/thread-view.ts'
import { SourceLink } from './source-link.tsx'
import classes from './source-mark.module.css'
import { splitSpans } from './spans.ts'

const SourceCard = lazy(() => import('./source-card.tsx'))

const PREFIX = '#source-'

/** Numbers in brackets that are not part of a link, such as [1], [1, 2] or [1][2]. */
const MARKS = /(?<!\\|\])(?:\[\d{1,3}(?:[,，、] ?\d{1,3})*\])+(?![([:])/g

const listNumbers = (marks: string) => (marks.match(/\d+/g) ?? []).map(Number)

/** Writes the numbers of known sources in prose as links that `SourceMark` shows. */
export const markSources = (text: string, sources: readonly Source[]): string =>
  sources.length === 0
    ? text
    : text.replace(MARKS, (marks) => {
        const numbers = listNumbers(marks)
        return numbers.every((number) => findSource(sources, number))
          ? numbers.map((number) => `[${number}](${PREFIX}${number})`).join('')
          : marks
      })

/** Lists the sources that a text cites, each once, in the order of the text. */
export function listCited(text: string, sources: readonly Source[]): Source[] {
  const prose = splitSpans(text).filter(({ type }) => type === 'prose')
  const numbers = prose.flatMap(({ text }) => (text.match(MARKS) ?? []).flatMap(listNumbers))
  return [...new Set(numbers.flatMap((number) => findSource(sources, number) ?? []))]
}

/** True for the address of a mark that `markSources` has written. */
export const isSourceMark = (href: string | undefined): href is string => href?.startsWith(PREFIX) ?? false

/** The number of a source, which opens it. A card shows the passage on hover and focus. */
export function SourceMark({ href }: { href: string }) {
  const number = Number(href.slice(PREFIX.length))
  const source = findSource(use(SourcesContext), number)
  const [isOver, setOver] = useState(false)
  if (!source) return <sup className={classes.mark}>{number}</sup>
  return (
    <sup
      className={classes.mark}
      onPointerEnter={({ pointerType }) => setOver(pointerType === 'mouse')}
      onPointerLeave={() => setOver(false)}
      onFocus={({ target }) => setOver(target.matches(':focus-visible'))}
      onBlur={() => setOver(false)}
      onKeyDown={({ key }) => key === 'Escape' && setOver(false)}
    >
      <SourceLink source={source} label={source.title}>
        {number}
      </SourceLink>
      {isOver && (
        <Suspense>
          <SourceCard source={source} />
        </Suspense>
      )}
    </sup>
  )
}
