// Describes the columns of CSV or TSV files as Markdown. Reads only.
// node profile.mjs [--empty "NULL,N/A,-"] file.csv ...
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { text } from './texts.mjs'

const MAX_DISTINCT = 50_000
const MAX_SHOWN = 40
/** The share of its filled cells that must be of a kind for the column to be of it. */
const MAJORITY = 0.9

/** The text of a file that is UTF-8 or, failing that, GB18030. */
function decode(bytes) {
  try {
    return { content: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return { content: new TextDecoder('gb18030', { fatal: true }).decode(bytes), encoding: 'GB18030' }
  }
}

/** The separator that the first line has most of, outside quotes. */
function separatorOf(content) {
  const start = content.slice(0, 65_536).replace(/"[^"]*"/g, '')
  const line = start.split(/\r\n|\n|\r/).find((candidate) => candidate.trim()) ?? ''
  const count = (separator) => line.split(separator).length
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best))
}

/** Yields the cells of each row; a cell in quotes may hold separators, doubled quotes and line breaks. */
function* parse(content, separator) {
  let row = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < content.length; at++) {
    const sign = content[at]
    if (quoted) {
      if (sign !== '"') cell += sign
      else if (content[at + 1] === '"') cell += content[++at]
      else quoted = false
    } else if (sign === '"' && cell.trim() === '') {
      cell = ''
      quoted = true
    } else if (sign === separator) {
      row.push(cell.trim())
      cell = ''
    } else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && content[at + 1] === '\n') at++
      yield [...row, cell.trim()]
      row = []
      cell = ''
    } else cell += sign
  }
  if (quoted) throw new Error(text.brokenQuote)
  if (cell !== '' || row.length > 0) yield [...row, cell.trim()]
}

