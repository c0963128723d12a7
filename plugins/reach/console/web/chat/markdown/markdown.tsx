import { CatchBoundary } from '@tanstack/react-router'
import { lazy, memo, Suspense } from 'react'
import { splitBlocks } from './blocks.ts'
import { isBounded } from './bounds.ts'
import classes from './markdown.module.css'
import { followHeadings } from './outline.ts'
import { usePaced } from './use-paced.ts'

const MarkdownBlock = lazy(() => import('./markdown-block.tsx'))

/** The most blocks of a text that are parsed each by itself. */
const MAX_BLOCKS = 500

/** A text of a model as Markdown. Blocks that are finished are not parsed again while more is written. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = mergeBlocks(splitBlocks(text))
  let next = ''
  const outlines = blocks.map((block) => {
    const outline = next
    next = followHeadings(outline, block)
    return outline
  })
  return (
    <div className={classes.markdown}>
      {blocks.map((block, index) => (
        <Block key={index} text={block} outline={outlines[index]!} />
      ))}
    </div>
  )
})

/** Joins blocks that follow each other if there are too many to parse each by itself. */
function mergeBlocks(blocks: readonly string[]): readonly string[] {
  if (blocks.length <= MAX_BLOCKS) return blocks
  const size = Math.ceil(blocks.length / MAX_BLOCKS)
  return Array.from({ length: Math.ceil(blocks.length / size) }, (_, index) =>
    blocks.slice(index * size, (index + 1) * size).join('\n\n'),
  )
}

/** A block of Markdown; one that cannot be rendered is plain text, and the rest of the page stays. */
const Block = memo(function Block({ text: newest, outline }: { text: string; outline: string }) {
  const text = usePaced(newest)
  const plain = (
    <p className={classes.plain} dir="auto">
      {text}
    </p>
  )
  if (!isBounded(text)) return plain
  return (
    <CatchBoundary getResetKey={() => text} errorComponent={() => plain}>
      <Suspense fallback={plain}>
        <MarkdownBlock text={text} outline={outline} />
      </Suspense>
    </CatchBoundary>
  )
})
