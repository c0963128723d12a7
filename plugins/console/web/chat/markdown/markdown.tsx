import { lazy, memo, Suspense } from 'react'
import { splitBlocks } from './blocks.ts'
import classes from './markdown.module.css'

const MarkdownBlock = lazy(() => import('./markdown-block.tsx'))

/** A text of a model as Markdown. Blocks that are finished are not parsed again while more is written. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = splitBlocks(text)
  return (
    <div className={classes.markdown}>
      {blocks.map((block, index) => (
        <Suspense key={index} fallback={<p className={classes.plain}>{block}</p>}>
          <MarkdownBlock text={block} />
        </Suspense>
      ))}
    </div>
  )
})
