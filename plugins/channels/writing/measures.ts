import type { ChannelCapabilities, Dialect } from '#plugin-api'

/** How long a message may be, and how it is written. */
export type Limits = Pick<ChannelCapabilities, 'dialect' | 'max_length' | 'length_unit'>

/** The length of a text in a unit. */
export function lengthIn(unit: Limits['length_unit'], text: string): number {
  return unit === 'bytes' ? Buffer.byteLength(text) : text.length
}

const ESCAPED: Record<string, number> = { '&': 5, '<': 4, '>': 4 }

/** How long one character of a text is at the most when it is shown as it was written. */
export function costOf(character: string, { dialect, length_unit }: Limits): number {
  if (isEscaping(dialect)) {
    const escaped = ESCAPED[character]
    if (escaped) return escaped
    // A run of them is parted, so that it does not begin a block of code.
    if (character === '`' && dialect === 'mrkdwn') return 1 + lengthIn(length_unit, '\u200b')
  }
  return lengthIn(length_unit, character)
}

/** The same of a whole text. */
export function costOfAll(text: string, limits: Limits): number {
  let cost = 0
  for (const character of text) cost += costOf(character, limits)
  return cost
}

const isEscaping = (dialect: Dialect) => dialect === 'html' || dialect === 'mrkdwn'
