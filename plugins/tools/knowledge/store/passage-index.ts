import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError, createKeyedQueue, describeMissingPackage, findMissingPackage } from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import type { IndexDescription } from '../types.ts'
import {
  assertLanceInstalled,
  type Lance,
  type LanceConnection,
  type LanceTable,
  loadLance,
} from './lance.ts'
import {
  COLUMNS,
  type FoundPassage,
  inBases,
  isOf,
  type NewPassage,
  rowIdOf,
  toFound,
  toStored,
} from './passage-rows.ts'
import { describeTable, indexColumns, indexVectors, indexWords } from './passage-table.ts'
import { removeOldFiles, rewriteTable } from './purging.ts'
import type { TableLock } from './table-lock.ts'

/**
 * The caches of indexes and of files in bytes. The default of LanceDB is 7 GB; larger ones than these do not make a
 * search in 100,000 passages faster, because the system keeps the files in memory.
 */
const CACHES = [32n * 1024n * 1024n, 16n * 1024n * 1024n] as const
/** The version of the columns: a table with other ones has another name, and is missing. */
const LAYOUT = 2
const PREFIX = 'passages_'
/** The rows of a table whose index of words is made anew with each addition. */
const SMALL_TABLE_ROWS = 1000
/** The writes after which a table is tidied: what was added is indexed, and small files are joined. */
const WRITES_PER_TIDYING = 64
/** The passages for each one that is wanted whose whole vectors are compared; the index only estimates distances. */
const REFINED = 4

/** The passages of all knowledge bases; each index is a table of its own. */
export type PassageIndex = ReturnType<typeof createPassageIndex>

