import { type FenceState, fenceAfter, type OpenFence } from './fences.ts'
import { costOf, costOfAll, type Limits } from './measures.ts'
import { closingOf, type PartStart } from './part-source.ts'

/** How far a message can reach by what its characters cost at the most. */
export interface Survey {
  /** The first place that does not fit any more even as it is written, or the end of the text. */
  reach: number
  /** Whether the text goes on behind it. */
  is_over: boolean
  /** Where it is worth looking how long the rendered text is, at even costs. */
  checkpoints: number[]
  /** From here on the message is nearly full. */
  late: number
  /** The lines up to there, from that of the start on. */
  lines: FenceState[]
}

/** How many checkpoints a full message has, were they not left out in its first quarter. */
const CHECKPOINTS = 16

/** Whether a message is long enough for this code to be begun anew and closed in it. */
export const canReopen = (open: OpenFence, limits: Limits) =>
  costOfAll(`${open.opening}\n${closingOf(open, null)}`, limits) * 2 <= limits.max_length

/** What closes the code that is open at a place in a line, where anything does. */
export function closingAt(
  markdown: string,
  end: number,
  line: FenceState,
  start: PartStart,
  limits: Limits,
): string {
  const { open } = line
  // A line that ends the code does so from its first characters on.
  const isOpen = open && fenceAfter(markdown.slice(line.place, end), open) === open
  return isOpen && canReopen(open, limits) ? closingOf(open, start.reopened) : ''
}

/** Looks through one message's worth of a text. Depends on nothing behind `reach`. */
export function surveyPart(markdown: string, start: PartStart, limits: Limits): Survey {
  const { max_length } = limits
  const { reopened, content } = start
  // Half a character may still become a whole one.
  const end = /[\ud800-\udbff]$/.test(markdown) ? markdown.length - 1 : markdown.length
  const lines = [start.state]
  const checkpoints: number[] = []
  let late = Number.POSITIVE_INFINITY
  let spent = reopened ? costOfAll(`${reopened.opening}\n`, limits) : 0
  const endingOf = (open: OpenFence | null) =>
    open && canReopen(open, limits) ? costOfAll(closingOf(open, reopened), limits) : 0
  let ending = endingOf(start.state.open)

  for (let place = content; place < end; ) {
    const character = String.fromCodePoint(markdown.codePointAt(place)!)
    const next = place + character.length
    const line = lines.at(-1)!
    const isLineEnd = character === '\n'
    const open = isLineEnd ? fenceAfter(markdown.slice(line.place, place), line.open) : line.open
    if (isLineEnd) ending = endingOf(open)
    spent += costOf(character, limits)
    // One character is taken in any case: a limit that is shorter cannot be kept.
    if (spent + ending > max_length && place > content)
      return { reach: place, is_over: true, checkpoints, late: Math.min(late, place), lines }
    if (isLineEnd) lines.push({ place: next, open })
    if (spent * 4 >= max_length * 3) late = Math.min(late, next)
    if (spent * CHECKPOINTS >= max_length * (CHECKPOINTS / 4 + checkpoints.length)) checkpoints.push(next)
    place = next
  }
  return { reach: end, is_over: false, checkpoints, late: Math.min(late, end), lines }
}
