import { type FenceState, fenceAfter, type OpenFence } from './fences.ts'
import { type Limits, measureAllEscaped, measureEscaped } from './measures.ts'
import { type PartStart, toClosing } from './part-source.ts'

/** The extent of a message, estimated by the maximum lengths of its characters. */
export interface Survey {
  /** The first place that does not fit even as escaped source, or the end of the text. */
  reach: number
  /** True if the text continues after `reach`. */
  is_over: boolean
  /** Places at which to measure the rendered text, at even distances in estimated length. */
  checkpoints: number[]
  /** The place from which the message is three quarters full. */
  late: number
  /** The lines from the start up to `reach`. */
  lines: FenceState[]
}

/** Number of checkpoints per full message; those in its first quarter are left out. */
const CHECKPOINTS = 16

/** True if a message has room for reopening and closing this code. */
export const canReopen = (open: OpenFence, limits: Limits) =>
  measureAllEscaped(`${open.opening}\n${toClosing(open, null)}`, limits) * 2 <= limits.max_length

/** Returns the text that closes the code that is open at `end`; empty if no code is open or it cannot be reopened. */
export function findClosing(
  markdown: string,
  end: number,
  line: FenceState,
  start: PartStart,
  limits: Limits,
): string {
  const { open } = line
  // A beginning of the closing line, cut in its middle, may already close the code.
  const isOpen = open && fenceAfter(markdown.slice(line.place, end), open) === open
  return isOpen && canReopen(open, limits) ? toClosing(open, start.reopened) : ''
}

/** Surveys the text of one message. Does not depend on text after `reach`. */
export function surveyPart(markdown: string, start: PartStart, limits: Limits): Survey {
  const { max_length } = limits
  const { reopened, content } = start
  // The second half of a surrogate pair may follow.
  const end = /[\ud800-\udbff]$/.test(markdown) ? markdown.length - 1 : markdown.length
  const lines = [start.state]
  const checkpoints: number[] = []
  let late = Number.POSITIVE_INFINITY
  let spent = reopened ? measureAllEscaped(`${reopened.opening}\n`, limits) : 0
  const measureEnding = (open: OpenFence | null) =>
    open && canReopen(open, limits) ? measureAllEscaped(toClosing(open, reopened), limits) : 0
  let ending = measureEnding(start.state.open)

  for (let place = content; place < end; ) {
    const character = String.fromCodePoint(markdown.codePointAt(place)!)
    const next = place + character.length
    const line = lines.at(-1)!
    const isLineEnd = character === '\n'
    const open = isLineEnd ? fenceAfter(markdown.slice(line.place, place), line.open) : line.open
    if (isLineEnd) ending = measureEnding(open)
    spent += measureEscaped(character, limits)
    // A message takes at least one character, even if the limit is shorter.
    if (spent + ending > max_length && place > content)
      return { reach: place, is_over: true, checkpoints, late: Math.min(late, place), lines }
    if (isLineEnd) lines.push({ place: next, open })
    if (spent * 4 >= max_length * 3) late = Math.min(late, next)
    if (spent * CHECKPOINTS >= max_length * (CHECKPOINTS / 4 + checkpoints.length)) checkpoints.push(next)
    place = next
  }
  return { reach: end, is_over: false, checkpoints, late: Math.min(late, end), lines }
}
