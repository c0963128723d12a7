import type { ChannelCapabilities, Dialect } from '#plugin-api'

/** The dialect and the maximum length of a message. */
export type Limits = Pick<ChannelCapabilities, 'dialect' | 'max_length' | 'length_unit'>

/** Measures a text in a unit. */
export function measure(unit: Limits['length_unit'], text: string): number {
  return unit === 'bytes' ? Buffer.byteLength(text) : text.length
}

const ESCAPED: Record<string, number> = { '&': 5, '<': 4, '>': 4 }

/** Returns the maximum length of one character when it is escaped. */
export function measureEscaped(character: string, { dialect, length_unit }: Limits): number {
  if (isEscaping(dialect)) {
    const escaped = ESCAPED[character]
    if (escaped) return escaped
    // Runs of backticks are broken by a zero-width space, so that they do not begin a block of code.
    if (character === '`' && dialect === 'mrkdwn') return 1 + measure(length_unit, '\u200b')
  }
  return measure(length_unit, character)
}

/** Returns the maximum length of a text when it is escaped. */
export function measureAllEscaped(text: string, limits: Limits): number {
  let cost = 0
  for (const character of text) cost += measureEscaped(character, limits)
  return cost
}

const isEscaping = (dialect: Dialect) => dialect === 'html' || dialect === 'mrkdwn'
