import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import { ReadingFailure } from '../../../plugins/tools/documents/reading/reading-failure.ts'
import t, { type Test } from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { makeZip } from '../../support/zip.ts'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** The parts of a workbook; a sheet is the content of its element, or that of its `sheetData` alone. */
interface Book {
  sheets: Record<string, string>
  /** Attributes of sheets, by their names. */
  states?: Record<string, string>
  /** The number formats of styles 1, 2 and so on. */
  formats?: string[]
  /** Fonts of styles, by their numbers: 1 is bold. */
  fonts?: number[]
  texts?: string[]
  /** Relations of the first sheet. */
  relations?: [type: string, target: string][]
  files?: Record<string, string>
  is1904?: boolean
  prefix?: string
}

const relations = (list: [id: string, type: string, target: string][]) =>
  `<Relationships>${list.map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`
const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

function makeBook({ sheets, states = {}, formats = [], fonts = [], texts, is1904, ...book }: Book): Buffer {
  const names = Object.keys(sheets)
  const sheetOf = (content: string) =>
    content.includes('<sheetData') ? content : `<sheetData>${content}</sheetData>`
  const files: Record<string, string> = {
    'xl/workbook.xml': `<workbook><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${names.map((name, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" ${states[name] ?? ''} r:id="r${index}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...names.map((_, index): [string, string, string] => [
        `r${index}`,
        'worksheet',
        `worksheets/sheet${index}.xml`,
      ]),
      ['p', 'person', 'persons/person.xml'],
    ]),
    ...Object.fromEntries(
      Object.values(sheets).map((content, index) => [
        `xl/worksheets/sheet${index}.xml`,
        `<worksheet>${sheetOf(content)}</worksheet>`,
      ]),
    ),
    'xl/styles.xml': `<styleSheet><numFmts>${formats.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${escapeXml(code)}"/>`).join('')}</numFmts><fonts><font/><font><b/></font></fonts><cellXfs><xf numFmtId="0" fontId="0"/>${formats.map((_, index) => `<xf numFmtId="${200 + index}" fontId="${fonts[index] ?? 0}"/>`).join('')}</cellXfs></styleSheet>`,
    ...(texts && { 'xl/sharedStrings.xml': `<sst>${texts.join('')}</sst>` }),
    ...(book.relations && {
      'xl/worksheets/_rels/sheet0.xml.rels': relations(
        book.relations.map(([type, target], index) => [`x${index}`, type, target]),
      ),
    }),
    ...book.files,
  }
  return makeZip(Object.entries(files).map(([name, content]) => ({ name, content })))
}

/** Writes rows of cells, each a text, a number, or the XML of a cell; undefined leaves a place empty. */
const rowsOf = (rows: (string | number | undefined)[][]) =>
  rows
    .map((row, index) => {
      const cells = row.map((cell, column) => {
        const name = `${String.fromCharCode(65 + column)}${index + 1}`
        if (cell === undefined) return ''
        if (typeof cell === 'number') return `<c r="${name}"><v>${cell}</v></c>`
        if (cell.startsWith('<c')) return cell.replace('<c', `<c r="${name}"`)
        return `<c r="${name}" t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`
      })
      return cells.join('') && `<row r="${index + 1}">${cells.join('')}</row>`
    })
    .join('')

const read = async (book: Book): Promise<string[]> => {
  const { text } = await readDocument(makeBook(book), 'xlsx')
  return text.split(/\n+/)
}
/** Reads a workbook of one sheet without the line of its name. */
const readRows = async (rows: (string | number | undefined)[][], book: Partial<Book> = {}, after = '') => {
  const [name, ...lines] = await read({
    sheets: { Sheet: `<sheetData>${rowsOf(rows)}</sheetData>${after}` },
    ...book,
  })
  if (name !== 'Sheet') throw new Error(`The text begins with ${name}.`)
  return lines
}

/** Returns the text of values, each with its format. */
const show = async (list: [format: string, value: number | string][], book: Partial<Book> = {}) => {
  const cells = list.map(([, value], index) =>
    typeof value === 'number'
      ? [`<c s="${index + 1}"><v>${value}</v></c>`]
      : [`<c s="${index + 1}" t="str"><v>${value}</v></c>`],
  )
  const spaced = cells.flatMap((row) => [row, ['.']])
  const lines = await readRows(spaced, { formats: list.map(([format]) => format), ...book })
  return lines
    .join('\n')
    .split(/\n?\.(?:\n|$)/)
    .slice(0, list.length)
}

const shows = async (
  t: Test,
  list: [format: string, value: number | string, expected: string][],
  book: Partial<Book> = {},
) =>
  t.strictSame(
    await show(
      list.map(([format, value]) => [format, value]),
      book,
    ),
    list.map(([, , expected]) => expected),
  )

t.test('Numbers are read as they are shown', async (t) => {
  await shows(t, [
    ['General', 19.989999999999998, '19.99'],
    ['General', 0.1 + 0.2, '0.3'],
    ['General', 1 / 3, '0.333333333'],
    ['General', 4006381333931, '4006381333931'],
    ['General', 1.5e21, '1.5E+21'],
    ['General" kg"', 5.25, '5.25 kg'],
    ['0.00%', 6.1699999999999998e-2, '6.17%'],
    ['#,##0.00', 1234567.891, '1,234,567.89'],
    ['#,##0.00 [$€-407]', 1234.5, '1,234.50 €'],
    ['[$R$-416] #,##0.00', 75, 'R$ 75.00'],
    ['00000', 123, '00123'],
    ['@', 12.5, '12.5'],
    ['# ?/?', 2.5, '2 1/2'],
    ['0.00E+00', 12345, '1.23E+04'],
    ['#,##0,"k"', 1234567, '1,235k'],
    ['[>100]"many";[<=100]"few"', 50, 'few'],
    ['[Red]0;[Blue](0);"none";"text "@', -5, '(5)'],
    ['[Red]0;[Blue](0);"none";"text "@', 0, 'none'],
    ['[Red]0;[Blue](0);"none";"text "@', 'x', 'text x'],
    ['_-* #,##0.00\\ "Kč"_-;-* #,##0.00\\ "Kč"_-;_-* "-"??\\ _-', -3, '-3.00 Kč'],
    ['0 "unclosed', 7, '7'],
    [`0.${'0'.repeat(300)}`, 7.5, '7.5'],
    [`# ${'?'.repeat(100)}/${'?'.repeat(100)}`, 7.5, '7.5'],
  ])
})

t.test('Dates are read so that they are not mistaken, times as they are shown', async (t) => {
  const day = 45_382
  const dates: [string, number, string][] = [
    ['m/d/yyyy', day, '2024-03-31'],
    ['dd.mm.yyyy', day, '2024-03-31'],
    ['d-mmm', day, '2024-03-31'],
    ['mmm yy', day, '2024-03'],
    ['yyyy', day, '2024'],
    ['[$-411]ggge"年"m"月"d"日"', day, '2024-03-31'],
    ['yyyy"年"m"月"d"日"', day, '2024-03-31'],
    ['[$-F800]dddd, mmmm dd, yyyy', day, '2024-03-31'],
    ['[$-407]dddd', day, 'Sonntag'],
    ['dd/mm/yyyy h:mm', day + 0.75, '2024-03-31 18:00'],
    ['h:mm AM/PM', 0.75, '6:00 PM'],
    ['[h]:mm', 1.5, '36:00'],
    ['mm:ss.0', 0.0005, '00:43.2'],
    ['dd.mm.yyyy;;', 0, ''],
    ['yyyy-mm-dd', 1, '1900-01-01'],
    ['yyyy-mm-dd', 31, '1900-01-31'],
    ['yyyy-mm-dd', 59, '1900-02-28'],
    ['yyyy-mm-dd', 61, '1900-03-01'],
    ['yyyy-mm-dd', 0, '1900-01-00'],
    ['yyyy-mm-dd', 1e9, '1000000000'],
  ]
  await shows(t, dates)
  await shows(
    t,
    [
      ['dd.mm.yyyy', 0, '1904-01-01'],
      ['dd.mm.yyyy', day - 1462, '2024-03-31'],
      ['[h]:mm', 1.5, '36:00'],
    ],
    { is1904: true },
  )
  const styles = `<styleSheet><cellXfs>${[14, 31, 57, 34, 20, 37, 99].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`
  t.strictSame(
    await readRows(
      [
        ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'],
        [day, day, day, 0.25, 0.25, -7, 7].map((value, style) => `<c s="${style}"><v>${value}</v></c>`),
      ],
      { files: { 'xl/styles.xml': styles } },
    ),
    ['One: 2024-03-31 | Two: 2024-03-31 | Three: 2024-03-31 | Four: 6:00 | Five: 6:00 | Six: (7) | Seven: 7'],
  )
})

t.test('Every kind of cell is read', async (t) => {
  t.strictSame(
    await readRows(
      [
        ['<c s="1" t="str"><v>Kind</v></c>', '<c s="1" t="str"><v>Value</v></c>'],
        ['yes', '<c t="b"><v>1</v></c>'],
        ['error', '<c t="e"><v>#DIV/0!</v></c>'],
        ['shared', '<c t="s"><v>0</v></c>'],
        ['lost', '<c t="s"><v>7</v></c>'],
        ['sum', '<c><f>SUM(B1:B2)</f><v>3.5</v></c>'],
        ['empty', '<c t="str"><f>IF(A1="","","x")</f><v></v></c>'],
        ['unsaved', '<c><f>A1*2</f><v/></c>'],
        ['array', '<c t="str"><f t="array" ref="B9">UPPER("a")</f><v>A</v></c>'],
        ['day', '<c t="d"><v>2024-03-31T00:00:00</v></c>'],
        ['rich', '<c t="inlineStr"><is><r><t>two </t></r><r><t>runs</t></r></is></c>'],
        ['line_x000a_end', '<c t="inlineStr"><is><t>a_x000D_b</t></is></c>'],
      ],
      {
        formats: ['General'],
        fonts: [1],
        texts: ['<si><t>会議</t><rPh sb="0" eb="2"><t>かいぎ</t></rPh><phoneticPr/></si>'],
      },
    ),
    [
      'Kind: yes | Value: TRUE',
      'Kind: error | Value: #DIV/0!',
      'Kind: shared | Value: 会議',
      'Kind: lost',
      'Kind: sum | Value: 3.5',
      'Kind: empty',
      'Kind: unsaved | Value: =A1*2',
      'Kind: array | Value: A',
      'Kind: day | Value: 2024-03-31',
      'Kind: rich | Value: two runs',
      'Kind: line end | Value: a b',
    ],
  )
  t.strictSame(
    await read({
      sheets: {
        Plain:
          '<row><c t="str"><v>Boat</v></c><c t="str"><v>Crew</v></c></row><row><c t="str"><v>Ida</v></c><c><v>4</v></c></row>',
      },
    }),
    ['Plain', 'Boat: Ida | Crew: 4'],
    'without names of rows and cells',
  )
})

t.test('What is hidden is left out, merged cells count in each row', async (t) => {
  const merged =
    '<mergeCells><mergeCell ref="A1:XFD1"/><mergeCell ref="A3:A4"/><mergeCell ref="C5:D9"/></mergeCells>'
  t.strictSame(
    await readRows(
      [
        ['Staff'],
        ['Dept', 'Name', 'Mon', 'Tue'],
        ['Harbour', 'Ann', 51, 52],
        [undefined, 'Bob', 67, 68],
        ['Quay', 'Cid', 'away'],
      ],
      {},
      merged,
    ),
    [
      'Staff',
      'Dept: Harbour | Name: Ann | Mon: 51 | Tue: 52',
      'Dept: Harbour | Name: Bob | Mon: 67 | Tue: 68',
      'Dept: Quay | Name: Cid | Mon, Tue: away',
    ],
  )
  const hiding = `<cols><col min="2" max="2" hidden="1"/></cols><sheetData>${rowsOf([
    ['Boat', 'Secret', 'Crew'],
    ['Ida', 'x', 4],
    ['Eva', 'y', 5],
  ]).replace('<row r="3">', '<row r="3" hidden="1">')}</sheetData>`
  t.strictSame(
    await read({
      sheets: { Fleet: hiding, Lists: rowsOf([['z']]), Code: rowsOf([['v']]) },
      states: { Lists: 'state="hidden"', Code: 'state="veryHidden"' },
    }),
    ['Fleet', 'Boat: Ida | Crew: 4'],
  )
})

t.test('The tables of a sheet are read apart', async (t) => {
  t.strictSame(
    await readRows([
      [undefined, 'Fleet of the harbour'],
      [],
      ['Client', 'Acme'],
      ['Made', '2024'],
      ['Boat', 'Year', 'Crew'],
      ['Ida', 1990, 4],
      [],
      ['Eva', 1991, 5],
      [],
      ['Total', undefined, 9],
      [],
      ['City', 'Fare'],
      ['Brno', 12],
      [],
      ['Checked by Ann.'],
    ]),
    [
      'Fleet of the harbour',
      'Client | Acme',
      'Made | 2024',
      'Boat: Ida | Year: 1990 | Crew: 4',
      'Boat: Eva | Year: 1991 | Crew: 5',
      'Boat: Total | Crew: 9',
      'City: Brno | Fare: 12',
      'Checked by Ann.',
    ],
  )
  t.strictSame(
    await readRows([
      [undefined, 'Boat', 'Crew', undefined, 'City', 'Fare'],
      [undefined, 'Ida', 4, undefined, 'Brno', 12],
      [undefined, 'Eva', 5],
    ]),
    ['Boat: Ida | Crew: 4', 'Boat: Eva | Crew: 5', 'City: Brno | Fare: 12'],
  )
  t.strictSame(
    await readRows([['Report'], [], ['City', 2022, 2023], ['Brno', 1, 2]]),
    ['Report', 'City: Brno | 2022: 1 | 2023: 2'],
    'years are heads',
  )
  t.strictSame(
    await readRows([
      ['Boat', 'Crew', undefined, 'Year'],
      ['Ida', 4, undefined, 1990],
    ]),
    ['Boat: Ida | Crew: 4 | Year: 1990'],
    'a column is a gap',
  )
})

t.test('Heads are known by bold type, filters and tables', async (t) => {
  const bold = (text: string) => `<c s="1" t="str"><v>${text}</v></c>`
  const style = { formats: ['General'], fonts: [1] }
  t.strictSame(
    await readRows(
      [
        [bold('Name'), 'Ann'],
        [bold('Born'), 1990],
        [bold('City'), 'Brno'],
      ],
      style,
    ),
    ['Name: Ann', 'Born: 1990', 'City: Brno'],
  )
  t.strictSame(
    await readRows(
      [
        [bold('1'), bold('2')],
        ['3', '4'],
      ],
      style,
    ),
    ['1: 3 | 2: 4'],
  )
  const numbers = [
    [7, 8],
    [3, 4],
  ]
  t.strictSame(await readRows(numbers, {}, '<autoFilter ref="A1:B2"/>'), ['7: 3 | 8: 4'])
  t.strictSame(
    await readRows(numbers, {
      relations: [['table', '../tables/table1.xml']],
      files: { 'xl/tables/table1.xml': '<table ref="A1:B2"/>' },
    }),
    ['7: 3 | 8: 4'],
  )
})

t.test('Remarks, text boxes and charts of a sheet are read', async (t) => {
  const chart = `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Crew of</a:t></a:r><a:r><a:t> boats</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:f>B1</c:f><c:strCache><c:pt idx="0"><c:v>2024</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl><c:pt idx="0"><c:v>Ida</c:v></c:pt><c:pt idx="1"><c:v>Eva</c:v></c:pt></c:lvl><c:lvl><c:pt idx="0"><c:v>North</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>0%</c:formatCode><c:pt idx="0"><c:v>0.25</c:v></c:pt><c:pt idx="1"><c:v>0.5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser><c:ser><c:tx><c:v>2025</c:v></c:tx><c:val><c:numLit><c:pt idx="1"><c:v>3</c:v></c:pt></c:numLit></c:val></c:ser></c:barChart><c:valAx><c:title><c:tx><c:rich><a:p><a:r><a:t>Share</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>`
  t.strictSame(
    await readRows(
      [
        ['Boat', 'Crew'],
        ['Ida', 4],
        ['Eva', 5],
      ],
      {
        relations: [
          ['threadedComment', '../threadedComments/threadedComment1.xml'],
          ['comments', '../comments1.xml'],
          ['drawing', '../drawings/drawing1.xml'],
        ],
        files: {
          'xl/comments1.xml':
            '<comments><authors><author>Ann</author><author>tc={1}</author></authors><commentList><comment ref="B2" authorId="0"><text><r><t>Ann:</t></r><r><t>\nCounted twice.</t></r></text></comment><comment ref="B3" authorId="1"><text><t>[Threaded comment] Your version shows less.</t></text></comment></commentList></comments>',
          'xl/threadedComments/threadedComment1.xml':
            '<ThreadedComments><threadedComment ref="B3" personId="{p}"><text>Really?</text></threadedComment><threadedComment ref="B3" personId="{q}"><text>Yes.</text></threadedComment></ThreadedComments>',
          'xl/persons/person.xml':
            '<personList><person id="{p}" displayName="Bob"/><person id="{q}" displayName="Cid"/></personList>',
          'xl/drawings/drawing1.xml':
            '<xdr:wsDr><xdr:pic><xdr:nvPicPr><xdr:cNvPr descr="A chart of the harbour"/></xdr:nvPicPr></xdr:pic><xdr:sp><xdr:txBody><a:p><a:r><a:t>Beware of</a:t></a:r><a:r><a:t> the tide.</a:t></a:r></a:p></xdr:txBody></xdr:sp><mc:AlternateContent><mc:Choice><xdr:graphicFrame><a:graphicData><c:chart r:id="c1"/></a:graphicData></xdr:graphicFrame></mc:Choice><mc:Fallback><xdr:sp><a:p><a:r><a:t>No chart.</a:t></a:r></a:p></xdr:sp></mc:Fallback></mc:AlternateContent></xdr:wsDr>',
          'xl/drawings/_rels/drawing1.xml.rels': relations([['c1', 'chart', '../charts/chart1.xml']]),
          'xl/charts/chart1.xml': chart,
        },
      },
    ),
    [
      'Boat: Ida | Crew: 4',
      'Note (Ann): Counted twice.',
      'Boat: Eva | Crew: 5',
      'Note (Bob): Really?; Note (Cid): Yes.',
      'A chart of the harbour',
      'Beware of the tide.',
      'Crew of boats',
      'Share',
      'North › Ida | 2024: 25%',
      'North › Eva | 2024: 50% | 2025: 3',
    ],
  )
})

t.test('A hostile workbook is bounded', async (t) => {
  const merges = `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(20_000)}</mergeCells>`
  const rows = Array.from({ length: 200 }, () => Array.from({ length: 20 }, () => 'x'))
  await t.rejects(readRows(rows, {}, merges), new ReadingFailure('DOCUMENT_TOO_LARGE'))
  const gaps = Array.from(
    { length: amount({ short: 10_000, long: 100_000 }) },
    (_, index) => `<row r="${index * 2 + 3}"><c t="str"><v>x</v></c><c><v>${index}</v></c></row>`,
  )
  const head = '<row r="1"><c t="str"><v>Boat</v></c><c t="str"><v>Crew</v></c></row>'
  t.equal(
    (await read({ sheets: { Gaps: head + gaps.join('') } })).at(-1),
    `Boat: x | Crew: ${gaps.length - 1}`,
  )
  const far = '<row r="1048576"><c r="XFD1048576" t="str"><v>far</v></c></row>'
  t.strictSame(await read({ sheets: { Far: `<row r="1"><c r="A1" t="str"><v>near</v></c></row>${far}` } }), [
    'Far',
    'near',
    'far',
  ])
})
