/** A block of code that has begun and not ended. */
export interface OpenFence {
  /** The characters that end it, e.g. three backticks. */
  marker: string
  /** The line that begins it anew, without its end. */
  opening: string
  /** What stands before each of its lines: spaces, or marks of quotes. */
  margin: string
  /** Whether it began right behind the bullet of a list: a line with a smaller margin ends it. */
  in_item: boolean
}

/** Which block of code is open at the beginning of a line. */
export interface FenceState {
  place: number
  open: OpenFence | null
}

const OPENING = /^([ \t]*(?:(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])[ \t]*)*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/

/** Longer ones are taken for text: they would need too much of a message to begin anew. */
const MAX_MARKER = 12
const MAX_WORD = 32

/** The block of code that is open behind a line, by the one that was open before it. */
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

/** Whether a line with words stands outside of what the code stands in, and so ends it. */
export function isLeft(line: string, { margin, in_item }: OpenFence): boolean {
  if (margin.includes('>')) return !/^[ \t]*>/.test(line)
  return in_item && line.trim() !== '' && /^[ \t]*/.exec(line)![0].length < margin.length
}

/** Whether a line does nothing but end the code. */
export function isClosing(line: string, { marker, margin }: OpenFence): boolean {
  const rest = line.replace(margin.includes('>') ? /^[ \t>]*/ : /^[ \t]*/, '').trimEnd()
  return rest.length >= marker.length && rest === marker[0]!.repeat(rest.length)
}

/** A line of code without its margin. */
export function withoutMargin(line: string, { margin }: OpenFence): string {
  const pattern = margin.includes('>') ? /^[ \t>]*/ : /^[ \t]*/
  return line.slice(Math.min(margin.length, pattern.exec(line)![0].length))
}

/** The state at the line that a place lies in. */
export function fenceStateAt(markdown: string, place: number, from: FenceState): FenceState {
  let state = from
  for (;;) {
    const end = markdown.indexOf('\n', state.place)
    if (end < 0 || end >= place) return state
    state = { place: end + 1, open: fenceAfter(markdown.slice(state.place, end), state.open) }
  }
}
