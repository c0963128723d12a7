import { memo, use, useId, useMemo } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkCjkStrikethrough from 'remark-cjk-friendly-gfm-strikethrough/parseOnly'
import { SourcesContext } from '../messages/sources.ts'
import { remarkAddressEnds } from './address-ends.ts'
import { AnswerPicture } from './answer-picture.tsx'
import { rehypeClosedCode } from './closed-code.ts'
import { CodeBlock } from './code-block.tsx'
import { Diagram } from './diagram.tsx'
import { rehypeDirections } from './directions.ts'
import { FileLink, readFileLink } from './file-link.tsx'
import { FootnoteLink, footnoteOptions, isFootnoteLink, rehypeFootnotes } from './footnotes.tsx'
import { remarkGfm } from './gfm.ts'
import { remarkLineBreaks } from './line-breaks.ts'
import { MarkdownLink } from './markdown-link.tsx'
import { rehypeOutline } from './outline.ts'
import { prepare } from './prepare.ts'
import { isSourceMark, SourceMark } from './source-mark.tsx'
import { splitSpans } from './spans.ts'
import { Table } from './table.tsx'
import { rehypeTasks } from './tasks.ts'
import { useFormulas } from './use-formulas.ts'

const components: Components = {
  a({ node, href, children }) {
    if (isFootnoteLink(node)) return <FootnoteLink link={node}>{children}</FootnoteLink>
    if (isSourceMark(href)) return <SourceMark href={href} />
    const file = readFileLink(href)
    return file ? (
      <FileLink {...file}>{children}</FileLink>
    ) : (
      <MarkdownLink href={href}>{children}</MarkdownLink>
    )
  },
  img: ({ src, alt }) => <AnswerPicture src={src} alt={alt} />,
  pre: ({ node }) => {
    const code = node?.children[0]
    if (code?.type !== 'element') return null
    const text = code.children.map((child) => ('value' in child ? child.value : '')).join('')
    const [, language = ''] = /language-(\S+)/.exec(String(code.properties.className ?? '')) ?? []
    const whole = text.replace(/\n$/, '')
    return language === 'mermaid' && node?.properties.dataClosed ? (
      <Diagram code={whole} />
    ) : (
      <CodeBlock code={whole} language={language} />
    )
  },
  table: ({ node, children, dir }) => (
    <Table node={node} dir={dir}>
      {children}
    </Table>
  ),
}

const remarkPlugins: Options['remarkPlugins'] = [
  remarkGfm,
  remarkCjk,
  [remarkCjkStrikethrough, { singleTilde: false }],
  remarkAddressEnds,
  remarkLineBreaks,
]

interface Props {
  text: string
  /** The headings around the block, as `followHeadings` writes them. */
  outline: string
}

/** A block of Markdown. HTML in it is shown as text. */
const MarkdownBlock = memo(function MarkdownBlock({ text, outline }: Props) {
  const id = useId()
  const spans = useMemo(() => splitSpans(text), [text])
  const formulas = useFormulas(spans.some(({ tex }) => tex !== undefined))
  const sources = use(SourcesContext)
  return (
    <ReactMarkdown
      remarkPlugins={[...remarkPlugins, ...(formulas?.remarkPlugins ?? [])]}
      remarkRehypeOptions={footnoteOptions(id)}
      rehypePlugins={[
        rehypeClosedCode,
        rehypeFootnotes,
        [rehypeOutline, outline],
        rehypeTasks,
        rehypeDirections,
        ...(formulas?.rehypePlugins ?? []),
      ]}
      components={components}
    >
      {prepare(spans, sources, formulas !== undefined)}
    </ReactMarkdown>
  )
})

export default MarkdownBlock
