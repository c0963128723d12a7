import type { Place } from '../passages/places.ts'

/** A passage in the index. */
export interface IndexedPassage {
  base_id: string
  document_id: string
  run: string
  /** The position among the passages of its document. */
  ordinal: number
  start: number
  end: number
  places: readonly Place[]
  text: string
  /** The words that find it, separated by spaces. */
  words: string
}

/** A passage to be stored. */
export interface NewPassage extends IndexedPassage {
  vector?: readonly number[]
}

/** A passage in its row of a table. */
export interface FoundPassage extends IndexedPassage {
  row: bigint
}

/** The columns of a passage. */
export const COLUMNS: (keyof IndexedPassage)[] = [
  ...(['base_id', 'document_id', 'run'] as const),
  ...(['ordinal', 'start', 'end', 'places', 'text', 'words'] as const),
]

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

/** The condition that columns have values. */
export const isOf = (values: Partial<Pick<IndexedPassage, 'base_id' | 'document_id' | 'run'>>): string =>
  Object.entries(values)
    .map(([column, value]) => `${column} = ${quote(value)}`)
    .join(' AND ')

/** The condition that passages are in one of these knowledge bases. */
export const inBases = (base_ids: readonly string[]): string =>
  `base_id IN (${[...new Set(base_ids)].map(quote).join(', ')})`

/** Returns the id of a row. */
export const rowIdOf = (row: Record<string, unknown>): bigint => row._rowid as bigint

/** Returns the row of a passage. */
export const toStored = ({ places, ...passage }: NewPassage): Record<string, unknown> => ({
  ...passage,
  places: JSON.stringify(places),
})

/** Returns a passage that was read. */
export const toFound = (row: Record<string, unknown>): FoundPassage => ({
  row: rowIdOf(row),
  base_id: String(row.base_id),
  document_id: String(row.document_id),
  run: String(row.run),
  ordinal: Number(row.ordinal),
  start: Number(row.start),
  end: Number(row.end),
  places: JSON.parse(String(row.places)),
  text: String(row.text),
  words: String(row.words),
})
