import type { IndexDescription } from '../types.ts'

/** A passage in the index. */
export interface IndexedPassage {
  base_id: string
  document_id: string
  run: string
  /** The position among the passages of its document. */
  ordinal: number
  start: number
  end: number
  /** 0 if the document has no pages. */
  page: number
  /** Empty if no heading is above it. */
  heading: string
  text: string
}

/** A passage to be stored. */
export interface NewPassage extends IndexedPassage {
  words: string
  vector?: readonly number[]
}

/** The place of a passage. */
export type PassagePlace = Pick<IndexedPassage, 'document_id' | 'run' | 'ordinal'>

/** A passage that was found, without its text; a higher score is better, and comparable within one list. */
export interface FoundPassage extends PassagePlace {
  /** Empty if the index has no vectors. */
  words: string
  score: number
}

/** The columns that say which passage a row is. */
const PLACE = ['document_id', 'run', 'ordinal'] as const
/** Returns the columns of passages that are found; words are read if two lists are compared. */
export const columnsIn = ({ dimensions }: Pick<IndexDescription, 'dimensions'>): string[] =>
  dimensions === null ? [...PLACE] : [...PLACE, 'words']
/** The columns of a passage. */
export const COLUMNS = ['base_id', ...PLACE, 'start', 'end', 'page', 'heading', 'text']

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

const isOneOf = (column: string, values: readonly (string | number)[]) => {
  const shown = [...new Set(values)].map((value) => (typeof value === 'string' ? quote(value) : value))
  return `${column} IN (${shown.join(', ')})`
}

/** The condition that columns have values. */
export const isOf = (values: Partial<Pick<IndexedPassage, 'base_id' | 'document_id' | 'run'>>): string =>
  Object.entries(values)
    .map(([column, value]) => `${column} = ${quote(value)}`)
    .join(' AND ')

/** The condition that passages are in one of these knowledge bases. */
export const inBases = (base_ids: readonly string[]): string => isOneOf('base_id', base_ids)

/** The condition that passages are at these places; others of the same documents may be among them. */
export const areAt = (places: readonly PassagePlace[]): string =>
  PLACE.map((column) =>
    isOneOf(
      column,
      places.map((place) => place[column]),
    ),
  ).join(' AND ')

/** Returns a passage that was found. */
export const toFound = (row: Record<string, unknown>, score: number): FoundPassage => ({
  document_id: String(row.document_id),
  run: String(row.run),
  ordinal: Number(row.ordinal),
  words: String(row.words ?? ''),
  score,
})

/** Returns a passage that was read. */
export const toPassage = (row: Record<string, unknown>): IndexedPassage => ({
  base_id: String(row.base_id),
  document_id: String(row.document_id),
  run: String(row.run),
  ordinal: Number(row.ordinal),
  start: Number(row.start),
  end: Number(row.end),
  page: Number(row.page),
  heading: String(row.heading),
  text: String(row.text),
})
