import { toAltText } from '../alt-text.ts'
import type { Block } from '../blocks.ts'
import { readEquation } from '../equations.ts'
import { findChild, findValue, isOn, type XmlElement } from '../xml-tree.ts'
import type { Drawings } from './drawings.ts'
import { createFields, isPageNumber, toCheckBox } from './fields.ts'
import type { Notes } from './notes.ts'
import { formatNumber } from './number-formats.ts'
import type { Style, Styles } from './styles.ts'
import { readSymbol, replaceSymbols } from './symbols.ts'
import { isPlaceholder } from './tables.ts'

/** The parts of a document that its paragraphs refer to; some texts have no notes or drawings. */
export interface LineParts {
  styles: Styles
  footnotes?: Notes
  endnotes?: Notes
  comments?: Notes
  drawings?: Drawings
}

/** The content of a paragraph. */
export interface Line {
  text: string
  /** The content of text boxes and drawings. */
  boxes: Block[]
  /** Footnotes, endnotes and comments. */
  notes: Block[]
  style: Style
  hasPageNumber: boolean
}

/** The properties of a run that change its text. */
interface RunFormat {
  isHidden: boolean
  isSuperscript: boolean
  font: string | undefined
}

const PLAIN: RunFormat = { isHidden: false, isSuperscript: false, font: undefined }

/** Elements whose content is not shown, or has no text. */
const SKIPPED = new Set(
  'del moveFrom delText delInstrText pPr rPr sdtPr sdtEndPr tblPr tblGrid sectPr rt rubyPr binData'.split(
    ' ',
  ),
)
const SUPERSCRIPTS: Record<string, string> = {
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((sign, digit) => [String(digit), sign])),
  '+': '⁺',
  '-': '⁻',
  '−': '⁻',
  n: 'ⁿ',
}

/** True for elements whose content is not shown. */
export const isSkipped = ({ name }: XmlElement): boolean => SKIPPED.has(name)

/**
 * Creates a reader of the paragraphs of a text, in their order; `readBox` returns the content of a text box within
 * one.
 */
