import { makeZip, type ZipEntry } from './zip.ts'

const MEDIA_TYPES = { odt: 'text', ods: 'spreadsheet', odp: 'presentation' }
const BODIES = { odt: 'text', ods: 'spreadsheet', odp: 'presentation' }
const NAMESPACES = ['office', 'style', 'text', 'table', 'presentation', 'chart', 'form']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat([
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"',
    'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"',
    'xmlns:dc="http://purl.org/dc/elements/1.1/"',
    'xmlns:xlink="http://www.w3.org/1999/xlink"',
    'xmlns:math="http://www.w3.org/1998/Math/MathML"',
  ])
  .join(' ')

/** The kinds of OpenDocument files. */
export type OpenDocumentKind = keyof typeof MEDIA_TYPES

/** The parts of an OpenDocument file beside its body. */
export interface OpenDocumentParts {
  /** The content of the automatic styles of the body. */
  styles?: string
  /** The content of the styles of the document, and of its master pages. */
  documentStyles?: string
  masterStyles?: string
  files?: ZipEntry[]
  manifest?: string
}

const toMediaType = (kind: OpenDocumentKind) => `application/vnd.oasis.opendocument.${MEDIA_TYPES[kind]}`
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Makes the XML of a content, such as that of an object. */
export const makeContent = (body: string, styles = '') =>
  `${DECLARATION}<office:document-content ${NAMESPACES}><office:automatic-styles>${styles}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`

/** Makes an OpenDocument file of the XML of its body. */
export function makeOpenDocument(
  kind: OpenDocumentKind,
  body: string,
  { styles = '', documentStyles = '', masterStyles = '', files = [], manifest = '' }: OpenDocumentParts = {},
): Buffer {
  const element = `office:${BODIES[kind]}`
  return makeZip([
    { name: 'mimetype', content: toMediaType(kind), method: 0 },
    { name: 'content.xml', content: makeContent(`<${element}>${body}</${element}>`, styles) },
    {
      name: 'styles.xml',
      content: `${DECLARATION}<office:document-styles ${NAMESPACES}><office:styles>${documentStyles}</office:styles><office:master-styles>${masterStyles}</office:master-styles></office:document-styles>`,
    },
    { name: 'META-INF/manifest.xml', content: `<manifest:manifest>${manifest}</manifest:manifest>` },
    ...files,
  ])
}

/** Makes an OpenDocument file that is a single XML file. */
export function makeFlatOpenDocument(
  kind: OpenDocumentKind,
  body: string,
  { styles = '', documentStyles = '', masterStyles = '' }: OpenDocumentParts = {},
): Buffer {
  const element = `office:${BODIES[kind]}`
  return Buffer.from(
    `${DECLARATION}<office:document ${NAMESPACES} office:mimetype="${toMediaType(kind)}"><office:styles>${documentStyles}</office:styles><office:automatic-styles>${styles}</office:automatic-styles><office:master-styles>${masterStyles}</office:master-styles><office:body><${element}>${body}</${element}></office:body></office:document>`,
  )
}
