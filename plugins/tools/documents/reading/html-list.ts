import type { Block } from './blocks.ts'
import type { Attributes } from './html-elements.ts'
import { toRoman } from './word/number-formats.ts'

const MAX_ROMAN = 4000

function toLetters(number: number): string {
  let letters = ''
  for (let remainder = number; remainder > 0; remainder = Math.floor((remainder - 1) / 26))
    letters = String.fromCharCode(97 + ((remainder - 1) % 26)) + letters
  return letters
}

/** Writes a number as the list's type says: 1, a, A, i or I. */
function formatNumber(number: number, type: string): string {
  const kind = type.toLowerCase()
  const isWritten = number > 0 && number < MAX_ROMAN && (kind === 'a' || kind === 'i')
  if (!isWritten) return String(number)
  const text = kind === 'a' ? toLetters(number) : toRoman(number).toLowerCase()
  return type === kind ? text : text.toUpperCase()
}

const toInteger = (text: string | undefined) =>
  /^\s*-?\d{1,9}/.test(text ?? '') ? Number.parseInt(text!, 10) : undefined

/** Numbers the items of a list of HTML. */
export interface ItemMarks {
  /** Returns the mark before the next item. */
  next(attributes: Attributes): string
  /** Keeps the first paragraph of the item, which is marked when the list ends if that is needed. */
  keep(block: Block): void
  end(): void
}

/** Creates the marks of a list. */
export function createItemMarks(name: string, attributes: Attributes): ItemMarks {
  const { type = '' } = attributes
  const isOrdered = name === 'ol'
  const step = 'reversed' in attributes ? -1 : 1
  const start = toInteger(attributes.start)
  // The first number of such a list is the number of its items.
  const isCounted = isOrdered && step < 0 && start === undefined
  const items: Block[] = []
  let number = start ?? 1
  return {
    next({ value }) {
      if (!isOrdered) return '- '
      if (isCounted) return ''
      number = toInteger(value) ?? number
      const mark = `${formatNumber(number, type)}. `
      number += step
      return mark
    },
    keep(block) {
      if (isCounted) items.push(block)
    },
    end() {
      for (const [index, item] of items.entries())
        item.text = `${formatNumber(items.length - index, type)}. ${item.text}`
    },
  }
}