export function createLineReader(parts: LineParts, readBox: (elements: readonly XmlElement[]) => Block[]) {
  const fields = createFields()
  const noteCounts = { footnotes: 0, endnotes: 0 }
  let format = PLAIN

  const isShown = () => !format.isHidden && !fields.isHiding()

  function read(element: XmlElement, line: Line): void {
    const { name, children } = element
    const readElement = Object.hasOwn(READERS, name) ? READERS[name] : undefined
    if (readElement) readElement(element, line)
    else if (!SKIPPED.has(name)) for (const child of children) read(child, line)
  }

  function write(text: string, line: Line): void {
    if (text === '' || !isShown()) return
    fields.noteResult()
    line.text += text
  }

  function addBox(line: Line, content: () => Block[] | undefined): void {
    if (isShown()) for (const block of content() ?? []) line.boxes.push(block)
  }

  function readRun(run: XmlElement, line: Line): void {
    const outer = format
    const properties = findChild(run, 'rPr')
    const style = findValue(properties, 'rStyle')
    const fonts = findChild(properties, 'rFonts')?.attributes
    format = {
      isHidden:
        outer.isHidden ||
        (isOn(findChild(properties, 'vanish')) ??
          (style === undefined ? undefined : parts.styles.findStyle(style).isHidden) ??
          line.style.isHidden ??
          false),
      isSuperscript: findValue(properties, 'vertAlign') === 'superscript',
      font: fonts?.ascii ?? fonts?.hAnsi,
    }
    for (const child of run.children) read(child, line)
    format = outer
  }

  function readText({ text, attributes }: XmlElement, line: Line): void {
    // Space at the ends of a text that is laid out in the file is not part of it.
    const content = attributes.space !== 'preserve' && text.includes('\n') ? text.trim() : text
    const clean = replaceSymbols(content, format.font)
      .replace(/\u00ad/g, '')
      .replace(/[\n\r\t]/g, ' ')
    const isRaised = format.isSuperscript && /^[\d+−n-]+$/.test(clean)
    write(isRaised ? [...clean].map((sign) => SUPERSCRIPTS[sign]).join('') : clean, line)
  }

  function readDrawing(element: XmlElement, line: Line): void {
    for (const child of element.children) read(child, line)
    if (!findChild(element, 'graphic', 'graphicData', 'pic')) return
    // A description that a person wrote says what a picture shows.
    const text = toAltText(findChild(element, 'docPr')?.attributes.descr)
    addBox(line, () => (text === '' ? [] : [{ kind: 'text', text }]))
  }

  function readControl(control: XmlElement, line: Line): void {
    if (isPlaceholder(control)) return
    const { length } = line.text
    for (const child of control.children) read(child, line)
    const box = findChild(control, 'sdtPr', 'checkbox')
    if (box && line.text.length === length) write(toCheckBox(isOn(findChild(box, 'checked')) ?? false), line)
  }

  /** Reads the first version of a part that shows something. */
  function readVersions({ children }: XmlElement, line: Line): void {
    const sizeOf = () => line.text.length + line.boxes.length + line.notes.length
    const size = sizeOf()
    for (const version of children) {
      for (const child of version.children) read(child, line)
      if (sizeOf() > size) return
    }
  }

  const readNote = (kind: 'footnotes' | 'endnotes') => (element: XmlElement, line: Line) => {
    const text = isShown() ? parts[kind]?.take(element.attributes.id) : undefined
    if (text === undefined) return
    // The mark of some notes is a text after them.
    const hasOwnMark = /^(1|true|on)$/.test(element.attributes.customMarkFollows ?? '')
    if (!hasOwnMark) noteCounts[kind] += 1
    const number = formatNumber(noteCounts[kind], kind === 'endnotes' ? 'lowerRoman' : 'decimal')
    const mark = hasOwnMark ? '' : `[${number}]`
    write(mark, line)
    if (text.trim() !== '') line.notes.push({ kind: 'text', text: `${mark} ${text}` })
  }

  const writing = (text: string) => (_: XmlElement, line: Line) => write(text, line)
  const readBlock = (element: XmlElement, line: Line) => addBox(line, () => readBox([element]))

  const READERS: Record<string, (element: XmlElement, line: Line) => void> = {
    r: readRun,
    t: readText,
    tab: writing('\t'),
    ptab: writing('\t'),
    br: writing('\n'),
    cr: writing('\n'),
    noBreakHyphen: writing('-'),
    sym: ({ attributes }, line) =>
      write(readSymbol(Number.parseInt(attributes.char ?? '', 16), attributes.font), line),
    fldSimple({ attributes, children }, line) {
      if (isPageNumber(attributes.instr ?? '')) line.hasPageNumber = true
      for (const child of children) read(child, line)
    },
    fldChar(element, line) {
      const end = fields.turn(element)
      if (!end) return
      write(end.text, line)
      if (end.isPageNumber) line.hasPageNumber = true
    },
    instrText: ({ text }) => fields.writeInstruction(text),
    pgNum(_, line) {
      line.hasPageNumber = true
    },
    oMath: (element, line) => write(readEquation(element), line),
    p: readBlock,
    tbl: readBlock,
    txbxContent: ({ children }, line) => addBox(line, () => readBox(children)),
    chart: ({ attributes }, line) => addBox(line, () => parts.drawings?.takeChart(attributes.id)),
    relIds: ({ attributes }, line) => addBox(line, () => parts.drawings?.takeDiagram(attributes.dm)),
    inline: readDrawing,
    anchor: readDrawing,
    // The text of WordArt of older programs.
    textpath: ({ attributes }, line) => write(attributes.string ?? '', line),
    sdt: readControl,
    AlternateContent: readVersions,
    footnoteReference: readNote('footnotes'),
    endnoteReference: readNote('endnotes'),
    commentReference({ attributes }, line) {
      const text = isShown() ? parts.comments?.take(attributes.id) : undefined
      if (text !== undefined) line.notes.push({ kind: 'text', text })
    },
  }

  /** Reads a paragraph of a style. */
  return function readLine({ children }: XmlElement, style: Style): Line {
    const line: Line = { text: '', boxes: [], notes: [], style, hasPageNumber: false }
    const outer = format
    format = PLAIN
    for (const child of children) read(child, line)
    format = outer
    fields.endParagraph()
    return line
  }
}
