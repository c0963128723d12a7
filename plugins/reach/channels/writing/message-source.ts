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
  offset: number
  open: OpenFence | null
}

const CONTAINER = String.raw`[ \t]*(?:(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])[ \t]*)*`
const OPENING = new RegExp(`^(${CONTAINER})(\`{3,}(?=[^\`]*$)|~{3,})(.*)$`)
const ONLY_CONTAINER = new RegExp(`^${CONTAINER}$`)

/** Longer fences and info words count as text: reopening them would take too much of a message. */
const MAX_MARKER = 12
const MAX_WORD = 32

/** Returns the block of code that is open after a line, given the one open before it. */
export function fenceAfter(line: string, openBefore: OpenFence | null): OpenFence | null {
  const open = openBefore && isLeft(line, openBefore) ? null : openBefore
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
function isClosing(line: string, { marker, margin }: OpenFence): boolean {
  const marks = line.replace(margin.includes('>') ? /^[ \t>]*/ : /^[ \t]*/, '').trimEnd()
  return marks.length >= marker.length && marks === marker[0]!.repeat(marks.length)
}

/** Removes the margin from a line of code. */
function withoutMargin(line: string, { margin }: OpenFence): string {
  const pattern = margin.includes('>') ? /^[ \t>]*/ : /^[ \t]*/
  return line.slice(Math.min(margin.length, pattern.exec(line)![0].length))
}

/** Returns the state at the beginning of the line that contains `offset`, scanning from an earlier state. */
function findFenceState(markdown: string, offset: number, from: FenceState): FenceState {
  let state = from
  for (;;) {
    const end = markdown.indexOf('\n', state.offset)
    if (end < 0 || end >= offset) return state
    state = { offset: end + 1, open: fenceAfter(markdown.slice(state.offset, end), state.open) }
  }
}

/** The beginning of a message. */
export interface PartStart {
  offset: number
  /** Beginning of the content, after empty lines and after a line that only closes the open code. */
  content: number
  /** The block of code that the message reopens. */
  reopened: OpenFence | null
  /** The state at the line of `content`. */
  state: FenceState
}

const EMPTY_LINES = /(?:[ \t\r]*\n)*/y

const skipEmptyLines = (markdown: string, offset: number) => {
  EMPTY_LINES.lastIndex = offset
  return offset + EMPTY_LINES.exec(markdown)![0].length
}

/** Finds the beginning of a message, from a state at an earlier line. */
export function findStart(markdown: string, offset: number, from: FenceState): PartStart {
  const content = skipEmptyLines(markdown, offset)
  const state = findFenceState(markdown, content, from)
  if (!state.open) return { offset, content, reopened: null, state }
  const end = markdown.indexOf('\n', content)
  const line = markdown.slice(state.offset, end < 0 ? markdown.length : end)
  if (isLeft(line, state.open)) return { offset, content, reopened: null, state: { ...state, open: null } }
  if (state.offset < content || end < 0 || !isClosing(line, state.open))
    return { offset, content, reopened: state.open, state }
  const next = { offset: end + 1, open: null }
  const words = skipEmptyLines(markdown, next.offset)
  return { offset, content: words, reopened: null, state: findFenceState(markdown, words, next) }
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
  const { content, reopened, offset, state } = start
  const body = markdown.slice(content, Math.max(content, end)).trimEnd()
  if (reopened) return `${reopened.opening}\n${outdentCode(body, reopened)}${closing}`
  if (offset === 0) return body + closing
  const isLineStart = ONLY_CONTAINER.test(markdown.slice(state.offset, content))
  return outdent(isLineStart ? body : withoutFence(body)) + closing
}

/** Removes marks from the beginning of a text that would open code there, unlike within the line that was cut. */
const withoutFence = (body: string) => body.replace(/^([ \t]*)(?:`{3,}|~{3,})/, '$1')

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
