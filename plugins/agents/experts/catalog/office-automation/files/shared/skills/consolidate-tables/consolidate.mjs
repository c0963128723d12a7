// Merges CSV or TSV files by their header lines.
// node consolidate.mjs --out merged.csv [--map mapping.json] [--key "Column,Column"] file.csv ...
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { text } from './texts.mjs'

const SOURCES = ['source_file', 'source_row']

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

/** The cells of each row; a cell in quotes may hold separators, doubled quotes and line breaks. */
function parse(content, name) {
  const separator = separatorOf(content)
  const rows = [[]]
  let cell = ''
  let quoted = false
  const endCell = () => {
    rows.at(-1).push(cell.trim())
    cell = ''
  }
  for (let at = 0; at < content.length; at++) {
    const sign = content[at]
    if (quoted) {
      if (sign !== '"') cell += sign
      else if (content[at + 1] === '"') cell += content[++at]
      else quoted = false
    } else if (sign === '"' && cell.trim() === '') {
      cell = ''
      quoted = true
    } else if (sign === separator) endCell()
    else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && content[at + 1] === '\n') at++
      endCell()
      rows.push([])
    } else cell += sign
  }
  if (quoted) throw new Error(text.brokenQuote(name))
  endCell()
  return rows
}

const isBlank = (row) => row.every((cell) => cell === '')
const normalize = (name) => name.normalize('NFKC').replace(/\s+/g, ' ').trim()

function headerOf(row, name, mapping) {
  const used = [...row]
  while (used.at(-1) === '') used.pop()
  return used.map((cell, at) => {
    if (cell === '') throw new Error(text.unnamed(name, at + 1))
    const target = mapping.get(normalize(cell)) ?? normalize(cell)
    if (SOURCES.includes(target)) throw new Error(text.reserved(name, target))
    return target
  })
}

function readTable(name, mapping) {
  const { content, encoding } = decode(readFileSync(name))
  const rows = parse(content, name)
  const first = rows.findIndex((row) => !isBlank(row))
  if (first < 0) throw new Error(text.noHeader(name))
  const header = headerOf(rows[first], name, mapping)
  const twice = header.find((column, at) => header.indexOf(column) !== at)
  if (twice !== undefined) throw new Error(text.twice(name, twice))
  if (isBlank(rows.at(-1))) rows.pop()
  const records = []
  let blank = 0
  for (let at = first + 1; at < rows.length; at++) {
    if (isBlank(rows[at])) {
      blank++
      continue
    }
    if (!isBlank(rows[at].slice(header.length))) throw new Error(text.tooLong(name, at + 1))
    const values = new Map(header.map((column, index) => [column, rows[at][index] ?? '']))
    records.push({ values, place: { file: name, row: at + 1 } })
  }
  return { name, header, records, blank, encoding }
}

const quote = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

function reportKeys(records, key) {
  const places = new Map()
  for (const { values, place } of records) {
    const cells = key.map((column) => values.get(column) ?? '')
    const where = `${place.file}:${place.row}`
    if (cells.includes('')) console.log(text.emptyKey(where))
    else places.set(JSON.stringify(cells), [...(places.get(JSON.stringify(cells)) ?? []), where])
  }
  for (const [cells, where] of places)
    if (where.length > 1) console.log(text.repeated(JSON.parse(cells).join(' / '), where.join(', ')))
}

function main() {
  const { values: options, positionals: files } = parseArgs({
    options: { out: { type: 'string' }, map: { type: 'string' }, key: { type: 'string' } },
    allowPositionals: true,
  })
  if (!options.out || files.length === 0) throw new Error(text.usage)
  const entries = options.map ? Object.entries(JSON.parse(decode(readFileSync(options.map)).content)) : []
  const mapping = new Map(entries.map(([from, to]) => [normalize(from), normalize(to)]))
  const tables = files.map((file) => readTable(file, mapping))
  const columns = [...new Set(tables.flatMap(({ header }) => header))]
  const key = options.key?.split(',').map(normalize) ?? []
  const unknown = key.find((column) => !columns.includes(column))
  if (unknown !== undefined) throw new Error(text.unknownKey(unknown))

  const records = tables.flatMap((table) => table.records)
  const lines = records.map(({ values, place }) =>
    [...columns.map((column) => values.get(column) ?? ''), place.file, String(place.row)]
      .map(quote)
      .join(','),
  )
  const head = [...columns, ...SOURCES].map(quote).join(',')
  mkdirSync(dirname(options.out), { recursive: true })
  try {
    // The byte order mark tells spreadsheets that this is UTF-8.
    writeFileSync(options.out, `\uFEFF${[head, ...lines].join('\r\n')}\r\n`, { flag: 'wx' })
  } catch (error) {
    throw error.code === 'EEXIST' ? new Error(text.exists(options.out)) : error
  }

  for (const { name, header, records: own, blank, encoding } of tables) {
    console.log(text.file({ name, rows: own.length, blank, encoding }))
    const lacking = columns.filter((column) => !header.includes(column))
    if (lacking.length > 0) console.log(text.lacks(name, lacking.join(', ')))
  }
  console.log(text.total(records.length, columns.length + SOURCES.length, options.out))
  if (key.length > 0) reportKeys(records, key)
}

try {
  main()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
