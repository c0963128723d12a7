import { cutPlaces } from './cut-places.ts'
import { finishedEnd } from './finished-words.ts'
import { escapeSource, render } from './markdown.ts'
import { type Limits, lengthIn } from './measures.ts'
import { type PartStart, partSource, readStart } from './part-source.ts'
import { blockEnds, type Stable } from './stable-text.ts'
import { canReopen, closingAt, type Survey, surveyPart } from './survey.ts'

/** A message's worth of a text. */
export interface Piece {
  /** Rendered; no longer than the limit. */
  text: string
  /** Where it ends in the source. */
  end: number
  /** Whether the text ends with it. */
  is_last: boolean
  /** What may be shown while the text still grows: all of it, or what nothing that comes later can change. */
  shown: string
}

/** Cuts one text, which may still grow, into messages. */
export interface Cutter {
  /**
   * The message that begins at a place. Where it is not the last one, it is the same for every text that begins with this
   * one. With `is_whole` the text does not grow any more.
   */
  next(markdown: string, place: number, options?: { is_whole?: boolean }): Piece
  /** A good place to end the message now, so that what comes later stands in another one; `place` itself where there is none. */
  earlyEnd(markdown: string, place: number): number
  /** The message that ends at such a place. It is the same for every text that goes on from there. */
  upTo(markdown: string, place: number, end: number): Piece
}

/** How much of a message is kept free for what stands between two checkpoints, as a share of it. */
const SLACK = 1 / 16

/** What is known of the message that is being looked at, so that no part of it is looked at twice. */
interface Known {
  start: PartStart
  /** How many checkpoints have been passed. */
  passed: number
  stable: Stable
}

/** Makes a cutter. With `append_only` what it shows of a message only goes on, and so does the message. */
export function createCutter({ append_only = false, ...limits }: Limits & { append_only?: boolean }): Cutter {
  const { dialect, max_length, length_unit } = limits
  const isVerbatim = dialect === 'markdown'
  const isSource = isVerbatim || dialect === 'markdown-without-tables'
  const renderSource = (source: string) => render(source, dialect, { append_only })
  const isTooLong = (text: string, share = 1) => lengthIn(length_unit, text) > max_length * share
  let known: Known | undefined

  function begin(markdown: string, place: number): Known {
    const from = known && known.start.state.place <= place ? known.start.state : { place: 0, open: null }
    const start = readStart(markdown, place, from)
    if (start.reopened && !canReopen(start.reopened, limits)) start.reopened = null
    if (known?.start.place === place && known.start.content === start.content) return known
    known = { start, passed: 0, stable: { place: start.content, text: '' } }
    return known
  }

  /** The source of a message up to a place, and of one that ends there. */
  function sourcesOf(markdown: string, start: PartStart, { lines }: Survey) {
    const open = (end: number) => partSource(markdown, start, end)
    const closed = (end: number) => {
      const line = lines.findLast(({ place }) => place <= end)!
      return partSource(markdown, start, end, closingAt(markdown, end, line, start, limits))
    }
    return { open, closed }
  }

  /** Where the message is too long, by its characters or by what becomes of them; `seen` is as far as that depends on. */
  function limitOf(part: Known, { reach, is_over, checkpoints }: Survey, source: (end: number) => string) {
    for (; !isVerbatim && part.passed < checkpoints.length; part.passed += 1) {
      const seen = checkpoints[part.passed]!
      if (isTooLong(renderSource(source(seen)), 1 - SLACK))
        return { place: checkpoints[part.passed - 1] ?? seen, seen, is_over: true }
    }
    return { place: reach, seen: is_over ? reach + 1 : reach, is_over }
  }

  /** Lets the stable beginning grow; says whether it cannot, because the text behind it changes it or does not fit. */
  function grow(
    part: Known,
    markdown: string,
    survey: Survey,
    seen: number,
    source: (end: number) => string,
  ): boolean {
    const { content } = part.start
    const { lines, late, reach } = survey
    const ends = blockEnds(markdown, content, seen, survey)
    // What is marked is rendered once it is whole; marks that stay as they are do not wait for the end of the block.
    if (isSource)
      ends.push(
        finishedEnd(markdown, { from: ends.at(-1) ?? content, to: Math.min(seen, reach), lines, late }),
      )
    for (const place of ends.filter((end) => end > part.stable.place)) {
      const text = renderSource(source(place))
      if (isTooLong(text) || !text.startsWith(part.stable.text)) return part.stable.text !== ''
      part.stable = { place, text }
    }
    return false
  }

  function look(markdown: string, place: number) {
    const part = begin(markdown, place)
    const { start } = part
    const survey = surveyPart(markdown, start, limits)
    const source = sourcesOf(markdown, start, survey)
    const limit = limitOf(part, survey, source.open)
    const isStuck = append_only && grow(part, markdown, survey, limit.seen, source.open)

    const piece = (end: number, text: string): Piece => {
      const is_last = markdown.slice(end).trim() === ''
      const shown = append_only ? part.stable.text : text
      return { text, end: is_last ? markdown.length : end, is_last, shown }
    }
    const pieceTo = (end: number): Piece => {
      const text = renderSource(source.closed(end))
      // What is written is never longer than the limit, whatever it is rendered to.
      return piece(end, isTooLong(text) ? escapeSource(source.closed(end), dialect) : text)
    }
    const isFit = (end: number): boolean => {
      const text = renderSource(source.closed(end))
      return !isTooLong(text) && (!append_only || text.startsWith(part.stable.text))
    }
    const cutPlace = (): number => {
      const { place: last, seen: known } = limit
      const places = cutPlaces(markdown, { start: start.content, limit: last, known, lines: survey.lines })
      if (!append_only || part.stable.text === '') return places.find(isFit) ?? places[0]!
      // What is shown stays in the message, and as much of the rest as makes it end well.
      return places.find((each) => each > part.stable.place && isFit(each)) ?? part.stable.place
    }
    return { part, survey, limit, isStuck, pieceTo, cutPlace }
  }

  return {
    next(markdown, place, { is_whole = false } = {}) {
      const { part, survey, limit, isStuck, pieceTo, cutPlace } = look(markdown, place)
      if (isStuck) return pieceTo(part.stable.place)
      if (limit.is_over) return pieceTo(cutPlace())
      const piece = pieceTo(survey.reach)
      if (append_only && is_whole && !piece.text.startsWith(part.stable.text))
        return pieceTo(part.stable.place)
      return { ...piece, end: markdown.length, is_last: true }
    },

    earlyEnd(markdown, place) {
      const { part, survey, isStuck, cutPlace } = look(markdown, place)
      if (isStuck || append_only) return part.stable.text === '' ? place : part.stable.place
      return part.start.content >= survey.reach ? place : cutPlace()
    },

    upTo: (markdown, place, end) => ({
      ...look(markdown.slice(0, end), place).pieceTo(end),
      end,
      is_last: false,
    }),
  }
}
