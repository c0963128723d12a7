import { setTimeout as pause } from 'node:timers/promises'
import type { Collection, Db } from 'mongodb'
import type { Clock } from '../clock.ts'
import { createFormCheck } from '../contract/form.ts'
import { ConfigError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { objectOf } from '../schema.ts'
import { acquireLease, type LeaseDocument } from './lease.ts'

/** One change of a plugin's stored data, which runs once, before the indexes are made and any plugin starts. */
export interface Migration<Cradle = never> {
  /** The data version of the plugin that it leads to: the first is 1, and each follows the one before. */
  number: number
  summary: string
  /** A migration that was interrupted runs again; `progress` is what it saved last, undefined at first. */
  run: (cradle: Cradle, resume: { progress: unknown; save(progress: unknown): Promise<void> }) => unknown
}

/** Checks the form of a migration that a plugin declares. */
export const assertMigration = createFormCheck<Migration>(
  objectOf(
    {
      number: { type: 'integer', minimum: 1 },
      summary: { type: 'string', minLength: 1 },
      run: true,
    },
    ['number', 'summary', 'run'],
  ),
  ['run'],
)

/** The version of the data of a plugin; `server` is that of the database as a whole. */
export interface DataVersion {
  _id: string
  version: number
  /** The progress that the migration to the next version saved. */
  progress?: unknown
}

/** The stored data of a plugin. */
export interface MigratedPart {
  name: string
  migrations: readonly Migration[]
  collections: readonly string[]
  cradle: unknown
}

/** The name and the migrations of the database as a whole; later versions that change how it is laid out add to them. */
export const WHOLE: MigratedPart = {
  name: 'server',
  migrations: [{ number: 1, summary: 'Note the version of the data', run: () => undefined }],
  collections: [],
  cradle: {},
}

const LEASE = 'data.migrations'
/** Milliseconds after which another process may continue migrations that were killed. */
const LEASE_MS = 15_000
const RETRY_MS = 100

/** Returns the collection with the versions. */
export const dataVersionsOf = (db: Db): Collection<DataVersion> => db.collection<DataVersion>('data_versions')

/** Throws one sentence if a part of these versions is newer than what this server knows. */
export function assertKnownVersions(
  versions: readonly Pick<DataVersion, '_id' | 'version'>[],
  parts: readonly Pick<MigratedPart, 'name' | 'migrations'>[],
): void {
  for (const { _id, version } of versions) {
    const part = parts.find(({ name }) => name === _id)
    if (part && version > part.migrations.length)
      throw new ConfigError(
        `the data of "${_id}" has version ${version}, and this server knows versions up to ${part.migrations.length}: ` +
          'run the version of the server that wrote the data, or a later one',
      )
  }
}

/**
 * Brings the data of all parts to the versions that their migrations lead to, in one process at a time; the others wait.
 * A plugin without data takes the last version at once.
 */
export async function migrateData(
  db: Db,
  {
    parts,
    holder,
    clock,
    log,
    leaseMs = LEASE_MS,
  }: { parts: readonly MigratedPart[]; holder: string; clock: Clock; log: Logger; leaseMs?: number },
): Promise<void> {
  const versions = dataVersionsOf(db)
  const read = async () => {
    const storedVersions = await versions.find().toArray()
    assertKnownVersions(storedVersions, parts)
    const versionOf = (part: MigratedPart) => storedVersions.find(({ _id }) => _id === part.name)?.version
    const behind = parts.filter((part) => part.migrations.length > (versionOf(part) ?? 0))
    const isFresh = await Promise.all(
      behind.map(async (part) => versionOf(part) === undefined && (await isEmpty(db, part.collections))),
    )
    return {
      behind: behind.filter((_, index) => !isFresh[index]),
      fresh: behind.filter((_, index) => isFresh[index]),
    }
  }
  const { behind, fresh } = await read()
  for (const { name, migrations } of fresh)
    await versions.updateOne(
      { _id: name },
      { $setOnInsert: { version: migrations.length } },
      { upsert: true },
    )
  if (behind.length === 0) return

  const leases = db.collection<LeaseDocument>('leases')
  const acquire = () => {
    const now = clock.now()
    return acquireLease(leases, { name: LEASE, holder, now, until: now + leaseMs })
  }
  const keep = async () => {
    if (!(await acquire())) throw new Error('another process has taken the migrations over')
  }
  while (!(await acquire())) await pause(RETRY_MS)
  const renewal = setInterval(() => {
    keep().catch((error) => log.error({ error }, 'the lease of the migrations could not be renewed'))
  }, leaseMs / 3)
  try {
    for (const part of (await read()).behind) await migratePart(part, { db, keep, log })
  } finally {
    clearInterval(renewal)
    await leases.deleteOne({ _id: LEASE, holder })
  }
}

async function migratePart(
  { name, migrations, cradle }: MigratedPart,
  { db, keep, log }: { db: Db; keep(): Promise<void>; log: Logger },
): Promise<void> {
  const versions = dataVersionsOf(db)
  const stored = await versions.findOne({ _id: name })
  const set = (version: number) =>
    versions.updateOne({ _id: name }, { $set: { version }, $unset: { progress: 1 } }, { upsert: true })
  for (const { number, summary, run } of migrations.slice(stored?.version ?? 0)) {
    log.info({ plugin: name, number, summary }, 'migrating data')
    await run(cradle as never, {
      progress: (await versions.findOne({ _id: name }))?.progress,
      async save(progress) {
        await keep()
        await versions.updateOne(
          { _id: name },
          { $set: { progress }, $setOnInsert: { version: number - 1 } },
          { upsert: true },
        )
      },
    })
    await keep()
    await set(number)
  }
}

async function isEmpty(db: Db, collections: readonly string[]): Promise<boolean> {
  const firstDocuments = await Promise.all(collections.map((name) => db.collection(name).findOne({})))
  return firstDocuments.every((document) => document === null)
}