const NUMBER = /^[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?(e[-+]?\d+)?$/i
const CODE = /^(0\d+|\d{16,})$/
const DATE = /^(\d{4})(?:[-/.](\d{1,2})[-/.](\d{1,2})|年(\d{1,2})月(\d{1,2})日)(?:[T ]\d{1,2}:\d{2}.*)?$/

/** The day as YYYY-MM-DD, if the value is one that exists. */
function dayOf(value) {
  const [, year, month1, day1, month2, day2] = DATE.exec(value) ?? []
  if (!year) return undefined
  const month = Number(month1 ?? month2)
  const day = Number(day1 ?? day2)
  const date = new Date(Date.UTC(Number(year), month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
    ? date.toISOString().slice(0, 10)
    : undefined
}

function kindOf(value) {
  if (CODE.test(value)) return 'code'
  if (NUMBER.test(value)) return 'number'
  return dayOf(value) ? 'date' : 'text'
}

function createColumn(name) {
  const counts = new Map()
  const kinds = { number: 0, date: 0, code: 0, text: 0 }
  const examples = { number: [], date: [], code: [], text: [] }
  const numbers = []
  let empty = 0
  let overflow = false
  let wholeNumbers = true
  let firstDay
  let lastDay
  let shortest = Number.POSITIVE_INFINITY
  let longest = 0

  return {
    name,
    add(value, row) {
      if (value === '') {
        empty++
        return
      }
      if (counts.has(value) || counts.size < MAX_DISTINCT) counts.set(value, (counts.get(value) ?? 0) + 1)
      else overflow = true
      const kind = kindOf(value)
      kinds[kind]++
      if (examples[kind].length < 3) examples[kind].push(text.atRow(shorten(value), row))
      if (kind !== 'code' && !/^\d+$/.test(value)) wholeNumbers = false
      if (kind === 'number') numbers.push(Number(value.replaceAll(',', '')))
      if (kind === 'date') {
        const day = dayOf(value)
        if (firstDay === undefined || day < firstDay) firstDay = day
        if (lastDay === undefined || day > lastDay) lastDay = day
      }
      shortest = Math.min(shortest, value.length)
      longest = Math.max(longest, value.length)
    },
    line() {
      const filled = kinds.number + kinds.date + kinds.code + kinds.text
      const kind = columnKind(kinds, { filled, wholeNumbers })
      const contents = {
        number: () => text.numbers(statistics(numbers)),
        date: () => text.range(firstDay, lastDay),
        code: () => text.lengths(shortest, longest),
        text: () => (overflow ? text.lengths(shortest, longest) : mostFrequent(counts)),
        none: () => '',
      }
      const others = ['text', 'code', 'date', 'number'].filter((other) => other !== kind)
      const count = filled - (kinds[kind] ?? 0)
      const shown = others
        .flatMap((other) => examples[other])
        .slice(0, 3)
        .join(', ')
      const exceptions =
        count > 0 && ['number', 'date'].includes(kind) ? text.exceptions({ count, shown }) : ''
      const share = ((100 * empty) / (filled + empty || 1)).toFixed(1)
      const distinct = overflow ? `> ${MAX_DISTINCT}` : counts.size
      return [name, `${empty} (${share} %)`, distinct, text.kinds[kind], contents[kind](), exceptions]
    },
  }
}

/** Digits of which one has a leading zero, or is too long for a number, are codes. */
function columnKind(kinds, { filled, wholeNumbers }) {
  if (filled === 0) return 'none'
  if (kinds.code > 0 && wholeNumbers) return 'code'
  return ['number', 'date'].find((kind) => kinds[kind] >= MAJORITY * filled) ?? 'text'
}

function statistics(numbers) {
  const sorted = Float64Array.from(numbers).sort()
  const middle = sorted.length >> 1
  const sum = numbers.reduce((total, number) => total + number, 0)
  return {
    min: tidy(sorted[0]),
    median: tidy(sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2),
    mean: tidy(sum / sorted.length),
    max: tidy(sorted.at(-1)),
    sum: tidy(sum),
    negative: numbers.filter((number) => number < 0).length,
    zero: numbers.filter((number) => number === 0).length,
  }
}

const tidy = (number) => String(Number(number.toPrecision(12)))
const shorten = (value) => (value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)

function mostFrequent(counts) {
  const top = [...counts].sort(([, a], [, b]) => b - a).slice(0, 5)
  return top.map(([value, count]) => `"${shorten(value)}" × ${count}`).join(', ')
}

const tableRow = (cells) =>
  `| ${cells.map((cell) => String(cell).replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`

function profile(file, emptyMarks) {
  const { content, encoding } = decode(readFileSync(file))
  const separator = separatorOf(content)
  const seen = new Set()
  const raggedRows = []
  let columns
  let rows = 0
  let blank = 0
  let ragged = 0
  let repeated = 0
  let at = 0
  for (const cells of parse(content, separator)) {
    at++
    if (cells.every((cell) => cell === '')) {
      if (columns) blank++
      continue
    }
    if (!columns) {
      columns = cells.map((cell, index) => createColumn(cell || text.unnamed(index + 1)))
      continue
    }
    rows++
    if (cells.length !== columns.length) {
      ragged++
      if (raggedRows.length < 3) raggedRows.push(at)
    }
    const identity = JSON.stringify(cells)
    if (seen.has(identity)) repeated++
    else seen.add(identity)
    columns.forEach((column, index) => {
      const value = cells[index] ?? ''
      column.add(emptyMarks.has(value) ? '' : value, at)
    })
  }
  if (!columns) throw new Error(text.noHeader)

  const names = columns.map(({ name }) => name)
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
  console.log(`## ${file}\n`)
  console.log(
    text.facts({
      rows,
      columns: columns.length,
      encoding,
      separator: separator === '\t' ? text.tab : `"${separator}"`,
    }),
  )
  const examples = ragged > 0 ? text.rowsAt(raggedRows) : ''
  console.log(`\n${text.defects({ blank, ragged, repeated, examples })}`)
  if (twice.length > 0) console.log(`\n${text.twice(twice.join(', '))}`)
  console.log(`\n${text.head}`)
  for (const column of columns) console.log(tableRow(column.line()))
  console.log()
}

try {
  const { values: options, positionals: files } = parseArgs({
    options: { empty: { type: 'string' } },
    allowPositionals: true,
  })
  if (files.length === 0) throw new Error(text.usage)
  const emptyMarks = new Set(options.empty?.split(',').map((mark) => mark.trim()) ?? [])
  for (const file of files) {
    try {
      profile(file, emptyMarks)
    } catch (error) {
      console.error(`${file}: ${error.message}`)
      process.exitCode = 1
    }
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
