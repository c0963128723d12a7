import { unpack } from './archive.ts'
import type { Block } from './blocks.ts'
import { decodeText } from './decode-text.ts'
import { type ContentsEntry, readContents } from './epub-contents.ts'
import { readPackage } from './epub-package.ts'
import { readBlocks } from './html.ts'

/** The files of a book that are not read, by the endings of their names. */
const MEDIA =
  /\.(?:jpe?g|png|gif|webp|avif|bmp|tiff?|svgz?|css|js|ttf|otf|woff2?|eot|mp[34]|m4[av]|og[agv]|wav|webm|pdf|smil)$/i
/** Elements of pages on the web, some of which are left out there; all parts of a chapter belong to the book. */
const PARTS = /<(\/?)(?:article|aside|footer|header|main)(?=[\s/>])/gi
/** An element of XHTML without content, which HTML would leave open. */
const EMPTY_ELEMENT =
  /<(?!(?:area|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([a-z][\w:-]*)(\s[^<>]*)?\/>/gi
/** A link with its attributes and its text, if both are short. */
const LINK = /<a\b([^<>]{0,500})>([\s\S]{0,200}?)<\/a>/g
/** The mark of a note, which would be part of a word, and the way back from the note. */
const IS_MARK = /epub:type="[^"]*\bnoteref\b|role="doc-noteref"/
const IS_BACKLINK = /epub:type="[^"]*\bbacklink\b|role="doc-backlink"/
/** The most characters of a cover or of a list of contents, beside the titles of the list. */
const MAX_FRONT_CHARS = 300

/** Reads a book: its chapters in their order, with the titles of its list of contents if they have none of their own. */
export async function readEpub(bytes: Buffer): Promise<Block[]> {
  const archive = await unpack(bytes, (name) => !MEDIA.test(name))
  const { chapters, contents, fronts } = readPackage(archive)
  const entries = contents === undefined ? new Map<string, ContentsEntry>() : readContents(archive, contents)
  const mostOfFront = [...entries.values()].reduce(
    (sum, { title }) => sum + title.length * 2,
    MAX_FRONT_CHARS,
  )
  const book: Block[] = []
  for (const path of chapters) {
    const source = await decodeText(archive.get(path)!, { format: 'html' })
    const blocks = readBlocks(toHtml(source))
    if (fronts.has(path) && chapters.length > 1 && sizeOf(blocks) <= mostOfFront) continue
    const entry = entries.get(path)
    if (entry && blocks.length > 0 && !blocks.some(({ kind }) => kind === 'heading'))
      book.push({ kind: 'heading', level: entry.level, text: entry.title })
    for (const block of blocks) book.push(block)
  }
  return book
}

/** Returns the XHTML of a chapter as HTML that means the same, with all of its parts as content. */
const toHtml = (source: string) =>
  source
    .replace(LINK, toMark)
    .replace(PARTS, '<$1div')
    .replace(EMPTY_ELEMENT, (_, name: string, attributes = '') => `<${name}${attributes}></${name}>`)

/** Puts the mark of a note in brackets, and removes the way back from a note. */
function toMark(link: string, attributes: string, content: string): string {
  if (IS_BACKLINK.test(attributes)) return ''
  const mark = content.replace(/<[^<>]*>|[[\]()\s]/g, '')
  return IS_MARK.test(attributes) && mark !== '' ? `[${mark}]` : link
}

const sizeOf = (blocks: readonly Block[]) => blocks.reduce((sum, { text }) => sum + text.length, 0)
