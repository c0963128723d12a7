import type { Archive } from './archive.ts'
import { resolvePath } from './archive-path.ts'
import type { Block } from './blocks.ts'
import { createFormula, type Formula } from './mathml.ts'
import { createFlow, endParagraph, joinTexts, toCellText, toSheetText } from './opendocument-flow.ts'
import { isHidden, isPageEdge } from './opendocument-hidden.ts'
import { createNumbering } from './opendocument-lists.ts'
import { createPrefixes } from './opendocument-prefixes.ts'
import { type Attributes, createStyles, type Styles } from './opendocument-styles.ts'
import { type CellCounter, createTable, type OpenTable } from './opendocument-table.ts'
import { ReadingFailure } from './reading-failure.ts'
import { toSheetRows } from './sheet-tables.ts'
import { toGrid } from './table-grid.ts'
import { toRows } from './tables.ts'
import { removePageNumbers } from './word/page-numbers.ts'
import { readXml } from './xml.ts'

/** The most objects within each other, and tables, whose text is copied into the outer ones. */
const MAX_OBJECTS = 5
const MAX_TABLES = 20
const MAX_LEVEL = 10
/** The most spaces in one. */
const MAX_SPACES = 100

/** Elements with paragraphs of their own beside those around them. */
const FLOWS = new Set(
  'table-cell note annotation frame custom-shape rect square circle ellipse line polyline polygon path connector caption measure regular-polygon control g scene'.split(
    ' ',
  ),
)
/** The styles of titles, of code, and of heads of tables. */
const TITLE = 'Title'
const PREFORMATTED = 'Preformatted_20_Text'
const TABLE_HEADING = 'Table_20_Heading'

/** The parts of a document that its contents share. */
export interface OpenDocument {
  archive: Archive
  kind: 'odt' | 'ods' | 'odp'
  styles: Styles
  count: CellCounter
  /** The files of objects that were read: each counts once. */
  objects: Set<string>
}

/** The text of a content. */
export interface Content {
  blocks: Block[]
  /** The blocks of the feet of pages. */
  feet: Block[]
  /** The text of the formula that the content is; empty if it is something else. */
  formula: string
  /** The number of slides. */
  pages: number
}

/**
 * Returns the text of a file: of the document, of an object within it, or of the heads and feet of its pages. Throws
 * DOCUMENT_TOO_LARGE.
 */
