import { constants, deflateSync } from 'node:zlib'
import { makeZip } from './zip.ts'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const relations = (list: [id: string, type: string, target: string][]) =>
  `<Relationships xmlns="${RELATIONS}">${list
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

const toZip = (files: Record<string, string>) =>
  makeZip(Object.entries(files).map(([name, content]) => ({ name, content })))

/** Makes a Word document of headings (level 1 to 6), paragraphs and tables. */
export function makeDocx(
  parts: ({ heading: string; level: number } | { text: string } | { table: string[][] })[],
): Buffer {
  const paragraph = (text: string, style = '') =>
    `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${escapeXml(text)}</w:t></w:r></w:p>`
  const body = parts.map((part) => {
    if ('heading' in part) return paragraph(part.heading, `Heading${part.level}`)
    if ('text' in part) return paragraph(part.text)
    const rows = part.table.map(
      (row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`,
    )
    return `<w:tbl>${rows.join('')}</w:tbl>`
  })
  const styles = [1, 2, 3, 4, 5, 6].map(
    (level) =>
      `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`,
  )
  const namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
  return toZip({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    '_rels/.rels': relations([['rId1', 'officeDocument', 'word/document.xml']]),
    'word/_rels/document.xml.rels': relations([['rId1', 'styles', 'styles.xml']]),
    'word/styles.xml': `<w:styles ${namespace}>${styles.join('')}</w:styles>`,
    'word/document.xml': `<w:document ${namespace}><w:body>${body.join('')}</w:body></w:document>`,
  })
}

