import type { DocumentScore } from './corpus-readers.ts'

/** The scores of several documents together; the shares are percents, and NaN if nothing was expected. */
export interface Totals {
  documents: number
  /** The expected words that were read in their order. */
  words: number
  /** The words that were read and are in no document. */
  surplus: number
  /** The cells that were read under their heads. */
  cells: number
  /** The documents that were refused or not refused wrongly, or whose number of pages is wrong. */
  wrong: number
}

/** Sums up the scores of documents. */
export function sumScores(scores: readonly DocumentScore[]): Totals {
  const sum = (count: (score: DocumentScore) => number) =>
    scores.reduce((total, score) => total + count(score), 0)
  return {
    documents: scores.length,
    words: share(
      sum(({ words }) => words.matched),
      sum(({ words }) => words.expected),
    ),
    surplus: share(
      sum(({ words }) => words.surplus.length),
      sum(({ words }) => words.read),
    ),
    cells: share(
      sum((score) => score.cells.matched),
      sum((score) => score.cells.expected),
    ),
    wrong: sum(({ isRight }) => (isRight ? 0 : 1)),
  }
}

const share = (count: number, total: number): number => (count / total) * 100

/** Formats a percentage; a dash if nothing was expected. */
export const formatShare = (value: number): string => (Number.isNaN(value) ? '–' : `${value.toFixed(1)} %`)
