import {
  type FenceState,
  findFenceState,
  isClosing,
  isLeft,
  type OpenFence,
  withoutMargin,
} from './fences.ts'

/** The beginning of a message. */
export interface PartStart {
  place: number
  /** Beginning of the content, after empty lines and after a line that only closes the open code. */
  content: number
  /** The block of code that the message reopens. */
  reopened: OpenFence | null
  /** The state at the line of `content`. */
  state: FenceState
}

const EMPTY_LINES = /(?:[ \t\r]*\n)*/y

const skipEmptyLines = (markdown: string, place: number) => {
  EMPTY_LINES.lastIndex = place
  return place + EMPTY_LINES.exec(markdown)![0].length
}

/** Finds the beginning of a message, from a state at an earlier line. */
export function findStart(markdown: string, place: number, from: FenceState): PartStart {
  const content = skipEmptyLines(markdown, place)
  const state = findFenceState(markdown, content, from)
  if (!state.open) return { place, content, reopened: null, state }
  const end = markdown.indexOf('\n', content)
  const line = markdown.slice(state.place, end < 0 ? markdown.length : end)
  if (isLeft(line, state.open)) return { place, content, reopened: null, state: { ...state, open: null } }
  if (state.place < content || end < 0 || !isClosing(line, state.open))
    return { place, content, reopened: state.open, state }
  const next = { place: end + 1, open: null }
  const words = skipEmptyLines(markdown, next.place)
  return { place, content: words, reopened: null, state: findFenceState(markdown, words, next) }
}

/** Returns the line that closes a block of code; a reopened block has no margin. */
export const toClosing = (open: OpenFence, reopened: OpenFence | null) =>
  `\n${open === reopened ? '' : open.margin}${open.marker}`

/**
 * Returns the Markdown of one message from its start to `end`. Open code is reopened, and the content of a list item
 * or quote that began in an earlier message loses its margin. The result is at most as long as the text, the reopening
 * line and `closing` together.
 */
export function buildSource(markdown: string, start: PartStart, end: number, closing = ''): string {
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

/** Removes the margin of the first line from it and from the following lines with the same margin. */
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
