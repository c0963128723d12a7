import { findChild, findValue, isOn, type XmlElement } from '../xml-tree.ts'
import { readSymbol } from './symbols.ts'

/** A field whose end has not been reached. */
interface OpenField {
  instruction: string
  isInstruction: boolean
  /** The data of a form field. */
  data: XmlElement | undefined
  hasResult: boolean
}

/** The most characters of an instruction that are looked at. */
const MAX_INSTRUCTION = 2000
const PAGE_NUMBER = /^\s*(PAGE|NUMPAGES|SECTIONPAGES)\b/i

/** True if a field shows a number of pages. */
export const isPageNumber = (instruction: string): boolean => PAGE_NUMBER.test(instruction)

/** Creates the state of the fields of a text, which may be within each other and go on over several paragraphs. */
export function createFields() {
  const open: OpenField[] = []
  /** The number of open fields whose instruction is being read. */
  let instructions = 0

  const leaveInstruction = (field: OpenField) => {
    if (field.isInstruction) instructions -= 1
    field.isInstruction = false
  }

  return {
    /** True while text belongs to an instruction, which is not shown. */
    isHiding: () => instructions > 0,

    /** Notes that text is shown, which is the result of the innermost field. */
    noteResult() {
      const field = open.at(-1)
      if (field) field.hasResult = true
    },

    writeInstruction(text: string) {
      const field = open.at(-1)
      if (field?.isInstruction) field.instruction = (field.instruction + text).slice(0, MAX_INSTRUCTION)
    },

    /** Changes the state at a character of a field; returns the text that the end of a field shows in addition. */
    turn({ attributes, children }: XmlElement): { text: string; isPageNumber: boolean } | undefined {
      if (attributes.fldCharType === 'begin') {
        const data = children.find(({ name }) => name === 'ffData')
        open.push({ instruction: '', isInstruction: true, data, hasResult: false })
        instructions += 1
      } else if (attributes.fldCharType === 'separate') {
        const field = open.at(-1)
        if (field) leaveInstruction(field)
      } else if (attributes.fldCharType === 'end') {
        const field = open.pop()
        if (!field) return undefined
        leaveInstruction(field)
        const text = instructions > 0 || field.hasResult ? '' : showWithoutResult(field)
        const outer = open.at(-1)
        if (outer && (field.hasResult || text !== '')) outer.hasResult = true
        return { text, isPageNumber: instructions === 0 && isPageNumber(field.instruction) }
      }
      return undefined
    },

    /** Ends the instructions of a paragraph, so that a field without an end does not hide all that follows. */
    endParagraph() {
      for (let index = open.length - 1; instructions > 0 && index >= 0; index -= 1)
        leaveInstruction(open[index]!)
    },
  }
}

/** Returns the text of a field that shows something by its instruction or the data of a form. */
function showWithoutResult({ instruction, data }: OpenField): string {
  const list = findChild(data, 'ddList')
  if (list) {
    const entries = list.children.filter(({ name }) => name === 'listEntry')
    const index = Number(findValue(list, 'result') ?? findValue(list, 'default') ?? 0)
    return entries[index]?.attributes.val ?? ''
  }
  const box = findChild(data, 'checkBox')
  if (box) return toCheckBox(isOn(findChild(box, 'checked')) ?? isOn(findChild(box, 'default')) ?? false)
  const [, code, switches = ''] = /^\s*SYMBOL\s+(\w+)(.*)/is.exec(instruction) ?? []
  if (code !== undefined) return readSymbol(Number(code), /\\f\s+"?([^"\\]+)/i.exec(switches)?.[1])
  return /^\s*EQ\s/i.test(instruction) ? readEqField(instruction) : ''
}

/** Returns the sign of a check box. */
export const toCheckBox = (isChecked: boolean): string => (isChecked ? '☒' : '☐')

/**
 * Returns the text of a field that draws an equation or lays characters over each other, such as `\f(a,b)` and
 * `\o\ac(○,7)`.
 */
function readEqField(instruction: string): string {
  let position = instruction.search(/eq/i) + 2

  function readParts(): string[] {
    const parts = ['']
    while (position < instruction.length) {
      const character = instruction[position]!
      position += 1
      if (character === ')') break
      if (character === ',' || character === ';') parts.push('')
      else if (character === '(') parts.push(`${parts.pop()}(${readParts().join(',')})`)
      else if (character === '\\') parts.push(`${parts.pop()}${readSwitch()}`)
      else if (character !== '"') parts.push(`${parts.pop()}${character}`)
    }
    return parts
  }

  function readSwitch(): string {
    // A character after a backslash that is not a letter is meant itself.
    if (!/[a-z*]/i.test(instruction[position] ?? '')) {
      position += 1
      return instruction[position - 1] ?? ''
    }
    const switches = /^[^(,;]{0,100}/.exec(instruction.slice(position, position + 100))![0]
    position += switches.length
    if (instruction[position] !== '(') return ''
    position += 1
    const parts = readParts()
    const [first = '', last = ''] = [parts[0], parts.at(-1)]
    if (/^f/i.test(switches)) return `${first}/${last}`
    if (/^r/i.test(switches)) return parts.length > 1 && first !== '' ? `√[${first}](${last})` : `√(${last})`
    if (/^s[^a-z]*\\?up/i.test(switches)) return `^${last}`
    if (/^s[^a-z]*\\?do/i.test(switches)) return `_${last}`
    // The last one is what a phonetic guide or a circle is laid over.
    if (/^o/i.test(switches)) return last
    return parts.join(' ')
  }

  return readParts().join(',').replace(/\s+/g, ' ').trim()
}
