import { type Limits, measure } from './dialects.ts'
import { buildSource, findStart, type PartStart } from './message-source.ts'
import { escapeSource, render } from './rendering.ts'
import { findFinishedEnd, listBlockEnds, type Stable } from './stable-text.ts'
import { canReopen, findClosing, listCuts, type Survey, surveyPart } from './survey.ts'

/** The part of a text that one message holds. */
export interface Piece {
  /** The rendered part, no longer than the limit. */
  text: string
  /** Its source, with code that is open at its ends opened and closed. */
  source: string
  /** Its end in the source. */
  end: number
  /** True if it is the last part of the text. */
  is_last: boolean
  /** The text to show while the source grows: all, or with `append_only` the part that later text cannot change. */
  shown: string
}

/** Share of a message that is reserved for the text between two checkpoints. */
const SLACK = 1 / 16

/** Results for the current message, kept so that a growing text is not examined from its start each time. */
interface Progress {
  start: PartStart
  /** Number of checkpoints at which the message fitted. */
  passed: number
  stable: Stable
}

/** Creates a cutter. With `append_only` the shown text of a message only grows, and the message begins with it. */
export function createCutter({ append_only = false, ...limits }: Limits & { append_only?: boolean }) {
  const { dialect, max_length, length_unit } = limits
  const isVerbatim = dialect === 'markdown'
  const isSource = isVerbatim || dialect === 'markdown-without-tables'
  const renderSource = (source: string) => render(source, dialect, { append_only })
  const isTooLong = (text: string, share = 1) => measure(length_unit, text) > max_length * share
  let progress: Progress | undefined

  function begin(markdown: string, offset: number): Progress {
    const from =
      progress && progress.start.state.offset <= offset ? progress.start.state : { offset: 0, open: null }
    const start = findStart(markdown, offset, from)
    if (start.reopened && !canReopen(start.reopened, limits)) start.reopened = null
    if (progress?.start.offset === offset && progress.start.content === start.content) return progress
    progress = { start, passed: 0, stable: { offset: start.content, text: '' } }
    return progress
  }

  /** Returns functions for the source of a message up to an offset: with code left open, and with code closed. */
  function createSources(markdown: string, start: PartStart, { lines }: Survey) {
    const open = (end: number) => buildSource(markdown, start, end)
    const closed = (end: number) => {
      const line = lines.findLast(({ offset }) => offset <= end)!
      return buildSource(markdown, start, end, findClosing(markdown, end, line, start, limits))
    }
    return { open, closed }
  }

  /** Finds where the message is too long, by its source or as rendered; the result depends on the text up to `seen`. */
  function findLimit(
    part: Progress,
    { reach, is_over, checkpoints }: Survey,
    source: (end: number) => string,
  ) {
    for (; !isVerbatim && part.passed < checkpoints.length; part.passed += 1) {
      const checkpoint = checkpoints[part.passed]!
      if (isTooLong(renderSource(source(checkpoint)), 1 - SLACK))
        return { offset: checkpoints[part.passed - 1] ?? checkpoint, seen: checkpoint, is_over: true }
    }
    return { offset: reach, seen: is_over ? reach + 1 : reach, is_over }
  }

  /** Extends the stable beginning; true if it is stuck, because the following text would change it or does not fit. */
  function extendStable(
    part: Progress,
    markdown: string,
    survey: Survey,
    end: number,
    source: (end: number) => string,
  ): boolean {
    const { content } = part.start
    const { lines, late, reach } = survey
    const ends = listBlockEnds(markdown, content, end, survey)
    // Rendered marks wait for the end of their block. Marks that stay in the source form need no such wait.
    if (isSource)
      ends.push(
        findFinishedEnd(markdown, { from: ends.at(-1) ?? content, to: Math.min(end, reach), lines, late }),
      )
    for (const offset of ends.filter((blockEnd) => blockEnd > part.stable.offset)) {
      const text = renderSource(source(offset))
      if (isTooLong(text) || !text.startsWith(part.stable.text)) return part.stable.text !== ''
      part.stable = { offset, text }
    }
    return false
  }

  function examine(markdown: string, offset: number) {
    const part = begin(markdown, offset)
    const { start } = part
    const survey = surveyPart(markdown, start, limits)
    const source = createSources(markdown, start, survey)
    const limit = findLimit(part, survey, source.open)
    const isStuck = append_only && extendStable(part, markdown, survey, limit.seen, source.open)

    const pieceTo = (end: number): Piece => {
      const closed = source.closed(end)
      const rendered = renderSource(closed)
      // The source always fits, however long its rendering is.
      const text = isTooLong(rendered) ? escapeSource(closed, dialect) : rendered
      const is_last = markdown.slice(end).trim() === ''
      const shown = append_only ? part.stable.text : text
      return { text, source: closed, end: is_last ? markdown.length : end, is_last, shown }
    }
    const isFit = (end: number): boolean => {
      const text = renderSource(source.closed(end))
      return !isTooLong(text) && (!append_only || text.startsWith(part.stable.text))
    }
    const chooseCut = (): number => {
      const { offset: last, seen: end } = limit
      const offsets = listCuts(markdown, {
        start: start.content,
        limit: last,
        end,
        lines: survey.lines,
      })
      if (!append_only || part.stable.text === '') return offsets.find(isFit) ?? offsets[0]!
      // The message keeps the shown text and extends to the best cut after it.
      return offsets.find((each) => each > part.stable.offset && isFit(each)) ?? part.stable.offset
    }
    return { part, survey, limit, isStuck, pieceTo, chooseCut }
  }

  return {
    /**
     * Returns the message that begins at `offset`. Unless it is the last one, it is the same for every text that begins
     * with this one. Set `is_whole` if the text does not grow any more.
     */
    next(markdown: string, offset: number, { is_whole = false }: { is_whole?: boolean } = {}): Piece {
      const { part, survey, limit, isStuck, pieceTo, chooseCut } = examine(markdown, offset)
      if (isStuck) return pieceTo(part.stable.offset)
      if (limit.is_over) return pieceTo(chooseCut())
      const piece = pieceTo(survey.reach)
      if (append_only && is_whole && !piece.text.startsWith(part.stable.text))
        return pieceTo(part.stable.offset)
      return { ...piece, end: markdown.length, is_last: true }
    },

    /** Returns a good end for the message, so that later text goes into another one; `offset` if there is none. */
    earlyEnd(markdown: string, offset: number): number {
      const { part, survey, isStuck, chooseCut } = examine(markdown, offset)
      if (isStuck || append_only) return part.stable.text === '' ? offset : part.stable.offset
      return part.start.content >= survey.reach ? offset : chooseCut()
    },

    /** Returns the message from `offset` to such an end. It is the same for every text that continues from there. */
    upTo: (markdown: string, offset: number, end: number): Piece => ({
      ...examine(markdown.slice(0, end), offset).pieceTo(end),
      end,
      is_last: false,
    }),
  }
}

