import type { Nodes, Root } from 'hast'
import { memo, use, useMemo } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkCjkStrikethrough from 'remark-cjk-friendly-gfm-strikethrough/parseOnly'
import remarkGfm from 'remark-gfm'
import { SourcesContext } from '../messages/sources.ts'
import { remarkAddressEnds } from './address-ends.ts'
import { CodeBlock } from './code-block.tsx'
import { ForeignPicture } from './foreign-picture.tsx'
import classes from './markdown.module.css'
import { MarkdownLink } from './markdown-link.tsx'
import { prepare } from './prepare.ts'
import { isSourceMark, SourceMark } from './source-mark.tsx'
import { splitSpans } from './spans.ts'
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
  table: ({ children, dir }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys.
    <div className={classes.table} dir={dir} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
}

// A single tilde means "about" or "to".
const TILDES = { singleTilde: false }
const remarkPlugins: Options['remarkPlugins'] = [
  [remarkGfm, TILDES],
  remarkCjk,
  [remarkCjkStrikethrough, TILDES],
  remarkAddressEnds,
]

interface Props {
  text: string
}

/** A block of Markdown. HTML in it is shown as text. */
const MarkdownBlock = memo(function MarkdownBlock({ text }: Props) {
  const spans = useMemo(() => splitSpans(text), [text])
  const formulas = useFormulas(spans.some(({ tex }) => tex !== undefined))
  const sources = use(SourcesContext)
  return (
    <ReactMarkdown
      remarkPlugins={[...remarkPlugins, ...(formulas?.remarkPlugins ?? [])]}
      rehypePlugins={[rehypeDirections, ...(formulas?.rehypePlugins ?? [])]}
      components={components}
    >
      {prepare(spans, sources, formulas !== undefined)}
    </ReactMarkdown>
  )
})

export default MarkdownBlock

/** Elements whose text runs in the direction of its first letter, which the browser looks up. */
const TEXTS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'th', 'td'])
/** Elements around them, whose first letter a browser does not see. */
const AROUND = new Set(['ul', 'ol', 'blockquote', 'table'])
const LETTER = /\p{L}/u
const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u

/** A plugin of rehype: Hebrew and Arabic run from right to left, each block by itself. */
const rehypeDirections = () => (tree: Root) => {
  direct(tree)
}

/** Sets the directions in a node; returns the first letter in it. */
function direct(node: Nodes): string | undefined {
  if (node.type === 'text') return LETTER.exec(node.value)?.[0]
  if (!('children' in node)) return undefined
  let letter: string | undefined
  for (const child of node.children) {
    const first = direct(child)
    letter ??= first
  }
  if (node.type === 'element' && TEXTS.has(node.tagName)) node.properties.dir = 'auto'
  if (node.type === 'element' && AROUND.has(node.tagName))
    node.properties.dir = letter && RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr'
  return letter
}
