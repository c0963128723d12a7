import { unpack } from './archive.ts'
import type { Block } from './blocks.ts'
import { ReadingFailure } from './reading-failure.ts'
import { readChunks } from './word/chunks.ts'
import { createDrawings } from './word/drawings.ts'
import { readMargins } from './word/margins.ts'
import { readNotes } from './word/notes.ts'
import { readNumbering } from './word/numbering.ts'
import { createStory, readNoteText, type WordParts } from './word/story.ts'
import { readStyles } from './word/styles.ts'
import { findMainPart, readRelations } from './xml.ts'
import { visitElements, type XmlElement } from './xml-tree.ts'

/** The elements of which a document has most, and whose content is not text. */
const OMITTED = new Set(
  'tcBorders tcMar tcW shd spacing ind jc sz szCs lang color b bCs i iCs u kern proofErr bookmarkStart bookmarkEnd rPrChange pPrChange tblPrChange tblPrExChange tcPrChange trPrChange sectPrChange numberingChange'.split(
    ' ',
  ),
)
/** The name of the main part in documents that do not tell it. */
const USUAL_MAIN = 'word/document.xml'

/**
 * Reads a Word document: the heads of its pages, its text with notes and comments, and the feet. One that is in another
 * one may be less large.
 */
export async function readDocx(bytes: Buffer, maxBytes?: number): Promise<Block[]> {
  const archive = await unpack(bytes, (name) => /\.(xml|rels|x?html?|txt|docx)$/i.test(name), maxBytes)
  const main = findMainPart(archive, USUAL_MAIN)
  const relations = readRelations(archive, main)
  const findPart = (kind: string) => relations.find(({ type }) => type === kind)?.target

  const styles = readStyles(archive, findPart('styles'))
  const numbering = readNumbering(archive, findPart('numbering'), styles)
  const texts: WordParts = { styles, numbering }
  const readNote = (element: XmlElement) => readNoteText(texts, element)
  const parts: WordParts = {
    ...texts,
    footnotes: readNotes(archive, findPart('footnotes'), 'footnotes', readNote),
    endnotes: readNotes(archive, findPart('endnotes'), 'endnotes', readNote),
    comments: readNotes(archive, findPart('comments'), 'comments', (element) => {
      const author = element.attributes.author?.trim()
      return `Comment${author ? ` (${author})` : ''}: ${readNote(element)}`
    }),
    drawings: createDrawings(archive, relations),
    chunks: maxBytes === undefined ? await readChunks(archive, relations, readDocx) : new Map(),
  }

  const sections: XmlElement[] = []
  const story = createStory(parts, { sections })
  if (!visitElements(archive, main, 'body', story.read, OMITTED)) throw new ReadingFailure('DOCUMENT_DAMAGED')
  const blocks = story.end()
  const targets = new Map(relations.map(({ id, target }) => [id, target]))
  const surroundings = { sections, targets, settings: findPart('settings') }
  return [
    ...readMargins(archive, texts, 'header', surroundings),
    ...blocks,
    ...readMargins(archive, texts, 'footer', surroundings),
  ]
}