export function readContent(
  document: OpenDocument,
  name: string,
  { depth = 0, isEdges = false } = {},
): Content {
  const { archive, kind, count, objects } = document
  // An object has styles of its own.
  const styles = depth === 0 ? document.styles : createStyles()
  const numbering = createNumbering(styles)
  const withUsualPrefixes = createPrefixes()
  const body = createFlow('', {})
  const flows = [body]
  const feet: Block[] = []
  const tables: OpenTable[] = []
  let sheet = ''
  let formula: Formula | undefined
  let formulas = ''
  let skipped = 0
  let page: number | undefined
  /** The position of the next title among the blocks of a slide. */
  let titleAt = 0
  let isSheet = false
  /** The element whose text is the author of a comment or the mark of a note. */
  let labelTag: string | undefined
  let hasPageNumber = false

  const current = () => flows.at(-1)!
  const beginParagraph = (tag: string, attributes: Attributes) => {
    const flow = current()
    endParagraph(flow, page)
    hasPageNumber = false
    const style = styles.find('paragraph', attributes['text:style-name'])
    const { names, list, isBold } = style
    const outline = toNumber(attributes['text:outline-level'], MAX_LEVEL)
    const isTitle = names.includes(TITLE)
    const isNumbered = tag === 'h' && flow.lists.length === 0 && list !== ''
    const label = isNumbered ? numbering.countHeading(outline, attributes) : flow.label
    flow.label = ''
    if (isBold || names.includes(TABLE_HEADING)) flow.isHead = true
    flow.paragraph = {
      level: isTitle ? 1 : tag === 'h' ? outline : undefined,
      label: label === '-' && flow.tag === 'table-cell' ? '' : label,
      text: '',
      isCode: names.includes(PREFORMATTED),
      isHidden: style.isHidden === true,
      after: [],
    }
  }
  const addText = (text: string) => {
    const { paragraph } = current()
    if (paragraph) paragraph.text += text
  }
  /** Adds blocks behind the paragraph around them, or behind the sheet or the rest of a table. */
  const addBlocks = (blocks: readonly Block[]) => {
    const flow = current()
    const table = isSheet || flow === body ? tables.at(-1) : undefined
    const target = table?.after ?? flow.paragraph?.after ?? flow.blocks
    for (const block of blocks) target.push(block)
  }
  /** Adds a note or a comment, behind the row of a table if it is in one. */
  const addNote = (text: string) => {
    const cell = flows.findLast(({ tag }) => tag === 'table-cell')
    if (cell) cell.notes.push(text)
    else addBlocks([{ kind: 'text', text, page }])
  }
  /** Adds text to the paragraph around a frame, if it has one. */
  const addInline = (text: string) => {
    const around = flows.findLast(({ paragraph, tag }) => paragraph || tag === 'table-cell')
    if (around?.paragraph) around.paragraph.text += text
    else addBlocks([{ kind: 'text', text, page }])
  }
  const endFlow = () => {
    const flow = flows.pop()!
    endParagraph(flow, page)
    const { tag, attributes, blocks } = flow
    const name = flow.name.trim()
    if (tag === 'table-cell') {
      const text = isSheet ? toSheetText(flow) : toCellText(flow)
      const { isBold } = styles.find('table-cell', attributes['table:style-name'])
      const isHead = flow.isHead || isBold === true
      tables.at(-1)?.addCell(attributes, { text, isHead, notes: flow.notes })
    } else if (tag === 'annotation') {
      const text = joinTexts(blocks)
      const prefix = name ? `Comment (${name})` : 'Comment'
      if (text) addNote(`${prefix}: ${text}`)
    } else if (tag === 'note') {
      const mark = name ? `[${name}]` : ''
      addText(mark)
      const text = joinTexts(blocks, '\n')
      if (text) addNote(`${mark} ${text}`.trim())
    } else if (attributes['presentation:class'] === 'title' && flows.length === 1) {
      const text = joinTexts(blocks)
      if (text) body.blocks.splice(titleAt++, 0, { kind: 'heading', level: 1, text, page })
    } else if (isEdges && tag.startsWith('footer')) for (const block of blocks) feet.push(block)
    else addBlocks(blocks)
  }
  const endTable = () => {
    const table = tables.pop()
    if (!table) return
    const { rows, heads } = table.close()
    const isWhole = isSheet && tables.length === 0
    const blocks = [...(isWhole ? toSheetRows(toGrid(rows), page) : toRows(rows, { page, heads }))]
    if (tables.length > 0) {
      // A table within a cell becomes text of the cell.
      addBlocks([{ kind: 'text', text: joinTexts(blocks, '; ') }])
      addBlocks(table.after)
      return
    }
    const isEmpty = blocks.length + table.after.length === 0
    if (isWhole && kind === 'ods' && depth === 0 && !isEmpty)
      addBlocks([{ kind: 'heading', level: 1, text: sheet }])
    addBlocks(blocks)
    addBlocks(table.after)
  }
  const readObject = (href: string) => {
    const path = resolvePath(archive, name, `${href}/content.xml`)
    if (depth >= MAX_OBJECTS || !archive.has(path) || objects.has(path)) return
    objects.add(path)
    const content = readContent(document, path, { depth: depth + 1 })
    if (content.formula) addInline(content.formula)
    addBlocks(content.blocks.map((block) => ({ ...block, page })))
  }
  const isSkipped = (tag: string, attributes: Attributes): boolean => {
    if (tag === 'covered-table-cell') {
      tables.at(-1)?.skipCell(attributes)
      return true
    }
    if (tag === 'table-row') return tables.at(-1)?.openRow(attributes) === false
    return tag === (isEdges ? 'body' : 'master-styles') || isHidden(tag, attributes, styles)
  }
  const openElement = (tag: string, attributes: Attributes) => {
    const flow = current()
    switch (tag) {
      case 'p':
      case 'h':
        return beginParagraph(tag, attributes)
      case 's':
        return addText(' '.repeat(toNumber(attributes['text:c'], MAX_SPACES)))
      case 'tab':
        return addText('\t')
      case 'line-break':
        return addText('\n')
      case 'hidden-paragraph':
        if (flow.paragraph && attributes['text:is-hidden'] === 'true') flow.paragraph.isHidden = true
        return
      case 'list':
        return void flow.lists.push(numbering.openList(attributes, flow.lists.at(-1)))
      case 'list-item': {
        const list = flow.lists.at(-1)
        if (list) flow.label = numbering.countItem(list, attributes)
        return
      }
      case 'table':
        if (tables.length >= MAX_TABLES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
        if (tables.length === 0) sheet = attributes['table:name'] ?? ''
        return void tables.push(createTable(count))
      case 'table-column':
        return tables.at(-1)?.addColumns(attributes)
      case 'table-header-rows':
        return tables.at(-1)?.setHead(true)
      case 'math':
        formula = createFormula()
        return
      case 'object':
      case 'object-ole':
        return readObject(attributes['xlink:href'] ?? '')
      case 'spreadsheet':
        isSheet = true
        return
      case 'page':
        if (kind !== 'odp' || depth > 0) return
        page = (page ?? 0) + 1
        titleAt = body.blocks.length
        if (styles.find('drawing-page', attributes['draw:style-name']).isHidden)
          addBlocks([{ kind: 'text', text: 'Hidden slide', page }])
        return
      case 'page-number':
      case 'page-count':
        hasPageNumber = true
        return
      case 'creator':
      case 'note-citation':
        if (!flow.paragraph) labelTag = tag
        return
      default:
        if (FLOWS.has(tag) || (isEdges && isPageEdge(tag))) flows.push(createFlow(tag, attributes))
    }
  }
  const closeElement = (tag: string) => {
    const flow = current()
    if (flow.tag === tag) endFlow()
    else if (tag === 'p' || tag === 'h') {
      if (isEdges && flow.paragraph)
        flow.paragraph.text = removePageNumbers(flow.paragraph.text, hasPageNumber)
      endParagraph(flow, page)
    } else if (tag === 'list') flow.lists.pop()
    else if (tag === 'list-item') flow.label = ''
    else if (tag === 'table-row') tables.at(-1)?.closeRow()
    else if (tag === 'table-header-rows') tables.at(-1)?.setHead(false)
    else if (tag === 'table') endTable()
    else if (tag === labelTag) labelTag = undefined
    else if (tag === 'spreadsheet') isSheet = false
  }

  readXml(archive, name, {
    open(tag, written) {
      const attributes = withUsualPrefixes(written)
      if (formula) formula.open(tag)
      else if (skipped > 0 || isSkipped(tag, attributes)) skipped += 1
      else {
        styles.open(tag, attributes)
        openElement(tag, attributes)
      }
    },
    text(text) {
      if (formula) formula.text(text)
      else if (labelTag) current().name += text
      else if (skipped === 0) addText(text.replace(/[ \t\r\n]+/g, ' '))
    },
    close(tag) {
      if (formula) {
        formula.close()
        if (tag !== 'math') return
        const text = formula.toString()
        formula = undefined
        if (flows.length === 1 && !body.paragraph) formulas += text
        else addInline(text)
      } else if (skipped > 0) skipped -= 1
      else {
        styles.close(tag)
        closeElement(tag)
      }
    },
  })
  return { blocks: body.blocks, feet, formula: formulas, pages: page ?? 0 }
}

/** Returns the whole number of an attribute: at least 1, and at most `max`. */
const toNumber = (attribute: string | undefined, max: number) =>
  Math.min(max, Math.max(1, Math.trunc(Number(attribute)) || 1))
