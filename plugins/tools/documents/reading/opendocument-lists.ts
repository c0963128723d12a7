import { type Attributes, OUTLINE, type Styles } from './opendocument-styles.ts'
import { toRoman } from './word/number-formats.ts'

/** The largest number in Roman figures. */
const MAX_ROMAN = 3999

/** A list that is open: its style, its level, and the numbers of its levels, which parts of a list share. */
export interface OpenList {
  style: string | undefined
  level: number
  numbers: number[]
}

/** Creates the numbering of a document. */
export function createNumbering(styles: Styles) {
  /** The numbers of lists by the name of the list, and by that of its style. */
  const numbersOfList = new Map<string, number[]>()
  const numbersOfStyle = new Map<string | undefined, number[]>()
  const outline: OpenList = { style: OUTLINE, level: 0, numbers: [] }

  /** Returns the next label at the level of a list. */
  const count = ({ style, level, numbers }: OpenList, startValue: string | undefined): string => {
    const levels = styles.levelsOf(style)
    const own = levels[level]
    const start = Number(startValue)
    const previous = numbers[level]
    numbers.length = level + 1
    numbers[level] =
      startValue && Number.isSafeInteger(start) ? start : (previous ?? (own?.start ?? 1) - 1) + 1
    if (!own || own.format === undefined) return '-'
    if (own.format === '') return ''
    const first = Math.max(0, level + 1 - own.shown)
    const shown = Array.from({ length: level + 1 - first }, (_, index) => {
      const { format = '', start = 1 } = levels[first + index] ?? {}
      return toNumeral(numbers[first + index] ?? start, format)
    }).filter(Boolean)
    return `${own.prefix}${shown.join('.')}${own.suffix}`.trim()
  }

  return {
    /** Begins a list, within another one. */
    openList(attributes: Attributes, outer: OpenList | undefined): OpenList {
      const style = attributes['text:style-name'] ?? outer?.style
      if (outer) return { style, level: outer.level + 1, numbers: outer.numbers }
      const { 'text:continue-list': continued, 'text:continue-numbering': isContinued } = attributes
      const former =
        (continued !== undefined && numbersOfList.get(continued)) ||
        (isContinued === 'true' && numbersOfStyle.get(style))
      const numbers = former || []
      numbersOfStyle.set(style, numbers)
      const id = attributes['xml:id']
      if (id !== undefined) numbersOfList.set(id, numbers)
      return { style, level: 0, numbers }
    },

    /** Returns the label of the next item of a list. */
    countItem: (list: OpenList, attributes: Attributes): string =>
      count(list, attributes['text:start-value']),

    /** Returns the label of a heading. */
    countHeading(level: number, attributes: Attributes): string {
      if (attributes['text:is-list-header'] === 'true') return ''
      const label = count({ ...outline, level: level - 1 }, attributes['text:start-value'])
      return label === '-' ? '' : label
    },
  }
}

/** Returns a number in a format of lists; empty if the format is another one. */
function toNumeral(number: number, format: string): string {
  if (format === '1') return String(number)
  if (number < 1) return ''
  if (format === 'a' || format === 'A') {
    const letter = String.fromCharCode(97 + ((number - 1) % 26))
    const text = letter.repeat(Math.min(Math.ceil(number / 26), 10))
    return format === 'A' ? text.toUpperCase() : text
  }
  if ((format !== 'i' && format !== 'I') || number > MAX_ROMAN) return ''
  return format === 'I' ? toRoman(number) : toRoman(number).toLowerCase()
}
