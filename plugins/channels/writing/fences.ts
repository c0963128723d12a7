/** A block of code that has begun but not ended. */
export interface OpenFence {
  /** The characters that close it, e.g. three backticks. */
  marker: string
  /** The line that reopens it in another message, without a line end. */
  opening: string
  /** The prefix of its lines: spaces, or marks of quotes. */
  margin: string
  /** True if it began directly after the bullet of a list item: a line with a smaller margin ends it. */
  in_item: boolean
}

/** The block of code that is open at the beginning of a line. */
export interface FenceState {
  place: number
  open: OpenFence | null
}

const OPENING = /^([ \t]*(?:(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])[ \t]*)*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/

/** Longer fences and info words count as text: reopening them would take too much of a message. */
const MAX_MARKER = 12
const MAX_WORD = 32

/** Returns the block of code that is open after a line, given the one open before it. */
export function fenceAfter(line: string, before: OpenFence | null): OpenFence | null {
  const open = before && isLeft(line, before) ? null : before
  if (open) return isClosing(line, open) ? null : open
  const [, container = '', marker = '', info = ''] = OPENING.exec(line) ?? []
  if (marker === '' || marker.length > MAX_MARKER) return null
  const word = info.trim().split(/\s/, 1)[0]!
  const margin = container.replace(/[^>\t]/g, ' ')
  const in_item = !margin.includes('>') && container.trim() !== ''
  return { marker, opening: word.length > MAX_WORD ? marker : marker + word, margin, in_item }
}

/** True if a line is outside the list item or quote that contains the code, and so ends the code. */
export function isLeft(line: string, { margin, in_item }: OpenFence): boolean {
  if (margin.includes('>')) return !/^[ \t]*>/.test(line)
  return in_item && line.trim() !== '' && /^[ \t]*/.exec(line)![0].length < margin.length
}

/** True if a line is a closing fence. */
export function isClosing(line: string, { marker, margin }: OpenFence): boolean {
  const rest = line.replace(margin.includes('>') ? /^[ \t>]*/ : /^[ \t]*/, '').trimEnd()
  return rest.length >= marker.length && rest === marker[0]!.repeat(rest.length)
}

/** Removes the margin from a line of code. */
export function withoutMargin(line: string, { margin }: OpenFence): string {
  const pattern = margin.includes('>') ? /^[ \t>]*/ : /^[ \t]*/
  return line.slice(Math.min(margin.length, pattern.exec(line)![0].length))
}

/** Returns the state at the beginning of the line that contains `place`, scanning from an earlier state. */
export function findFenceState(markdown: string, place: number, from: FenceState): FenceState {
  let state = from
  for (;;) {
    const end = markdown.indexOf('\n', state.place)
    if (end < 0 || end >= place) return state
    state = { place: end + 1, open: fenceAfter(markdown.slice(state.place, end), state.open) }
  }
}
