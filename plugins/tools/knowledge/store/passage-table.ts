import type { IndexDescription } from '../types.ts'
import type { Lance, LanceTable } from './lance.ts'

/** The passages from which on vectors get an index of their own; fewer are compared one by one. */
const VECTOR_INDEX_ROWS = 30_000
/**
 * The index of vectors: a byte for each 16 numbers. That of LanceDB 0.30 with a bit for each number (IVF_RQ) is
 * smaller, but misses 4 of the 10 nearest passages as soon as bases are chosen; tables that have it get this one.
 */
const VECTOR_INDEX = 'IvfPq'
/** The passages of a partition of that index; a search looks at 20 partitions. */
const PARTITION_ROWS = 1000
const MIN_PARTITIONS = 64

/** Describes the columns of a table of passages. */
export function describeTable(
  { Schema, Field, Utf8, Int32, Float32, FixedSizeList }: Lance['arrow'],
  { dimensions }: Pick<IndexDescription, 'dimensions'>,
): unknown {
  const text = (column: string) => new Field(column, new Utf8(), false)
  const number = (column: string) => new Field(column, new Int32(), false)
  const vector = () => {
    const item = new Field('item', new Float32(), true)
    return new Field('vector', new FixedSizeList(dimensions!, item), false)
  }
  return new Schema([
    ...['base_id', 'document_id', 'run', 'places', 'text', 'words'].map(text),
    ...['ordinal', 'start', 'end'].map(number),
    ...(dimensions === null ? [] : [vector()]),
  ])
}

/** Makes the index of words, in place of one that may exist. */
export async function indexWords(table: LanceTable, lance: Lance['lance']): Promise<void> {
  const config = lance.Index.fts({
    baseTokenizer: 'whitespace',
    language: 'English',
    stem: true,
    removeStopWords: true,
    lowercase: true,
    asciiFolding: true,
    withPosition: false,
    maxTokenLength: 64,
  })
  await table.createIndex('words', { config, replace: true })
}

/** Makes the indexes of words, bases and documents that a table lacks. */
export async function indexColumns(table: LanceTable, lance: Lance['lance']): Promise<void> {
  const indexed = new Set((await table.listIndices()).flatMap(({ columns }) => columns))
  if (!indexed.has('words')) await indexWords(table, lance)
  const configs = { base_id: () => lance.Index.bitmap(), document_id: () => lance.Index.btree() }
  for (const [column, config] of Object.entries(configs))
    if (!indexed.has(column)) await table.createIndex(column, { config: config(), replace: true })
}

/** Makes the index of vectors once there are enough of them; what is added later becomes part of it by tidying. */
export async function indexVectors(
  table: LanceTable,
  { dimensions }: Pick<IndexDescription, 'dimensions'>,
  lance: Lance['lance'],
): Promise<void> {
  // The parts of a vector have 16 or 8 numbers.
  if (dimensions === null || dimensions % 8 !== 0) return
  const rows = await table.countRows()
  if (rows < VECTOR_INDEX_ROWS) return
  const existing = (await table.listIndices()).find(({ columns }) => columns.includes('vector'))
  if (existing?.indexType === VECTOR_INDEX) return
  const numPartitions = Math.max(MIN_PARTITIONS, Math.round(rows / PARTITION_ROWS))
  const config = lance.Index.ivfPq({
    distanceType: 'cosine',
    numPartitions,
    numSubVectors: dimensions / (dimensions % 16 === 0 ? 16 : 8),
    sampleRate: 32,
    maxIterations: 8,
  })
  await table.createIndex('vector', { config, replace: true })
}
