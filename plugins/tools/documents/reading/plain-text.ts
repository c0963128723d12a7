import type { Block } from './blocks.ts'
import { isCards, readCards } from './cards.ts'
import { isTimedText, readTimedText } from './timed-text.ts'

/** Yields the paragraphs of a plain text, the events of a calendar, contacts, or what is said in subtitles. */
export function* readAnyText(source: string): Generator<Block> {
  if (isTimedText(source)) yield* readTimedText(source)
  else if (isCards(source)) yield* readCards(source)
  else yield* readPlainText(source)
}

/** Yields the paragraphs of a plain text. */
export function* readPlainText(source: string): Generator<Block> {
  for (const text of source.split(/\n[^\S\n]*\n+/)) yield { kind: 'text', text }
}

/** The fewest lines of a piece of code. */
const MIN_PIECE_LINES = 4

/** Yields the pieces of a source file: cut before lines without indentation that follow an empty line. */
export function* readCode(source: string): Generator<Block> {
  let piece: string[] = []
  let isAfterGap = false
  for (const line of source.split('\n')) {
    const begins = isAfterGap && /^[^\s)}\]]/.test(line)
    if (begins && piece.length >= MIN_PIECE_LINES) {
      yield { kind: 'code', text: piece.join('\n') }
      piece = []
    }
    piece.push(line)
    isAfterGap = line.trim() === ''
  }
  yield { kind: 'code', text: piece.join('\n') }
}
