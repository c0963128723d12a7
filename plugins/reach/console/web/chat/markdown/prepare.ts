import type { Source } from '../store/thread-view.ts'
import { markSources } from './source-mark.tsx'
import type { Span } from './spans.ts'

/**
 * Writes spans as the Markdown that is parsed: numbers of sources as links, addresses with their ends, and, if formulas
 * are rendered, all of them between two dollars, which then mean nothing else.
 */
export function prepare(spans: readonly Span[], sources: readonly Source[], hasFormulas: boolean): string {
  let written = ''
  for (const { type, text, tex = '' } of spans) {
    if (type === 'prose') {
      const marked = markSources(text, sources)
      written += hasFormulas ? escapeDollars(marked) : marked
    } else if (type === 'address') {
      written += text.startsWith('www.') ? `[${text}](http://${text})` : `<${text}>`
    } else if (type === 'unlinked') written += text.replace(/[:.]/, '\\$&')
    else if (type === 'verbatim' || !hasFormulas) written += text
    else {
      const line = written.slice(written.lastIndexOf('\n') + 1)
      written += type === 'display' ? writeDisplay(tex, line) : writeInline(tex, line)
    }
  }
  return written
}

/** Pairs of dollars that are no delimiters, as in "restaurants: $$ or $$$". */
const escapeDollars = (text: string) =>
  text.replace(/\\[\s\S]|\$\$+/g, (all) => (all.startsWith('\\') ? all : all.replaceAll('$', '\\$')))

function writeInline(tex: string, line: string): string {
  const joined = tex.replace(/\n[ \t>]*/g, ' ').trim()
  // A stroke would end the cell of a table.
  const isCell = line.trimStart().startsWith('|')
  const safe = isCell ? joined.replaceAll('\\|', '\\Vert ').replaceAll('|', '\\vert ') : joined
  return `$$${safe}$$`
}

/** Writes a formula on lines of its own, each with the marks of the quotes and lists around it. */
function writeDisplay(tex: string, line: string): string {
  const indent = line.replace(/[^\s>]/g, ' ')
  const lines = tex.split('\n').map((part) => part.replace(/^[ \t>]*/, '').trimEnd())
  return ['$$', ...lines.filter((part) => part !== ''), '$$'].join(`\n${indent}`)
}
