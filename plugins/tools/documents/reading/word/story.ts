import type { Block } from '../blocks.ts'
import { ReadingFailure } from '../reading-failure.ts'
import { toRows } from '../tables.ts'
import { findChild, findValue, isOn, type XmlElement } from '../xml-tree.ts'
import { createLineReader, isSkipped, type Line, type LineParts } from './lines.ts'
import type { Numbering } from './numbering.ts'
import { removePageNumbers } from './page-numbers.ts'
import { findOutlineLevel, isBodyLevel } from './styles.ts'
import { isLayout, isPlaceholder, joinBlocks, readTable } from './tables.ts'

/** The parts of a document that its texts refer to. */
export interface WordParts extends LineParts {
  numbering: Numbering
  /** The content of embedded files by their relations. */
  chunks?: Map<string, readonly Block[]>
}

/** A sequence of paragraphs and tables: a text, or the content of a cell or of a text box. */
interface Flow {
  blocks: Block[]
  /** The notes of a cell, which follow its table. */
  notes: Block[]
  isCell: boolean
  /** The beginning of the next paragraph: text whose paragraph mark is deleted, or a large first letter. */
  carried: string
}

/** The most tables within each other, since the text of an inner one is copied into each outer one. */
const MAX_TABLES = 20
/** The most sections whose heads and feet are read. */
const MAX_SECTIONS = 10_000

/** Elements that are parts of a paragraph, and form one if they are outside. */
const INLINE = new Set('r hyperlink fldSimple oMath oMathPara t'.split(' '))
/**
 * Creates a reader of a text of a document: its body, a note, or the head or foot of pages. `sections` receives the
 * properties of its sections.
 */
export function createStory(
  parts: WordParts,
  { isMargin = false, sections = [] }: { isMargin?: boolean; sections?: XmlElement[] } = {},
) {
  const readLine = createLineReader(parts, (elements) => readFlow(elements, createFlow(false)))
  const countParagraph = parts.numbering.createCounters()
  const body = createFlow(false)
  let openTables = 0

  function createFlow(isCell: boolean): Flow {
    return { blocks: [], notes: [], isCell, carried: '' }
  }

  const addSection = (section: XmlElement) => {
    if (sections.length < MAX_SECTIONS) sections.push(section)
  }

  const endFlow = (flow: Flow): Block[] => {
    if (flow.carried.trim() !== '') flow.blocks.push({ kind: 'text', text: flow.carried })
    flow.carried = ''
    return flow.blocks
  }

  function readFlow(elements: readonly XmlElement[], flow: Flow): Block[] {
    for (const element of elements) readBlock(element, flow)
    return endFlow(flow)
  }

  function readBlock(element: XmlElement, flow: Flow): void {
    const { name, attributes, children } = element
    if (name === 'p') readParagraph(element, flow)
    else if (name === 'tbl') addTable(element, flow)
    else if (name === 'sectPr') addSection(element)
    else if (name === 'altChunk') append(flow.blocks, takeChunk(attributes.id ?? ''))
    else if (INLINE.has(name)) readParagraph({ ...element, children: [element] }, flow)
    else if (name === 'AlternateContent') {
      for (const version of children) {
        const count = flow.blocks.length
        for (const child of version.children) readBlock(child, flow)
        if (flow.blocks.length > count) break
      }
    } else if (!isSkipped(element) && !(name === 'sdt' && isPlaceholder(element)))
      for (const child of children) readBlock(child, flow)
  }

  /** Returns the content of an embedded file the first time that it is shown. */
  function takeChunk(id: string): readonly Block[] {
    const blocks = parts.chunks?.get(id) ?? []
    parts.chunks?.delete(id)
    return blocks
  }

  function readParagraph(element: XmlElement, flow: Flow): void {
    const properties = findChild(element, 'pPr')
    const style = parts.styles.findParagraphStyle(findValue(properties, 'pStyle'))
    const line = readLine(element, style)
    const section = findChild(properties, 'sectPr')
    if (section) addSection(section)

    const text = flow.carried + line.text
    flow.carried = ''
    const mark = findChild(properties, 'rPr')
    const isJoined =
      findChild(mark, 'del') ||
      findChild(mark, 'moveFrom') ||
      findChild(properties, 'framePr')?.attributes.dropCap
    if (isJoined && isJoined !== 'none') flow.carried = text
    else addParagraph(text, line, properties, flow)
    append(flow.blocks, line.boxes)
    append(flow.isCell ? flow.notes : flow.blocks, line.notes)
  }

  function addParagraph(text: string, line: Line, properties: XmlElement | undefined, flow: Flow): void {
    const isEmpty = text.trim() === ''
    const isHidden = isOn(findChild(properties, 'rPr', 'vanish')) ?? line.style.isHidden
    const label = isEmpty && isHidden ? '' : countParagraph(properties, line.style)
    if (isEmpty) {
      // A column of numbers often has nothing but them.
      if (flow.isCell && label !== '' && label !== '- ') flow.blocks.push({ kind: 'text', text: label })
      return
    }
    const shown = isMargin ? removePageNumbers(text, line.hasPageNumber) : `${label}${text}`
    const level = findOutlineLevel(properties) ?? line.style.heading
    if (level !== undefined && !isBodyLevel(level)) flow.blocks.push({ kind: 'heading', level, text: shown })
    else if (line.style.isCode && !flow.isCell) addCode(shown, flow)
    else if (shown.trim() !== '') flow.blocks.push({ kind: 'text', text: shown })
  }

  /** Adds code; each of its lines may be a paragraph. */
  function addCode(text: string, flow: Flow): void {
    const last = flow.blocks.at(-1)
    if (last?.kind === 'code') last.text += `\n${text}`
    else flow.blocks.push({ kind: 'code', text })
  }

  function addTable(element: XmlElement, flow: Flow): void {
    openTables += 1
    if (openTables > MAX_TABLES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
    const notes: Block[] = []
    const table = readTable(element, (cell) => {
      const content = createFlow(true)
      readFlow(cell.children, content)
      append(notes, content.notes)
      return content.blocks
    })
    openTables -= 1
    if (isLayout(table))
      for (const row of table.rows) for (const { blocks } of row) append(flow.blocks, blocks)
    else append(flow.blocks, toRows(table.rows, table.heads > 0 ? { heads: table.heads } : {}))
    append(flow.isCell ? flow.notes : flow.blocks, notes)
  }

  return {
    /** Reads a paragraph, a table or another element of the text. */
    read: (element: XmlElement) => readBlock(element, body),
    /** Returns all blocks once everything has been read. */
    end: () => endFlow(body),
  }
}

/** Appends blocks one by one: too many arguments of a call exceed the stack. */
function append(target: Block[], blocks: Iterable<Block>): void {
  for (const block of blocks) target.push(block)
}

/** Returns the text of a note. */
export function readNoteText(parts: WordParts, { children }: XmlElement): string {
  const story = createStory(parts)
  for (const child of children) story.read(child)
  return joinBlocks(story.end())
}
