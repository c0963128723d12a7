import { parentPort, workerData } from 'node:worker_threads'
import { convert, type DomNode, type FormatCallback, type HtmlToTextOptions } from 'html-to-text'

/** The text of a page, and its title if it has one. */
export type ReadableHtml = ReturnType<typeof readHtml>

/** The depth to which elements are read; real pages stay below a hundred. */
const MAX_DEPTH = 256
const MAX_TITLE_CHARS = 300

interface Cell {
  text: string
}

/** Prints a row on one line if every cell fits on one; otherwise, as in layout tables, one cell below the other. */
function printRow(row: readonly Cell[]): string {
  const texts = row.map(({ text }) => text.trim())
  return texts.some((text) => text.includes('\n'))
    ? texts.filter(Boolean).join('\n')
    : texts
        .join(' | ')
        .replace(/^[\s|]+$/, '')
        .trimEnd()
}

/** Formats a table row by row. Columns are not aligned: the spans of a hostile page could need any amount of memory. */
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

/** Returns the absolute address of a link; empty if the link does not lead to a page. */
function toAbsolute(href: string, base: string): string {
  if (!URL.canParse(href, base)) return ''
  const url = new URL(href, base)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : ''
}

/** Formats a link with its absolute address; a link within the page, or not to a page, becomes just its text. */
const formatLink =
  (base: string): FormatCallback =>
  (link, walk, builder, formatOptions) => {
    const { href } = link.attribs
    if (href && !href.startsWith('#')) link.attribs.href = toAbsolute(href, base)
    builder.options.formatters.anchor!(link, walk, builder, formatOptions)
  }

const createOptions = (base: string): HtmlToTextOptions => ({
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

/** The elements with the main content, the first that matches wins: the selector, and a cheap test of the source. */
const MAIN_PARTS: [selector: string, sign: RegExp][] = [
  ['main', /<main[\s>]/i],
  ['[role=main]', /\brole\s?=\s?["']?main\b/i],
  ['article', /<article[\s>]/i],
]

function readHtml(html: string, url: string) {
  const href = /<base\s[^>]{0,500}?href\s?=\s?["']?([^"'\s>]{1,2000})/i.exec(html)?.[1] ?? ''
  const options = createOptions(toAbsolute(href, url) || url)
  const toText = (part: string, selector?: string): string =>
    convert(part, {
      ...options,
      baseElements: { selectors: [selector ?? 'body'], returnDomByDefault: !selector },
    })
  const readMain = () => {
    for (const [selector, sign] of MAIN_PARTS) {
      const text = sign.test(html) && toText(html, selector)
      if (text) return text
    }
  }
  const title = /<title[^>]{0,200}>([^<]{0,2000})/i.exec(html)?.[1] ?? ''
  return {
    title: toText(title).replace(/\s+/g, ' ').slice(0, MAX_TITLE_CHARS) || undefined,
    text: readMain() ?? toText(html),
  }
}

parentPort!.postMessage(readHtml(workerData.html, workerData.url))
