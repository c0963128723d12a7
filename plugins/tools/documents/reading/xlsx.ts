import { type Archive, unpack } from './archive.ts'
import type { Block } from './blocks.ts'
import { ReadingFailure } from './reading-failure.ts'
import { listBlocks, readShapes } from './shapes.ts'
import { toSheetRows } from './sheet-tables.ts'
import { readNotes, readPeople } from './xlsx-notes.ts'
import { type CellRange, decodeEscapes, readSheet, toRanges, type Workbook } from './xlsx-sheet.ts'
import { readStyles } from './xlsx-styles.ts'
import { attributeOf, findMainPart, readRelations, readXml, requirePart } from './xml.ts'

/** The most cells of a workbook that contain something. */
const MAX_CELLS = 2_000_000
/** The most cells between those, which are stored as empty ones. */
const MAX_EMPTY_CELLS = 10_000_000

/** Reads a workbook as it is shown: each visible sheet under its name, with its tables, remarks, text boxes and charts. */
export async function readXlsx(bytes: Buffer): Promise<Block[]> {
  const archive = await unpack(bytes, (name) => /\.(xml|rels)$/i.test(name))
  const main = findMainPart(archive, 'xl/workbook.xml')
  requirePart(archive, main)
  const relations = readRelations(archive, main)
  const filesOf = (type: string) =>
    relations.filter((relation) => relation.type === type).map(({ target }) => target)
  const { sheets, is1904 } = listSheets(
    archive,
    main,
    new Map(relations.map(({ id, target }) => [id, target])),
  )
  const people = readPeople(archive, filesOf('person'))
  const workbook: Workbook = {
    archive,
    texts: readTexts(archive, filesOf('sharedStrings')[0] ?? 'xl/sharedStrings.xml'),
    styleOf: readStyles(archive, filesOf('styles')[0] ?? 'xl/styles.xml', is1904),
    count: createCounter(),
  }
  return [...sheets].flatMap(([file, name]): Block[] => {
    const additions = readRelations(archive, file)
    const targets = (type: string) =>
      additions.filter((each) => each.type === type).map(({ target }) => target)
    const notes = readNotes(archive, additions, people)
    const heads = targets('table').flatMap((table) => readTableRange(archive, table))
    const content = [
      ...toSheetRows(readSheet(workbook, file, { notes, heads })),
      ...targets('drawing').flatMap((drawing) => readShapes(archive, drawing).shapes.flatMap(listBlocks)),
    ]
    return content.length > 0 ? [{ kind: 'heading', level: 1, text: name }, ...content] : []
  })
}

/** Returns the names of the sheets that are shown, by their files, each of which counts once. */
function listSheets(archive: Archive, main: string, targets: ReadonlyMap<string, string>) {
  const sheets = new Map<string, string>()
  let is1904 = false
  readXml(archive, main, {
    open(tag, attributes) {
      if (tag === 'workbookPr') is1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
      if (tag !== 'sheet' || /hidden/i.test(attributes.state ?? '')) return
      const file = targets.get(attributeOf(attributes, 'id') ?? '')
      if (file) sheets.set(file, attributes.name ?? '')
    },
  })
  return { sheets, is1904 }
}

function createCounter(): Workbook['count'] {
  let cells = 0
  let emptyCells = 0
  return (skipped) => {
    cells += 1
    emptyCells += skipped
    if (cells > MAX_CELLS || emptyCells > MAX_EMPTY_CELLS) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
  }
}

/** Returns the texts that cells name by their number. */
function readTexts(archive: Archive, file: string): string[] {
  const texts: string[] = []
  let isText = false
  let phonetic = 0
  readXml(archive, file, {
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
  return texts.map(decodeEscapes)
}

/** Returns the range of a table that has a head. */
function readTableRange(archive: Archive, file: string): CellRange[] {
  let ranges: CellRange[] = []
  readXml(archive, file, {
    open(tag, { ref, headerRowCount = '1' }) {
      if (tag === 'table' && headerRowCount !== '0') ranges = toRanges(ref)
    },
  })
  return ranges
}
