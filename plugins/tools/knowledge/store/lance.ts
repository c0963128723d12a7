import { availableParallelism } from 'node:os'

// The part of LanceDB that is used. Its own types are not imported, because it is an optional dependency.

/** A row of passages, as it is stored; `page` and `vector` may be missing. */
export type StoredRow = Record<string, unknown>

/** A query of a table. */
interface LanceQuery {
  where(filter: string): LanceQuery
  select(columns: string[]): LanceQuery
  withRowId(): LanceQuery
  limit(count: number): LanceQuery
  fullTextSearch(query: string, options: { columns: string[] }): LanceQuery
  toArray(): Promise<StoredRow[]>
}

/** A query by a vector. */
interface LanceVectorQuery extends LanceQuery {
  distanceType(type: 'cosine'): LanceVectorQuery
  refineFactor(factor: number): LanceVectorQuery
}

/** A table. */
export interface LanceTable {
  add(rows: StoredRow[]): Promise<unknown>
  delete(filter: string): Promise<unknown>
  query(): LanceQuery
  takeRowIds(ids: bigint[]): LanceQuery
  vectorSearch(vector: Float32Array): LanceVectorQuery
  createIndex(column: string, options: { config: unknown; replace?: boolean }): Promise<void>
  listIndices(): Promise<{ name: string; indexType: string; columns: string[] }[]>
  countRows(filter?: string): Promise<number>
  optimize(options?: { cleanupOlderThan?: Date; deleteUnverified?: boolean }): Promise<unknown>
  close(): void
}

/** A connection. */
export interface LanceConnection {
  tableNames(): Promise<string[]>
  openTable(name: string): Promise<LanceTable>
  createEmptyTable(
    name: string,
    schema: unknown,
    options: { mode: 'create'; existOk: true },
  ): Promise<LanceTable>
  dropTable(name: string): Promise<void>
  close(): void
}

/** The module of LanceDB. */
interface LanceModule {
  connect(
    url: string,
    options: { readConsistencyInterval: number; session: unknown },
  ): Promise<LanceConnection>
  Session: new (indexCacheBytes: bigint, metadataCacheBytes: bigint) => unknown
  Index: {
    fts(options: Record<string, unknown>): unknown
    bitmap(): unknown
    btree(): unknown
    ivfPq(options: Record<string, unknown>): unknown
  }
}

/** The part of Apache Arrow that describes tables. */
interface ArrowModule {
  Schema: new (fields: unknown[]) => unknown
  Field: new (name: string, type: unknown, nullable: boolean) => unknown
  Utf8: new () => unknown
  Int32: new () => unknown
  Float32: new () => unknown
  FixedSizeList: new (size: number, field: unknown) => unknown
}

/** LanceDB, and the library that describes its tables. */
export interface Lance {
  lance: LanceModule
  arrow: ArrowModule
}

// Not written as literals, so that types do not ask for them.
const NAMES: Record<keyof Lance, string> = { lance: '@lancedb/lancedb', arrow: 'apache-arrow' }

/**
 * Sets the threads of LanceDB, and that it writes no log of its own, unless they are set. By default it has two fewer
 * than the machine has cores, and the threads that write an index of words wait for others of the same number: with
 * three cores or fewer, it hangs.
 */
function setEnvironment(): void {
  const threads = Math.max(4, availableParallelism())
  process.env.LANCE_CPU_THREADS ??= String(threads)
  process.env.LANCE_FTS_NUM_SHARDS ??= String(Math.floor(threads / 4))
  // Its errors are thrown as well.
  process.env.LANCEDB_LOG ??= 'off'
  // Otherwise it prints a warning.
  process.env.LANCE_INCLUDE_VECTOR_CENTROIDS ??= 'false'
}

/** Throws if LanceDB is not installed; takes no time, and loads nothing. */
export function assertLanceInstalled(): void {
  for (const name of Object.values(NAMES)) import.meta.resolve(name)
}

/**
 * Loads LanceDB, which takes some tenths of a second; rejects if it is not installed or does not run on this platform.
 */
export async function loadLance(): Promise<Lance> {
  setEnvironment()
  const [lance, arrow] = await Promise.all([import(NAMES.lance), import(NAMES.arrow)])
  return { lance, arrow }
}
