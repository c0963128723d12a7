import { parentPort, workerData } from 'node:worker_threads'
import { convert, type DomNode, type FormatCallback, type HtmlToTextOptions } from 'html-to-text'

/** The text of a page, and its title where it has one. */
export interface ReadableHtml {
  title: string | undefined
  text: string
}

/** How deep elements are followed; real pages stay below a hundred. */
const MAX_DEPTH = 256
const MAX_TITLE = 300

interface Cell {
  text: string
}

/** A row in one line where every cell is one; else, as in tables that are there for the layout, cell below cell. */
function printRow(row: readonly Cell[]): string {
  const texts = row.map(({ text }) => text.trim())
  return texts.some((text) => text.includes('\n'))
    ? texts.filter(Boolean).join('\n')
    : texts
        .join(' | ')
        .replace(/^[\s|]+$/, '')
        .trimEnd()
}

/** A table row by row. Columns are not aligned: spans that a page declares could ask for any amount of memory. */
const formatTable: FormatCallback = (table, walk, builder) => {
  const walkRows = (parent: DomNode) => {
    for (const node of parent.children ?? []) {
      if (['thead', 'tbody', 'tfoot'].includes(node.name ?? '')) walkRows(node)
      if (node.name === 'caption') walkCells([node])
      if (node.name === 'tr') walkCells(node.children.filter(({ name }) => name === 'td' || name === 'th'))
    }
  }
  const walkCells = (cells: DomNode[]) => {
    builder.openTableRow()
    for (const cell of cells) {
      builder.openTableCell()
      walk(cell.children, builder)
      builder.closeTableCell()
    }
    builder.closeTableRow()
  }
  builder.openTable()
  walkRows(table)
  builder.closeTable({ tableToString: (rows) => rows.map(printRow).filter(Boolean).join('\n') })
}

const formatImage: FormatCallback = (image, _, builder) => {
  const alt = image.attribs?.alt?.trim()
  if (alt) builder.addInline(`[image: ${alt}]`, { noWordTransform: true })
}

/** The absolute address that a link leads to; an empty one for what leads to no page. */
function absolute(href: string, base: string): string {
  if (!URL.canParse(href, base)) return ''
  const url = new URL(href, base)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : ''
}

/** A link with its absolute address; links within the page, and to what is no page, are just their text. */
const formatLink =
  (base: string): FormatCallback =>
  (link, walk, builder, formatOptions) => {
    const { href } = link.attribs
    if (href && !href.startsWith('#')) link.attribs.href = absolute(href, base)
    builder.options.formatters.anchor!(link, walk, builder, formatOptions)
  }

const optionsFor = (base: string): HtmlToTextOptions => ({
  wordwrap: false,
  limits: { maxDepth: MAX_DEPTH, ellipsis: '…' },
  formatters: { readableLink: formatLink(base), readableTable: formatTable, readableImage: formatImage },
  selectors: [
    { selector: 'a', format: 'readableLink', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'readableImage' },
    { selector: 'table', format: 'readableTable' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ...['nav', 'template', 'svg', 'iframe', 'object', 'canvas', 'head', 'title', '[hidden]'].map(
      (selector) => ({
        selector,
        format: 'skip',
      }),
    ),
  ],
})

/** What a page is about, in the order in which it is looked for: the selector, and a sign that it is worth looking. */
const MAIN_PARTS: [selector: string, sign: RegExp][] = [
  ['main', /<main[\s>]/i],
  ['[role=main]', /\brole\s?=\s?["']?main\b/i],
  ['article', /<article[\s>]/i],
]

function readHtml(html: string, url: string): ReadableHtml {
  const href = /<base\s[^>]{0,500}?href\s?=\s?["']?([^"'\s>]{1,2000})/i.exec(html)?.[1] ?? ''
  const options = optionsFor(absolute(href, url) || url)
  const textOf = (part: string, selector?: string): string =>
    convert(part, {
      ...options,
      baseElements: { selectors: [selector ?? 'body'], returnDomByDefault: !selector },
    })
  const mainText = () => {
    for (const [selector, sign] of MAIN_PARTS) {
      const text = sign.test(html) && textOf(html, selector)
      if (text) return text
    }
  }
  const title = /<title[^>]{0,200}>([^<]{0,2000})/i.exec(html)?.[1] ?? ''
  return {
    title: textOf(title).replace(/\s+/g, ' ').slice(0, MAX_TITLE) || undefined,
    text: mainText() ?? textOf(html),
  }
}

parentPort!.postMessage(readHtml(workerData.html, workerData.url))
