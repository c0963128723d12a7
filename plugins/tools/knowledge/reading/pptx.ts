import { type Archive, unpack } from './archive.ts'
import { type Block, toRows } from './blocks.ts'
import { readRelations, readXml, requirePart } from './xml.ts'

const PRESENTATION = 'ppt/presentation.xml'

/** Reads a presentation: the slides in their order, each with its notes. */
export async function readPptx(bytes: Buffer): Promise<{ blocks: Block[]; pages: number }> {
  const archive = await unpack(bytes, (name) => /^ppt\/.*\.(xml|rels)$/.test(name))
  requirePart(archive, PRESENTATION)
  const targets = new Map(readRelations(archive, PRESENTATION).map(({ id, target }) => [id, target]))
  // A slide counts once, however often the presentation names it.
  const slides = new Set<string>()
  readXml(archive, PRESENTATION, {
    open(tag, attributes) {
      const target = tag === 'sldId' && targets.get(attributes['r:id'] ?? '')
      if (target) slides.add(target)
    },
  })
  const blocks = [...slides].flatMap((name, index) => {
    const notes = readRelations(archive, name).filter(({ type }) => type === 'notesSlide')
    return [name, ...new Set(notes.map(({ target }) => target))].flatMap((part) => [
      ...readSlide(archive, part, index + 1),
    ])
  })
  return { blocks, pages: slides.size }
}

/** Returns the title, the paragraphs and the tables of a slide or its notes. */
function readSlide(archive: Archive, name: string, page: number): Block[] {
  const blocks: Block[] = []
  let rows: string[][] | undefined
  let placeholder = ''
  let paragraph = ''
  let isText = false
  const titles: string[] = []
  readXml(archive, name, {
    open(tag, { type = '' }) {
      if (tag === 'sp') placeholder = ''
      else if (tag === 'ph') placeholder = type
      else if (tag === 'tbl') rows = []
      else if (tag === 'tr') rows?.push([])
      else if (tag === 'tc') rows?.at(-1)?.push('')
      else if (tag === 't') isText = true
      else if (tag === 'br') paragraph += '\n'
    },
    text(text) {
      if (isText) paragraph += text
    },
    close(tag) {
      if (tag === 't') isText = false
      else if (tag === 'p') {
        const row = rows?.at(-1)
        if (row && row.length > 0) row.push(`${row.pop()} ${paragraph}`)
        else if (/^(title|ctrTitle)$/.test(placeholder)) titles.push(paragraph)
        // The number, the date and the footer are on every slide.
        else if (!/^(sldNum|dt|ftr)$/.test(placeholder)) blocks.push({ kind: 'text', text: paragraph, page })
        paragraph = ''
      } else if (tag === 'tbl') {
        blocks.push(...toRows(rows ?? [], page))
        rows = undefined
      }
    },
  })
  const title = titles.join(' ').trim()
  return title ? [{ kind: 'heading', level: 1, text: title, page }, ...blocks] : blocks
}
