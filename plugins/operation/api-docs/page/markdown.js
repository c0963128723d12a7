import { codeBlock, h } from './dom.js'

/** Renders the Markdown of the documents: paragraphs, headings, lists, tables, code, links and emphasis; HTML stays text. */
export function renderMarkdown(text = '') {
  const nodes = []
  const lines = text.split('\n')
  while (lines.length > 0) {
    const [line] = lines
    if (line.trim() === '') lines.shift()
    else if (line.startsWith('```')) nodes.push(takeCode(lines))
    else if (/^#{1,4} /.test(line)) nodes.push(renderHeading(lines.shift()))
    else if (/^[-*] /.test(line)) nodes.push(h('ul', {}, takeWhile(lines, /^[-*] /).map(renderItem)))
    else if (/^\d+\. /.test(line)) nodes.push(h('ol', {}, takeWhile(lines, /^\d+\. /).map(renderItem)))
    else if (line.startsWith('|')) nodes.push(renderTable(takeWhile(lines, /^\|/)))
    else nodes.push(h('p', {}, renderInline(takeWhile(lines, /^(?!\s*$|[-*] |#{1,4} |```|\|)/).join(' '))))
  }
  return nodes
}

function takeWhile(lines, pattern) {
  const taken = []
  while (lines.length > 0 && (taken.length === 0 || pattern.test(lines[0]))) taken.push(lines.shift())
  return taken
}

function takeCode(lines) {
  const language = lines.shift().slice(3).trim()
  const taken = []
  while (lines.length > 0 && !lines[0].startsWith('```')) taken.push(lines.shift())
  lines.shift()
  return codeBlock(taken.join('\n'), { language })
}

function renderHeading(line) {
  const [, marks, text] = line.match(/^(#+) (.*)/)
  return h(`h${Math.min(6, Math.max(2, marks.length))}`, {}, renderInline(text))
}

const renderItem = (line) => h('li', {}, renderInline(line.replace(/^([-*]|\d+\.) /, '')))

function renderTable(lines) {
  const rows = lines.map((line) =>
    line
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim()),
  )
  const [head, , ...body] = rows
  const cells = (row, name) =>
    h(
      'tr',
      {},
      row.map((cell) => h(name, {}, renderInline(cell))),
    )
  return h(
    'div',
    { class: 'table' },
    h(
      'table',
      {},
      h('thead', {}, cells(head, 'th')),
      h(
        'tbody',
        {},
        body.map((row) => cells(row, 'td')),
      ),
    ),
  )
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)\s]+)\)/g

/** Renders code, emphasis and links within a line; links lead to this page or to the web. */
export function renderInline(text) {
  const nodes = []
  let end = 0
  for (const { 0: all, 1: code, 2: strong, 3: emphasis, 4: label, 5: target, index } of text.matchAll(
    INLINE,
  )) {
    nodes.push(text.slice(end, index))
    if (code) nodes.push(h('code', {}, code))
    else if (strong) nodes.push(h('strong', {}, strong))
    else if (emphasis) nodes.push(h('em', {}, emphasis))
    else if (/^(https?:|#|\/)/.test(target)) nodes.push(h('a', { href: target, rel: 'noreferrer' }, label))
    else nodes.push(label)
    end = index + all.length
  }
  return [...nodes, text.slice(end)]
}
