import { type Archive, unpack } from './archive.ts'
import type { Block } from './blocks.ts'
import { readAuthors, readComments } from './pptx-comments.ts'
import { toReadingOrder } from './reading-order.ts'
import { hasText, listBlocks, readShapes, type Shape } from './shapes.ts'
import { attributeOf, findMainPart, readRelations, readXml, requirePart } from './xml.ts'

/** Placeholders of titles. */
const TITLES = new Set(['title', 'ctrTitle'])
/** The kinds of placeholders in a master that those in a layout inherit from; all others inherit from the body. */
const MASTER_KINDS: Readonly<Record<string, string>> = { title: 'title', ctrTitle: 'title' }

/** Reads a presentation: the slides in their order, each with its notes and comments. */
export async function readPptx(bytes: Buffer): Promise<{ blocks: Block[]; pages: number }> {
  const archive = await unpack(bytes, (name) => /\.(xml|rels)$/i.test(name))
  const main = findMainPart(archive, 'ppt/presentation.xml')
  requirePart(archive, main)
  const relations = readRelations(archive, main)
  const slides = listSlides(archive, main, new Map(relations.map(({ id, target }) => [id, target])))
  const authors = readAuthors(archive, relations)
  const layouts = createLayouts(archive)
  const blocks = [...slides].flatMap((name, index) => {
    const page = index + 1
    const parts = readRelations(archive, name)
    const targets = (type: string) => [
      ...new Set(parts.filter((part) => part.type === type).map(({ target }) => target)),
    ]
    const slide = readShapes(archive, name, page)
    const shapes = slide.shapes.map((shape) => layouts.place(shape, targets('slideLayout')[0]))
    return [
      ...toBlocks(shapes, page, slide.isHidden),
      ...targets('notesSlide').flatMap((notes) =>
        readShapes(archive, notes, page).shapes.flatMap(listBlocks),
      ),
      ...targets('comments').flatMap((comments) => readComments(archive, comments, authors, page)),
    ]
  })
  return { blocks, pages: slides.size }
}

/** Returns the files of the slides, each of which counts once, however often the presentation names it. */
function listSlides(archive: Archive, main: string, targets: ReadonlyMap<string, string>): Set<string> {
  const slides = new Set<string>()
  readXml(archive, main, {
    open(tag, attributes) {
      const target = tag === 'sldId' && targets.get(attributeOf(attributes, 'id') ?? '')
      if (target) slides.add(target)
    },
  })
  return slides
}

/** Returns the title, and the text of the other shapes, from the top left to the bottom right. */
function toBlocks(shapes: readonly Shape[], page: number, isHidden: boolean): Block[] {
  const isTitle = ({ placeholder }: Shape) => placeholder !== undefined && TITLES.has(placeholder.type)
  const titles = shapes.filter(isTitle).flatMap(listBlocks)
  const title = titles.map(({ text }) => text).join(' ')
  return [
    // Without a title of its own, a slide is not under that of the slide before it.
    { kind: 'heading', level: 1, text: title, page },
    ...(isHidden ? [{ kind: 'text' as const, text: 'Hidden slide', page }] : []),
    ...toReadingOrder(shapes.filter((shape) => !isTitle(shape) && hasText(shape))).flatMap(listBlocks),
  ]
}

/** Finds the places of shapes without one of their own, which are the places of the layout's or the master's placeholders. */
function createLayouts(archive: Archive) {
  const read = new Map<string, Shape[]>()
  const placeholdersOf = (name: string) => {
    const shapes = read.get(name) ?? readShapes(archive, name).shapes.filter(({ placeholder }) => placeholder)
    read.set(name, shapes)
    return shapes
  }
  const masterOf = (layout: string) =>
    readRelations(archive, layout).find(({ type }) => type === 'slideMaster')?.target

  return {
    /** Returns a shape of a slide with its place, if a layout has one for it. */
    place(shape: Shape, layout: string | undefined): Shape {
      if (shape.box || !shape.placeholder || layout === undefined) return shape
      const { type, number } = shape.placeholder
      const placeholders = placeholdersOf(layout)
      const placed =
        placeholders.find(({ placeholder }) => placeholder!.number === number) ??
        placeholders.find(({ placeholder }) => placeholder!.type === type)
      if (placed?.box) return { ...shape, box: placed.box }
      const kind = MASTER_KINDS[type] ?? 'body'
      const inherited = placeholdersOf(masterOf(layout) ?? '').find(
        ({ placeholder }) => placeholder!.type === kind,
      )
      return inherited?.box ? { ...shape, box: inherited.box } : shape
    },
  }
}
