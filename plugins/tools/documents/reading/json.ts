import type { Block } from './blocks.ts'
import { readMarkdown } from './markdown.ts'
import { readCode } from './plain-text.ts'

/** The mark of a number that a program would write in another way, and so perhaps change. */
const EXACT = '\ue000'
/** The most characters of one output of a notebook. */
const MAX_OUTPUT_CHARS = 10_000

/** Yields JSON, or JSON line by line: notebooks as their cells, a list of flat objects as rows, anything else indented. */
export function* readJson(source: string): Generator<Block> {
  const value = parseExactly(source) ?? parseLines(source)
  // A text that only looks like JSON is still a text.
  if (value === undefined) yield* readCode(source)
  else if (isNotebook(value)) yield* readNotebook(value)
  else if (Array.isArray(value) && value.length > 0 && value.every(isFlat)) {
    for (const row of value as Record<string, unknown>[]) {
      const cells = Object.entries(row).filter(([, cell]) => cell !== null && cell !== '')
      yield {
        kind: 'row',
        text: cells.map(([name, cell]) => `${name}: ${cell}`.replaceAll(EXACT, '')).join(' | '),
      }
    }
  } else
    yield {
      kind: 'code',
      text: JSON.stringify(value, null, 2).replace(new RegExp(`"${EXACT}([^"]*)"`, 'g'), '$1'),
    }
}

/** Parses JSON, with numbers as they are written; returns undefined if it is none. */
function parseExactly(source: string): unknown {
  const value = parse(source)
  if (value === undefined) return undefined
  const marked = source.replace(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${EXACT}${token}"`,
  )
  return marked === source ? value : parse(marked)
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Parses a text with a value of JSON on each line. */
function parseLines(source: string): unknown[] | undefined {
  const values: unknown[] = []
  for (const line of source.split('\n')) {
    if (line.trim() === '') continue
    const value = parseExactly(line)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values.length > 0 ? values : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFlat = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((cell) => typeof cell !== 'object' || cell === null)

interface Notebook {
  cells: unknown[]
}

const isNotebook = (value: unknown): value is Notebook =>
  isObject(value) && 'nbformat' in value && Array.isArray(value.cells)

/** Yields the cells of a notebook, and the texts that its code has written. */
function* readNotebook({ cells }: Notebook): Generator<Block> {
  for (const cell of cells.filter(isObject)) {
    const source = joinLines(cell.source)
    if (cell.cell_type === 'markdown') yield* readMarkdown(source)
    else yield { kind: cell.cell_type === 'code' ? 'code' : 'text', text: source }
    const outputs = Array.isArray(cell.outputs) ? cell.outputs.filter(isObject) : []
    for (const { text, data } of outputs) {
      const written = joinLines(text) || joinLines(isObject(data) ? data['text/plain'] : undefined)
      yield { kind: 'code', text: written.slice(0, MAX_OUTPUT_CHARS) }
    }
  }
}

/** Joins the lines of a notebook, which are a text or a list of texts. */
const joinLines = (lines: unknown): string =>
  (Array.isArray(lines)
    ? lines.filter((line) => typeof line === 'string').join('')
    : typeof lines === 'string'
      ? lines
      : ''
  ).replaceAll(EXACT, '')