/** Makes a presentation; the files of its slides are numbered against their order. */
export function makePptx(
  slides: { title: string; text: string; table?: string[][]; notes?: string }[],
): Buffer {
  const namespaces = `xmlns:a="a" xmlns:p="p" xmlns:r="${OFFICE}"`
  const shape = (text: string, type = 'body') =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${text
      .split('\n')
      .map((line) => `<a:p><a:r><a:t>${escapeXml(line)}</a:t></a:r></a:p>`)
      .join('')}</p:txBody></p:sp>`
  const tableOf = (rows: string[][]) =>
    `<a:tbl>${rows
      .map(
        (row) =>
          `<a:tr>${row.map((cell) => `<a:tc><a:txBody><a:p><a:r><a:t>${escapeXml(cell)}</a:t></a:r></a:p></a:txBody></a:tc>`).join('')}</a:tr>`,
      )
      .join('')}</a:tbl>`
  const files: Record<string, string> = {}
  const numberOf = (index: number) => slides.length - index
  for (const [index, { title, text, table, notes }] of slides.entries()) {
    const number = numberOf(index)
    files[`ppt/slides/slide${number}.xml`] =
      `<p:sld ${namespaces}>${shape(text)}${shape(title, 'title')}${shape('7', 'sldNum')}${table ? tableOf(table) : ''}</p:sld>`
    if (notes === undefined) continue
    files[`ppt/slides/_rels/slide${number}.xml.rels`] = relations([
      ['rId1', 'notesSlide', `../notesSlides/notesSlide${number}.xml`],
    ])
    files[`ppt/notesSlides/notesSlide${number}.xml`] = `<p:notes ${namespaces}>${shape(notes)}</p:notes>`
  }
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="s${index}"/>`)
  return toZip({
    'ppt/presentation.xml': `<p:presentation ${namespaces}><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      slides.map((_, index) => [`s${index}`, 'slide', `slides/slide${numberOf(index)}.xml`]),
    ),
    ...files,
  })
}

/** Makes a workbook; a number in a cell is stored as one, and a Date as a number that is shown as a date. */
export function makeXlsx(sheets: Record<string, (string | number | Date)[][]>): Buffer {
  const texts: string[] = []
  const cellOf = (cell: string | number | Date, row: number, column: number) => {
    const reference = `${String.fromCharCode(65 + column)}${row + 1}`
    if (typeof cell === 'string') {
      texts.push(cell)
      return `<c r="${reference}" t="s"><v>${texts.length - 1}</v></c>`
    }
    if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`
    return `<c r="${reference}" s="1"><v>${cell.getTime() / 86_400_000 + 25_569}</v></c>`
  }
  const names = Object.keys(sheets)
  const files = Object.fromEntries(
    Object.values(sheets).map((rows, index) => [
      `xl/worksheets/sheet${index + 1}.xml`,
      `<worksheet><sheetData>${rows
        .map(
          (row, at) =>
            `<row r="${at + 1}">${row.map((cell, column) => cellOf(cell, at, column)).join('')}</row>`,
        )
        .join('')}</sheetData></worksheet>`,
    ]),
  )
  return toZip({
    'xl/workbook.xml': `<workbook xmlns:r="${OFFICE}"><sheets>${names
      .map((name, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="r${index}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      names.map((_, index) => [`r${index}`, 'worksheet', `worksheets/sheet${index + 1}.xml`]),
    ),
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si><t>${escapeXml(text)}</t></si>`).join('')}</sst>`,
    ...files,
  })
}

/** Deflates blanks, in pieces that are made once and repeated; the checksum at the end is missing. */
function deflateBlanks(bytes: number): Buffer {
  const piece = Buffer.alloc(BLANKS_PIECE, ' ')
  const deflated = deflateSync(piece, { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const [head, body] = [deflated.subarray(0, 2), deflated.subarray(2)]
  return Buffer.concat([head, ...Array.from({ length: bytes / BLANKS_PIECE }, () => body)])
}

const BLANKS_PIECE = 16 * 1024 * 1024

/** Makes a PDF whose only page unpacks to blanks, after being packed once or twice. */
export function makePdfBomb(bytes: number, { isTwice = false } = {}): Buffer {
  const once = deflateBlanks(bytes)
  const [content, filter] = isTwice
    ? [deflateSync(once, { level: 9 }), '[/FlateDecode /FlateDecode]']
    : [once, '/FlateDecode']
  return joinPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << >> >>',
    `<< /Length ${content.length} /Filter ${filter} >>\nstream\n${content.toString('latin1')}\nendstream`,
  ])
}

/** Makes a PDF that cannot be read to its end: its page shows 10 forms, each of which shows 10 others, 12 times. */
export function makeEndlessPdf(): Buffer {
  const font = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>'
  const text = 'BT /F 11 Tf 60 700 Td (Again.) Tj ET'
  const form = (content: string, forms: string) =>
    `<< /Length ${content.length} /Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << ${font} ${forms} >> >>\nstream\n${content}\nendstream`
  const nested = Array.from({ length: 12 }, (_, index) =>
    form(`${text} ${'/X Do '.repeat(10)}`, `/XObject << /X ${6 + index} 0 R >>`),
  )
  return joinPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
    '<< /Length 5 >>\nstream\n/X Do\nendstream',
    ...nested,
    form(text, ''),
  ])
}

/** A line of a page: its text and the size of its type. */
type PdfLine = [text: string, size?: number]

/** Makes a PDF of pages with lines of Latin text, one below the other; an empty line is a gap. */
export function makePdf(pages: PdfLine[][], { isEncrypted = false } = {}): Buffer {
  const contents = pages.map((lines) => {
    let y = 780
    const shown = lines.map(([text, size = 11]) => {
      y -= size * 1.3
      return text === ''
        ? ''
        : `BT /F1 ${size} Tf 60 ${y.toFixed(1)} Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`
    })
    return shown.join('\n')
  })
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ]
  const key = 'ab'.repeat(32)
  return joinPdf(
    objects,
    isEncrypted
      ? ` /Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> /ID [<${key}> <${key}>]`
      : '',
  )
}

/** Joins the objects of a PDF, of which the first is the catalog. */
export function joinPdf(objects: readonly string[], trailer = ''): Buffer {
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = file.length
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${trailer} >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}
