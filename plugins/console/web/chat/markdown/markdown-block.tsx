import { memo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'

const components: Components = {}

interface Props {
  text: string
  /** True while more may be added to the block. */
  isOpen: boolean
}

/** A block of Markdown. HTML in it is shown as text. */
const MarkdownBlock = memo(function MarkdownBlock({ text }: Props) {
  return (
    <ReactMarkdown remarkPlugins={[remarkGfm]} components={components}>
      {text}
    </ReactMarkdown>
  )
})

export default MarkdownBlock
