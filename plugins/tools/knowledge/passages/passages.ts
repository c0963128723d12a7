import type { ReadText, Segment } from '../../documents/reading/blocks.ts'
import { joinWithHeadings, type Place } from './places.ts'

/** A piece of a document's text that is found as a whole; `start` and `end` count characters of that text. */
export interface Passage {
  start: number
  end: number
  /** The headings above its first text. */
  heading?: string
  /** Its ranges on one page and below the same headings, in the order of the text. */
  places: Place[]
}

/** The sizes of passages, in tokens. */
export interface PassageSizes {
  chunk_tokens: number
  chunk_overlap: number
}

/** A passage ends before a heading from this part of its size on. */
const ENOUGH = 2 / 3
/** A passage is never larger than its size by more than this factor. */
const TOO_LARGE = 4 / 3
/** The most changes of page or heading in a passage: they are stored with it, and headings may be long. */
const MAX_CHANGES = 64

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' })
const words = new Intl.Segmenter('und', { granularity: 'word' })

/** The characters that are cut into sentences at a time. */
const SENTENCES_PART = 2000

/** A range that is not cut. */
interface Piece extends Place {
  kind: Segment['kind']
  tokens: number
}

/** Cuts a text into passages: at headings, then between paragraphs, then between sentences. */
export function* cutPassages({ text, segments }: ReadText, sizes: PassageSizes): Generator<Passage> {
  const { chunk_tokens: size, chunk_overlap: overlap } = sizes
  const limit = size * TOO_LARGE
  let open: Piece[] = []
  let tokens = 0
  let changes = 0
  /** False if the open pieces are only those that the last passage ended with. */
  let isNew = false

  const close = (): Passage => {
    const [first] = open
    const { heading } = open.find(({ kind }) => kind !== 'heading') ?? first!
    return {
      start: first!.start,
      end: open.at(-1)!.end,
      ...(heading && { heading }),
      places: joinWithHeadings(open),
    }
  }
  /** Begins the next passage with the last pieces of this one. */
  const overlapping = (): Piece[] => {
    let tokenCount = 0
    const from = open.findLastIndex((piece) => {
      tokenCount += piece.tokens
      return tokenCount > overlap || piece.kind === 'heading'
    })
    return open.slice(from + 1)
  }
  const begin = (pieces: Piece[]) => {
    open = pieces
    tokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0)
    changes = pieces.filter((piece, index) => index > 0 && isElsewhere(piece, pieces[index - 1]!)).length
    isNew = false
  }

  for (const piece of toPieces(text, segments, limit)) {
    const isHeading = piece.kind === 'heading'
    const isFull = tokens + piece.tokens > limit || changes >= MAX_CHANGES
    if (isNew && ((isHeading && tokens >= size * ENOUGH) || isFull)) {
      // A heading belongs to what follows it.
      const isHanging = open.length > 1 && open.at(-1)!.kind === 'heading'
      const hanging = isHanging ? open.splice(-1) : []
      yield close()
      begin(isHanging ? hanging : isHeading ? [] : overlapping())
      if (tokens + piece.tokens > limit) begin(hanging)
    }
    if (open.length > 0 && isElsewhere(piece, open.at(-1)!)) changes += 1
    open.push(piece)
    tokens += piece.tokens
    isNew = true
  }
  if (isNew) yield close()
}

const isElsewhere = (one: Piece, other: Piece): boolean =>
  one.page !== other.page || one.heading !== other.heading

/** Yields the segments, those that are too large in parts. */
function* toPieces(text: string, segments: readonly Segment[], limit: number): Generator<Piece> {
  for (const segment of segments) {
    const { kind, start, end, page, heading } = segment
    const content = text.slice(start, end)
    const tokens = countTokens(content)
    const shared = { kind, page, heading }
    if (tokens <= limit) yield { ...shared, start, end, tokens }
    else
      for (const part of splitLong(content, kind, limit))
        yield { ...shared, start: start + part.start, end: start + part.end, tokens: part.tokens }
  }
}

interface Part {
  start: number
  end: number
  tokens: number
}

/** Splits a text at its lines, a line at its sentences, a sentence between its words. */
function splitLong(text: string, kind: Segment['kind'], limit: number): Part[] {
  const byLine = listParts(text.split(/(?<=\n)/))
  return byLine.flatMap((line) => {
    if (line.tokens <= (kind === 'code' ? limit : limit / 8)) return [line]
    return splitSentences(text, line).flatMap((sentence) =>
      sentence.tokens <= limit ? [sentence] : halve(text, sentence, limit),
    )
  })
}

const listParts = (pieces: Iterable<string>, offset = 0): Part[] => {
  let start = offset
  return [...pieces].map((piece) => {
    const part = { start, end: start + piece.length, tokens: countTokens(piece) }
    start = part.end
    return part
  })
}

function splitSentences(text: string, { start, end }: Part): Part[] {
  const parts = segmentInParts(sentences, text.slice(start, end), SENTENCES_PART)
  return listParts(
    [...parts].map(({ segment }) => segment),
    start,
  )
}

/** The characters around the middle of a text in which a word's end is looked for. */
const MIDDLE = 100

/** Splits what has no sentences in halves, between words near the middle, until each is small enough. */
function halve(text: string, part: Part, limit: number): Part[] {
  if (part.tokens <= limit) return [part]
  const middle = Math.floor((part.start + part.end) / 2)
  const from = Math.max(part.start, middle - MIDDLE)
  const near = text.slice(from, Math.min(part.end, middle + MIDDLE))
  const breaks = [...words.segment(near)].map(({ index }) => from + index).filter((at) => at > part.start)
  // Between the halves of a character, nothing is cut.
  const at = breaks.find((index) => index >= middle) ?? breaks.at(-1) ?? middle
  return listParts([text.slice(part.start, at), text.slice(at, part.end)], part.start).flatMap((half) =>
    halve(text, half, limit),
  )
}

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu

/** The characters of a token, in scripts with an alphabet. */
const CHARACTERS_PER_TOKEN = 4

/** Estimates the tokens of a text without asking a model. */
function countTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0
  return wide + (text.length - wide) / CHARACTERS_PER_TOKEN
}

/**
 * Yields the segments of a text, in parts of about `length` characters, because V8 copies the whole text that it
 * segments for each segment. A part ends between two sentences, or before a blank or a sign between two words.
 */
export function* segmentInParts(
  segmenter: Intl.Segmenter,
  text: string,
  length: number,
): Generator<Pick<Intl.SegmentData, 'segment' | 'isWordLike'>> {
  let start = 0
  let partLength = length
  while (start < text.length) {
    const end = start + partLength
    const segments = [...segmenter.segment(text.slice(start, end))]
    if (end < text.length) {
      // The last one may go on.
      segments.pop()
      const last = segments.findLastIndex(({ isWordLike }) => !isWordLike)
      segments.splice(Math.max(last, 0))
      if (segments.length === 0) {
        partLength *= 2
        continue
      }
    }
    yield* segments
    start += segments.reduce((sum, { segment }) => sum + segment.length, 0)
    partLength = length
  }
}