/** Creates the index; LanceDB is loaded on first use. */
export function createPassageIndex({
  config,
  server,
  log,
  lock,
  noteRemoval,
  load = loadLance,
}: Pick<Cradle, 'config' | 'server' | 'log'> & {
  lock: Pick<TableLock, 'run'>
  /** Called before passages are removed, whose text stays in files until it is purged. */
  noteRemoval(): Promise<unknown>
  load?: () => Promise<Lance>
}) {
  const url = config.store_url ?? join(server.home, 'knowledge', 'index')
  let opening: Promise<Lance & { connection: LanceConnection }> | undefined
  let failure: Error | undefined
  const tables = new Map<string, Promise<LanceTable>>()
  const writes = new Map<string, number>()
  const writtenNames = new Set<string>()
  const queue = createKeyedQueue()

  const open = async () => {
    const { lance, arrow } = await load()
    if (!config.store_url) mkdirSync(url, { recursive: true, mode: 0o700 })
    const session = new lance.Session(...CACHES)
    return { lance, arrow, connection: await lance.connect(url, { readConsistencyInterval: 0, session }) }
  }

  /** Notes and logs why LanceDB cannot be used, and returns the error for clients. */
  const fail = (cause: unknown): AppError => {
    const name = findMissingPackage(cause)
    const wasUsable = failure === undefined
    if (name === undefined) {
      failure = new Error(`LanceDB cannot be used: ${(cause as Error).message}`, { cause })
      if (wasUsable) log.warn({ error: cause }, 'the index of knowledge bases is unavailable: documents wait')
      return new AppError('KNOWLEDGE_INDEX_UNAVAILABLE', {}, { cause })
    }
    failure = new Error(`documents wait and cannot be searched, because ${describeMissingPackage(name)}`)
    if (wasUsable) log.warn({}, failure.message)
    return new AppError('KNOWLEDGE_NOT_INSTALLED', { name }, { cause })
  }

  /** Throws KNOWLEDGE_INDEX_UNAVAILABLE or KNOWLEDGE_NOT_INSTALLED if LanceDB cannot be used here. */
  const connect = async () => {
    opening ??= open()
    try {
      const opened = await opening
      failure = undefined
      return opened
    } catch (cause) {
      opening = undefined
      throw fail(cause)
    }
  }

  const nameOf = ({ id }: Pick<IndexDescription, 'id'>) => `${PREFIX}${LAYOUT}_${id}`

  const openTable = async (index: IndexDescription): Promise<LanceTable> => {
    const { connection, lance, arrow } = await connect()
    const name = nameOf(index)
    const table = await connection.createEmptyTable(name, describeTable(arrow, index), {
      mode: 'create',
      existOk: true,
    })
    await indexColumns(table, lance)
    return table
  }

  const tableOf = (index: IndexDescription): Promise<LanceTable> => {
    const name = nameOf(index)
    const opening = tables.get(name)
    if (opening) return opening
    const opened = openTable(index).catch((error) => {
      tables.delete(name)
      throw error
    })
    tables.set(name, opened)
    return opened
  }

  /** Returns a table to be read; undefined if it does not exist, as an empty one would be taken for a complete index. */
  const findTable = async (index: IndexDescription): Promise<LanceTable | undefined> => {
    const name = nameOf(index)
    if (tables.has(name)) return tableOf(index)
    const { connection } = await connect()
    return (await connection.tableNames()).includes(name) ? tableOf(index) : undefined
  }

  /** Runs work on a table after its earlier writes and while no other process writes it: they would collide. */
  const inOrder = <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    writtenNames.add(name)
    return queue.run(name, () => lock.run(name, work))
  }

  const write = <Result>(
    index: IndexDescription,
    change: (table: LanceTable) => Promise<Result>,
  ): Promise<Result> => {
    const name = nameOf(index)
    return inOrder(name, async () => {
      const result = await change(await tableOf(index))
      const count = (writes.get(name) ?? 0) + 1
      writes.set(name, count)
      if (count % WRITES_PER_TIDYING === 0) await tidy(index)
      return result
    })
  }

  /** Does work on which no result depends: another process does the same, or does it with its next write. */
  const attempt = async (work: () => Promise<unknown>): Promise<'done' | 'conflict' | 'failed'> => {
    try {
      await work()
      return 'done'
    } catch (error) {
      if (isConflict(error)) {
        log.info({ error }, 'another server tidies the index of knowledge bases')
        return 'conflict'
      }
      log.warn({ error }, 'the index of knowledge bases could not be tidied')
      return 'failed'
    }
  }

  const tidy = async (index: IndexDescription) => {
    const table = await tableOf(index)
    const { lance } = await connect()
    const tidied = await attempt(() => table.optimize({ cleanupOlderThan: new Date(Date.now() - 60_000) }))
    // After removals, LanceDB 0.30 may fail to merge the parts of the index of words, and then always does.
    if (tidied === 'failed') await attempt(() => indexWords(table, lance))
    await attempt(() => indexVectors(table, index, lance))
  }

  const remove = (index: IndexDescription, filter: string): Promise<void> =>
    write(index, async (table) => {
      if ((await table.countRows(filter)) === 0) return
      await noteRemoval()
      await table.delete(filter)
    })

  const drop = (name: string): Promise<void> =>
    inOrder(name, async () => {
      tables.delete(name)
      const { connection } = await connect()
      if ((await connection.tableNames()).includes(name)) await connection.dropTable(name)
    })

  return {
    /** Notes and logs that LanceDB is not installed, without loading it. */
    noteMissing(): void {
      try {
        assertLanceInstalled()
      } catch (cause) {
        fail(cause)
      }
    },

    /** Throws in words if LanceDB cannot be loaded or the store cannot be opened. */
    async check(): Promise<void> {
      await connect().catch((error) => {
        throw failure ?? error
      })
    },

    /** The reason why the index could not be opened when it was last tried. */
    get failure() {
      return failure
    },

    /** True if the table of an index exists. */
    async exists(index: IndexDescription): Promise<boolean> {
      const { connection } = await connect()
      return (await connection.tableNames()).includes(nameOf(index))
    },

    /**
     * Adds passages. The words of a small table are indexed at once: in rows that are not indexed yet, LanceDB finds no
     * word that occurs more often than the table has rows.
     */
    add: (index: IndexDescription, passages: readonly NewPassage[]) =>
      write(index, async (table) => {
        await table.add(passages.map(toStored))
        if ((await table.countRows()) >= SMALL_TABLE_ROWS) return
        const { lance } = await connect()
        await attempt(() => indexWords(table, lance))
      }),

    /** Removes the passages of a document, except the passages of a run. */
    removeDocument: (index: IndexDescription, document_id: string, keptRun?: string) =>
      remove(
        index,
        keptRun === undefined
          ? isOf({ document_id })
          : `${isOf({ document_id })} AND NOT ${isOf({ run: keptRun })}`,
      ),

    /** Removes the passages of a run that does not count. */
    removeRun: (index: IndexDescription, document_id: string, run: string) =>
      remove(index, isOf({ document_id, run })),

    removeBase: (index: IndexDescription, base_id: string) => remove(index, isOf({ base_id })),

    /** Indexes what was added last and joins small files. */
    tidy: (index: IndexDescription) => write(index, () => tidy(index)),

    /** Removes an index that is not used any more, after the writes that have begun; at the latest, it is purged. */
    async drop(index: IndexDescription): Promise<void> {
      const name = nameOf(index)
      await noteRemoval()
      await drop(name).catch((error) => {
        log.warn({ error, table: name }, 'an unused index of knowledge bases could not be removed')
      })
    },

    /**
     * Removes what was removed from the files too: the tables of indexes that are not used, the text of removed passages,
     * and what killed processes have left. Searches that have begun may read old files for `grace_ms` more.
     */
    async purge(
      listUsed: () => Promise<IndexDescription[]>,
      { grace_ms, signal }: { grace_ms: number; signal: AbortSignal },
    ): Promise<void> {
      const { connection, lance } = await connect()
      // Listed first: an index that is begun meanwhile is none of them.
      const names = await connection.tableNames()
      const used = await listUsed()
      const usedNames = new Set(used.map(nameOf))
      for (const name of names) if (name.startsWith(PREFIX) && !usedNames.has(name)) await drop(name)
      const present = used.filter((index) => names.includes(nameOf(index)))
      for (const index of present)
        await inOrder(nameOf(index), async () => rewriteTable(await tableOf(index), index, lance))
      const until = new Date()
      await pause(grace_ms, undefined, { signal })
      for (const index of present)
        await inOrder(nameOf(index), async () => removeOldFiles(await tableOf(index), until))
    },

    /** Returns the ids of the rows with these words (BM25) in these knowledge bases, the best ones first. */
    async findByWords(
      index: IndexDescription,
      { words, base_ids, limit }: { words: string; base_ids: readonly string[]; limit: number },
    ): Promise<bigint[]> {
      const table = await findTable(index)
      if (!table) return []
      const rows = await table
        .query()
        .fullTextSearch(words, { columns: ['words'] })
        .where(inBases(base_ids))
        .select(['_score'])
        .withRowId()
        .limit(limit)
        .toArray()
      return rows.map(rowIdOf)
    },

    /** Returns the ids of the rows that are nearest to a vector in these knowledge bases, the nearest ones first. */
    async findByVector(
      index: IndexDescription,
      { vector, base_ids, limit }: { vector: readonly number[]; base_ids: readonly string[]; limit: number },
    ): Promise<bigint[]> {
      const table = await findTable(index)
      if (!table) return []
      const rows = await table
        .vectorSearch(Float32Array.from(vector))
        .distanceType('cosine')
        .refineFactor(REFINED)
        .where(inBases(base_ids))
        .select(['_distance'])
        .withRowId()
        .limit(limit)
        .toArray()
      return rows.map(rowIdOf)
    },

    /** Returns the passages of rows, in this order; those that were removed, or moved by a tidying, are missing. */
    async read(index: IndexDescription, rows: readonly bigint[]): Promise<FoundPassage[]> {
      const table = rows.length > 0 ? await findTable(index) : undefined
      if (!table) return []
      const read = await table
        .takeRowIds([...rows])
        .select(COLUMNS)
        .withRowId()
        .toArray()
      const passages = new Map(read.map((row) => [rowIdOf(row), toFound(row)]))
      return rows.flatMap((row) => passages.get(row) ?? [])
    },

    /** Waits for the writes that have begun. */
    async close(): Promise<void> {
      await Promise.all([...writtenNames].map((name) => queue.run(name, async () => undefined)))
      const opened = await opening?.catch(() => undefined)
      opened?.connection.close()
    },
  }
}

/** True if another process wrote to the table at the same time, which LanceDB reports in these words alone. */
const isConflict = (error: unknown) => /commit conflict for version/i.test(String(error))
