import { type FenceState, fenceStateAt, isClosing, isLeft, type OpenFence, withoutMargin } from './fences.ts'

/** A place that a message begins at: what is open there, and where its first line with words begins. */
export interface PartStart {
  place: number
  /** Behind empty lines, and behind a line that only ends the code which was open. */
  content: number
  /** The block of code that the message begins anew. */
  reopened: OpenFence | null
  /** The state at the line that `content` lies in. */
  state: FenceState
}

const EMPTY_LINES = /(?:[ \t\r]*\n)*/y

const behindEmptyLines = (markdown: string, place: number) => {
  EMPTY_LINES.lastIndex = place
  return place + EMPTY_LINES.exec(markdown)![0].length
}

/** Reads where a message begins, from a state at an earlier line. */
export function readStart(markdown: string, place: number, from: FenceState): PartStart {
  const content = behindEmptyLines(markdown, place)
  const state = fenceStateAt(markdown, content, from)
  if (!state.open) return { place, content, reopened: null, state }
  const end = markdown.indexOf('\n', content)
  const line = markdown.slice(state.place, end < 0 ? markdown.length : end)
  if (isLeft(line, state.open)) return { place, content, reopened: null, state: { ...state, open: null } }
  if (state.place < content || end < 0 || !isClosing(line, state.open))
    return { place, content, reopened: state.open, state }
  const next = { place: end + 1, open: null }
  const words = behindEmptyLines(markdown, next.place)
  return { place, content: words, reopened: null, state: fenceStateAt(markdown, words, next) }
}

/** What closes a block of code; one that was begun anew stands at the margin. */
export const closingOf = (open: OpenFence, reopened: OpenFence | null) =>
  `\n${open === reopened ? '' : open.margin}${open.marker}`

/**
 * The markdown of one message, from its start to `end`: code that was open is begun anew, and what stood in a list or
 * quote that began earlier loses its margin. No longer than the text, what begins the code, and `closing` together.
 */
export function partSource(markdown: string, start: PartStart, end: number, closing = ''): string {
  const { content, reopened, place } = start
  const body = markdown.slice(content, Math.max(content, end)).trimEnd()
  if (reopened) return `${reopened.opening}\n${outdentCode(body, reopened)}${closing}`
  return (place === 0 ? body : outdent(body)) + closing
}

function outdentCode(body: string, reopened: OpenFence): string {
  if (reopened.margin === '') return body
  return body
    .split('\n')
    .map((line) => withoutMargin(line, reopened))
    .join('\n')
}

/** Without the margin of the first line, as far as the lines behind it have it too. */
function outdent(body: string): string {
  const [margin] = /^ */.exec(body)!
  if (margin === '') return body
  const lines = body.split('\n')
  const end = lines.findIndex((line) => line.trim() !== '' && !line.startsWith(margin))
  return lines
    .map((line, index) =>
      end < 0 || index < end ? line.slice(Math.min(margin.length, line.search(/\S|$/))) : line,
    )
    .join('\n')
}
