import { use } from 'react'
import { SourcesContext } from '../messages/sources.ts'
import { MarkdownLink } from './markdown-link.tsx'
import classes from './source-mark.module.css'

const PREFIX = '#source-'

/** Code, or a number in brackets that is not part of a link. */
const MARK = /(`+)[\s\S]*?\1|(?<!\\|\])\[(\d{1,3})\](?![([:])/g

/** Writes the numbers of known sources in Markdown as links that `SourceMark` shows. */
export const markSources = (text: string, count: number): string =>
  count === 0
    ? text
    : text.replace(MARK, (all, _, number) =>
        number !== undefined && Number(number) >= 1 && Number(number) <= count
          ? `[${number}](${PREFIX}${number})`
          : all,
      )

/** True for the address of a mark that `markSources` has written. */
export const isSourceMark = (href: string | undefined): href is string => href?.startsWith(PREFIX) ?? false

/** The number of a source. It says the title on hover and opens the address. */
export function SourceMark({ href }: { href: string }) {
  const number = Number(href.slice(PREFIX.length))
  const source = use(SourcesContext)[number - 1]
  return (
    <sup className={classes.mark} title={source?.title}>
      <MarkdownLink href={source?.url} label={source?.title}>
        {number}
      </MarkdownLink>
    </sup>
  )
}
