import { makeZip, type ZipEntry } from './zip.ts'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'
const NAMESPACES = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  `xmlns:r="${OFFICE}"`,
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"',
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
  'xmlns:v="urn:schemas-microsoft-com:vml"',
  'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"',
].join(' ')

/** The kinds of parts, with the names of their files and of their root elements. */
const PARTS = {
  styles: ['styles.xml', 'styles'],
  numbering: ['numbering.xml', 'numbering'],
  settings: ['settings.xml', 'settings'],
  footnotes: ['footnotes.xml', 'footnotes'],
  endnotes: ['endnotes.xml', 'endnotes'],
  comments: ['comments.xml', 'comments'],
} as const

/** The parts of a Word document, as the XML within their root elements. */
export type WordSource = Partial<Record<keyof typeof PARTS, string>> & {
  body: string
  /** Heads, feet, and further files, by their relations. */
  more?: Record<string, { type: string; file: string; content: string | Buffer }>
  /** The name of the main file. */
  main?: string
}

/** Makes the entries of a Word document from XML. */
export function makeWordEntries({
  body,
  main = 'word/document.xml',
  more = {},
  ...parts
}: WordSource): ZipEntry[] {
  const slash = main.lastIndexOf('/') + 1
  const [folder, file] = [main.slice(0, slash), main.slice(slash)]
  const relations: [id: string, type: string, target: string][] = []
  const files: ZipEntry[] = []
  for (const [type, [target, root]] of Object.entries(PARTS)) {
    const content = parts[type as keyof typeof PARTS]
    if (content === undefined) continue
    relations.push([`own-${type}`, type, target])
    files.push({ name: `${folder}${target}`, content: `<w:${root} ${NAMESPACES}>${content}</w:${root}>` })
  }
  for (const [id, { type, file: target, content }] of Object.entries(more)) {
    relations.push([id, type, target])
    files.push({ name: `${folder}${target}`, content })
  }
  return [
    { name: '[Content_Types].xml', content: '<Types/>' },
    { name: '_rels/.rels', content: toRelations([['rId1', 'officeDocument', `/${main}`]]) },
    { name: main, content: `<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>` },
    { name: `${folder}_rels/${file}.rels`, content: toRelations(relations) },
    ...files,
  ]
}

/** Makes a Word document from XML. */
export const makeWord = (source: WordSource): Buffer => makeZip(makeWordEntries(source))

const toRelations = (list: readonly (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships xmlns="${PACKAGE}">${list
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

/** Makes the head or the foot of pages. */
export const makeMargin = (root: 'hdr' | 'ftr', content: string): string =>
  `<w:${root} ${NAMESPACES}>${content}</w:${root}>`

/** Makes a run with a text. */
export const run = (text: string, properties = ''): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`

/** Makes a paragraph of runs, or of a text. */
export const paragraph = (content: string, properties = ''): string =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${content.startsWith('<') ? content : run(content)}</w:p>`

/** Makes the characters around a field: its instruction and its result. */
export const field = (instruction: string, result: string, data = ''): string =>
  `<w:r><w:fldChar w:fldCharType="begin">${data}</w:fldChar></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r>${
    result && `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}`
  }<w:r><w:fldChar w:fldCharType="end"/></w:r>`

/** Makes a cell of paragraphs or tables, with its properties. */
export const cell = (content: string, properties = ''): string =>
  `<w:tc>${properties && `<w:tcPr>${properties}</w:tcPr>`}${content.startsWith('<') ? content : paragraph(content)}</w:tc>`

/** Makes a table from the XML of its rows. */
export const table = (...rows: string[]): string =>
  `<w:tbl>${rows.map((row) => (row.startsWith('<w:tr') ? row : `<w:tr>${row}</w:tr>`)).join('')}</w:tbl>`
