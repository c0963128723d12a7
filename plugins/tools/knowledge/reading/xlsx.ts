import { type Archive, unpack } from './archive.ts'
import { type Block, toRows } from './blocks.ts'
import { ReadingFailure } from './reading-failure.ts'
import { readRelations, readXml, requirePart } from './xml.ts'

const WORKBOOK = 'xl/workbook.xml'
/** The most cells of a workbook that contain something. */
const MAX_CELLS = 2_000_000
/** The most cells between those, which are stored as empty ones. */
const MAX_EMPTY_CELLS = 10_000_000
/** The longest number format of the standard; reading one takes the square of its length. */
const MAX_FORMAT_CHARS = 255
/** The last column that a sheet can have. */
const MAX_COLUMNS = 16_384

/** The number formats of the standard that show a date. */
const isDateFormat = (id: number) => (id >= 14 && id <= 22) || (id >= 45 && id <= 47)

/** Reads a workbook: each sheet under its name, its first row as heads of the columns. */
export async function readXlsx(bytes: Buffer): Promise<Block[]> {
  const archive = await unpack(bytes, (name) => /^xl\/.*\.(xml|rels)$/.test(name))
  requirePart(archive, WORKBOOK)
  const targets = new Map(readRelations(archive, WORKBOOK).map(({ id, target }) => [id, target]))
  /** The names of sheets by their files, each of which counts once. */
  const sheets = new Map<string, string>()
  let is1904 = false
  readXml(archive, WORKBOOK, {
    open(tag, attributes) {
      if (tag === 'workbookPr') is1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
      const file = tag === 'sheet' && targets.get(attributes['r:id'] ?? '')
      if (file) sheets.set(file, attributes.name ?? '')
    },
  })
  const surroundings = { texts: readTexts(archive), dates: readDateStyles(archive), is1904 }
  let cells = 0
  let emptyCells = 0
  return [...sheets].flatMap(([file, name]): Block[] => {
    const rows = readSheet(archive, file, surroundings, (skipped) => {
      cells += 1
      emptyCells += skipped
      if (cells > MAX_CELLS || emptyCells > MAX_EMPTY_CELLS) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
    })
    return rows.length > 0 ? [{ kind: 'heading', level: 1, text: name }, ...toRows(rows)] : []
  })
}

/** Returns the texts that cells name by their number. */
function readTexts(archive: Archive): string[] {
  const texts: string[] = []
  let isText = false
  let phonetic = 0
  readXml(archive, 'xl/sharedStrings.xml', {
    open(tag) {
      if (tag === 'si') texts.push('')
      else if (tag === 't') isText = true
      else if (tag === 'rPh') phonetic += 1
    },
    text(text) {
      if (isText && phonetic === 0) texts.push(`${texts.pop() ?? ''}${text}`)
    },
    close(tag) {
      if (tag === 't') isText = false
      else if (tag === 'rPh') phonetic -= 1
    },
  })
  return texts
}

/** Returns the numbers of the styles of cells that show dates. */
function readDateStyles(archive: Archive): Set<number> {
  const own = new Map<number, boolean>()
  const styles = new Set<number>()
  let isInside = false
  let index = 0
  readXml(archive, 'xl/styles.xml', {
    open(tag, { numFmtId = '0', formatCode = '' }) {
      const id = Number(numFmtId)
      // Texts in quotes and colors in brackets are not part of the pattern.
      if (tag === 'numFmt')
        own.set(
          id,
          /[ymdhs]/i.test(formatCode.slice(0, MAX_FORMAT_CHARS).replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')),
        )
      else if (tag === 'cellXfs') isInside = true
      else if (tag === 'xf' && isInside) {
        if (own.get(id) ?? isDateFormat(id)) styles.add(index)
        index += 1
      }
    },
    close(tag) {
      if (tag === 'cellXfs') isInside = false
    },
  })
  return styles
}

function readSheet(
  archive: Archive,
  file: string,
  { texts, dates, is1904 }: { texts: string[]; dates: Set<number>; is1904: boolean },
  count: (skipped: number) => void,
): string[][] {
  const rows: string[][] = []
  let column = 0
  let type = ''
  let style = 0
  let value = ''
  let isValue = false
  readXml(archive, file, {
    open(tag, attributes) {
      if (tag === 'row') {
        rows.push([])
        column = 0
      } else if (tag === 'c') {
        column = columnOf(attributes.r) ?? column
        type = attributes.t ?? 'n'
        style = Number(attributes.s ?? 0)
        value = ''
      } else if (tag === 'v' || tag === 't') isValue = true
    },
    text(text) {
      if (isValue) value += text
    },
    close(tag) {
      if (tag === 'v' || tag === 't') isValue = false
      else if (tag === 'c') {
        const row = rows.at(-1)
        if (value !== '' && row && column < MAX_COLUMNS) {
          count(Math.max(0, column - row.length))
          while (row.length < column) row.push('')
          row[column] = toText(value)
        }
        column += 1
      }
    },
  })
  return rows

  function toText(raw: string): string {
    if (type === 's') return texts[Number(raw)] ?? ''
    if (type === 'b') return raw === '1' ? 'TRUE' : 'FALSE'
    if (type === 'n' && dates.has(style)) return toDate(Number(raw), is1904) ?? raw
    return raw
  }
}

/** Returns the index of the column that a cell's name begins with, such as 27 for `AB7`. */
function columnOf(reference = ''): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0]
  if (!letters) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

const DAY_MS = 86_400_000

/** Returns the date of a day's number, with its time if it has one. */
function toDate(days: number, is1904: boolean): string | undefined {
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const date = new Date(epoch + Math.round(days * DAY_MS))
  if (Number.isNaN(date.getTime())) return undefined
  const [day, time] = date.toISOString().slice(0, 19).split('T')
  if (days < 1) return time
  return time === '00:00:00' ? day : `${day} ${time}`
}
