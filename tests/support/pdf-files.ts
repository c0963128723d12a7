import { joinPdf } from './office-files.ts'

/** A page: its operators, and entries of its dictionary. */
interface PdfPage {
  content: string
  entries?: string
}

/** The resources of the pages, and further objects, of which the first has the number that `FIRST_OBJECT` is. */
interface PdfParts {
  fonts?: Record<string, string>
  resources?: string
  catalog?: string
  objects?: string[]
  trailer?: string
}

/** The number of the first further object. */
export const FIRST_OBJECT = 4

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'
const BOLD = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>'

/** Makes a PDF of pages that show text by operators; the fonts /F and /B are there always. */
export function drawPdf(pages: readonly PdfPage[], parts: PdfParts = {}): Buffer {
  const { fonts = {}, resources = '', catalog = '', objects = [], trailer = '' } = parts
  const all = [...objects, ...Object.values({ F: HELVETICA, B: BOLD, ...fonts })]
  const dictionary = ['F', 'B', ...Object.keys(fonts)]
    .map((name, index) => `/${name} ${FIRST_OBJECT + objects.length + index} 0 R`)
    .join(' ')
  const first = FIRST_OBJECT + all.length
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(' ')
  return joinPdf(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] /MediaBox [0 0 595 842] /Resources 3 0 R >>`,
      `<< /Font << ${dictionary} >> ${resources} >>`,
      ...all,
      ...pages.flatMap(({ content, entries = '' }, index) => [
        `<< /Type /Page /Parent 2 0 R /Contents ${first + index * 2 + 1} 0 R ${entries} >>`,
        toStream(content),
      ]),
    ],
    trailer,
  )
}

/** Converts content to a stream, with entries of its dictionary. */
export const toStream = (content: string, entries = '') =>
  `<< /Length ${Buffer.byteLength(content, 'latin1')} ${entries} >>\nstream\n${content}\nendstream`

/** Shows texts at places, in points from the lower left corner. */
export const show = (...texts: [x: number, y: number, text: string, font?: string, size?: number][]) =>
  texts
    .map(
      ([x, y, text, font = 'F', size = 10]) =>
        `BT /${font} ${size} Tf ${x} ${y} Td ${/^<.*>$/.test(text) ? text : `(${text.replace(/[()\\]/g, '\\$&')})`} Tj ET`,
    )
    .join('\n')

/** Describes a font of a CJK encoding that is not embedded and has no ToUnicode. */
export const cjkFont = (encoding: string, ordering: string) =>
  `<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /${encoding} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 0 >> /DW 1000 /FontDescriptor << /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >> >>] >>`
