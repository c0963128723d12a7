import { memo, use } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { SourcesContext } from '../messages/sources.ts'
import { CodeBlock } from './code-block.tsx'
import { ForeignPicture } from './foreign-picture.tsx'
import classes from './markdown.module.css'
import { MarkdownLink } from './markdown-link.tsx'
import { isSourceMark, markSources, SourceMark } from './source-mark.tsx'
import { useFormulas } from './use-formulas.ts'

const components: Components = {
  a: ({ href, children }) =>
    isSourceMark(href) ? <SourceMark href={href} /> : <MarkdownLink href={href}>{children}</MarkdownLink>,
  img: ({ src, alt }) => <ForeignPicture src={src} alt={alt} />,
  pre: ({ node }) => {
    const code = node?.children[0]
    if (code?.type !== 'element') return null
    const text = code.children.map((child) => ('value' in child ? child.value : '')).join('')
    const [, language = ''] = /language-(\S+)/.exec(String(code.properties.className ?? '')) ?? []
    return <CodeBlock code={text.replace(/\n$/, '')} language={language} />
  },
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys.
    <div className={classes.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
}

interface Props {
  text: string
}

/** A block of Markdown. HTML in it is shown as text. */
const MarkdownBlock = memo(function MarkdownBlock({ text }: Props) {
  const formulas = useFormulas(text)
  const sources = use(SourcesContext)
  const isCode = /^ {0,3}(```|~~~)/.test(text)
  const remarkPlugins: Options['remarkPlugins'] = [remarkGfm, ...(formulas ? [formulas.remarkMath] : [])]
  const rehypePlugins: Options['rehypePlugins'] = formulas ? [formulas.rehypeKatex] : []
  return (
    <ReactMarkdown remarkPlugins={remarkPlugins} rehypePlugins={rehypePlugins} components={components}>
      {isCode ? text : markSources(text, sources)}
    </ReactMarkdown>
  )
})

export default MarkdownBlock
