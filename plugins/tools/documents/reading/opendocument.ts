import { type Archive, unpack } from './archive.ts'
import type { Block } from './blocks.ts'
import { type OpenDocument, readContent } from './opendocument-content.ts'
import { createStyles } from './opendocument-styles.ts'
import { createCellCounter } from './opendocument-table.ts'
import { ReadingFailure } from './reading-failure.ts'
import { readXml, requirePart } from './xml.ts'
import { isZip } from './zip-format.ts'

const CONTENT = 'content.xml'
const STYLES = 'styles.xml'
const MANIFEST = 'META-INF/manifest.xml'

/** Reads an OpenDocument text, spreadsheet or presentation, which is an archive or a single XML file. */
export async function readOpenDocument(
  bytes: Buffer,
  kind: OpenDocument['kind'],
): Promise<Block[] | { blocks: Block[]; pages: number }> {
  const archive: Archive = isZip(bytes) ? await unpackDocument(bytes) : new Map([[CONTENT, bytes]])
  const document = {
    archive,
    kind,
    styles: createStyles(),
    count: createCellCounter(),
    objects: new Set([CONTENT]),
  }
  const edges = readContent(document, archive.has(STYLES) ? STYLES : CONTENT, { isEdges: true })
  const { blocks, pages } = readContent(document, CONTENT)
  if (kind === 'odp') return { blocks, pages }
  // The heads and feet of a sheet are its name and the number of a page.
  return kind === 'odt' ? [...listOnce(edges.blocks), ...blocks, ...listOnce(edges.feet)] : blocks
}

async function unpackDocument(bytes: Buffer): Promise<Archive> {
  const archive = await unpack(
    bytes,
    (name) => name === MANIFEST || name === STYLES || /(^|\/)content\.xml$/.test(name),
  )
  readXml(archive, MANIFEST, {
    open(tag) {
      if (tag === 'encryption-data') throw new ReadingFailure('DOCUMENT_ENCRYPTED')
    },
  })
  requirePart(archive, CONTENT)
  return archive
}

/** Returns the heads or feet of pages, each once, without numbers of pages. */
function listOnce(blocks: readonly Block[]): Block[] {
  const texts = new Set<string>()
  return blocks.flatMap(({ text }): Block[] => {
    const clean = text.trim()
    if (texts.has(clean) || !/\p{L}/u.test(clean)) return []
    texts.add(clean)
    return [{ kind: 'text', text: clean }]
  })
}