/** One message of a split text. */
interface Part {
  /** The rendered part, no longer than the limit. */
  text: string
  /** Its range in the source; the parts cover the whole source. */
  start: number
  end: number
}

/** The limits for splitting a text. */
interface SplitOptions extends Limits {
  /** Text that does not fit in this many messages is cut off, marked by an ellipsis. */
  max_parts?: number
}

/** Marks the end of a truncated text. */
const ELLIPSIS = '…'

/**
 * Splits a text into messages after a paragraph, else after a line, a sentence, a word, or between two characters. Code
 * that is open at a cut is closed and reopened after it. A text that renders to nothing has no parts.
 *
 * All parts but the last are the same for every text that begins with this one: a cut depends only on the text up to
 * the first offset at which the message is too long. So a sent part stays valid while the text grows, unless it was the
 * last one, which may be cut again elsewhere.
 *
 * With limits of a few dozen characters, which no platform has, a cut may move while the text grows. With fewer than
 * about 16, a single escaped character may exceed the limit; it is sent all the same.
 */
export function splitMarkdown(markdown: string, options: SplitOptions): Part[] {
  const { max_parts = Number.POSITIVE_INFINITY, ...limits } = options
  const cutter = createCutter(limits)
  const parts: Part[] = []
  let start = 0
  for (let offset = 0; offset < markdown.length; ) {
    const isLastPart = parts.length + 1 >= max_parts
    const piece = cutter.next(markdown, offset, { is_whole: true })
    const end = isLastPart ? markdown.length : piece.end
    const text = isLastPart && !piece.is_last ? truncate(markdown, offset, limits) : piece.text
    // A part that renders to nothing is added to its neighbour.
    if (text.trim() !== '') parts.push({ text, start, end })
    else if (parts.length > 0) parts.at(-1)!.end = end
    offset = end
    if (parts.length > 0) start = end
  }
  return parts
}

/** Returns the message that begins at an offset, ended by an ellipsis because no other message follows. */
export function truncate(markdown: string, offset: number, limits: Limits): string {
  const room = limits.max_length - measure(limits.length_unit, `\n${ELLIPSIS}`)
  const { text } = createCutter({ ...limits, max_length: Math.max(1, room) }).next(markdown, offset)
  return text + (/(?:```|~~~|<\/pre>|<\/blockquote>)$/.test(text) ? '\n' : '') + ELLIPSIS
}
