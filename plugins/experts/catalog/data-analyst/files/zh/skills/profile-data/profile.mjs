// 以 Markdown 形式描述 CSV 或 TSV 文件的各列，只读取、不修改。
// node profile.mjs [--empty "NULL,N/A,-"] 文件.csv ...
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const text = {
  usage: '用法：node profile.mjs [--empty "NULL,N/A,-"] 文件.csv ...',
  brokenQuote: '引号没有配对',
  noHeader: '没有表头',
  facts: ({ rows, columns, encoding, separator }) =>
    `${rows} 行，${columns} 列，编码 ${encoding}，分隔符 ${separator}`,
  defects: ({ blank, ragged, repeated, examples }) =>
    `空行 ${blank} 行；单元格数与表头不符 ${ragged} 行${examples}；与前面某行完全相同 ${repeated} 行。`,
  tab: '制表符',
  rowsAt: (rows) => `（如第 ${rows.join('、')} 行）`,
  twice: (names) => `重复的列名：${names}`,
  head: '| 列 | 空值 | 不同值 | 类型 | 内容 | 不符合类型的值 |\n|---|---:|---:|---|---|---|',
  unnamed: (at) => `（第 ${at} 列）`,
  kinds: { number: '数值', date: '日期', code: '数字编码', text: '文本', none: '（全部为空）' },
  numbers: ({ min, median, mean, max, sum, negative, zero }) =>
    `最小 ${min}，中位数 ${median}，均值 ${mean}，最大 ${max}，合计 ${sum}；负数 ${negative} 个，零 ${zero} 个`,
  range: (first, last) => `${first} 至 ${last}`,
  lengths: (shortest, longest) => `${shortest} 至 ${longest} 个字符`,
  exceptions: ({ count, shown }) => `${count} 个，如 ${shown}`,
  atRow: (value, row) => `“${value}”（第 ${row} 行）`,
}

const MAX_DISTINCT = 50_000
const MAX_SHOWN = 40
/** 非空单元格中某种类型达到这个比例，整列才算该类型。 */
const MAJORITY = 0.9

/** 先按 UTF-8 解码，不行再按 GB18030 解码。 */
function decode(bytes) {
  try {
    return { content: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return { content: new TextDecoder('gb18030', { fatal: true }).decode(bytes), encoding: 'GB18030' }
  }
}

/** 首行中（引号以外）出现最多的分隔符。 */
function separatorOf(content) {
  const start = content.slice(0, 65_536).replace(/"[^"]*"/g, '')
  const line = start.split(/\r\n|\n|\r/).find((candidate) => candidate.trim()) ?? ''
  const count = (separator) => line.split(separator).length
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best))
}

/** 逐行产出单元格；带引号的单元格里可以有分隔符、成对的引号和换行。 */
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

/** 值是真实存在的日期时，返回 YYYY-MM-DD。 */
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

/** 全为数字、且有前导零或位数过长的，视为编码。 */
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
