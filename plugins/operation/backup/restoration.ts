import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Db } from 'mongodb'
import { ConfigError, readBlueprint, removeTree } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { Restored } from './restore.ts'
import type { VerifiedArchive } from './verification.ts'

/** The home, the configuration and the log of a restore. */
export interface RestoreTarget {
  home: string
  env: NodeJS.ProcessEnv
  log: Cradle['log']
}

/** The numbers of secrets that the key can and cannot decrypt. */
export interface SecretCounts {
  opened: number
  unreadable: number
}

/** A folder that may be in an empty home: the libraries of the engine. */
export const HARMLESS = ['runtime']

/** Writes an archive to an empty home and an empty database, and removes everything again if it fails. */
export async function restoreVerified(
  { home, env, log }: RestoreTarget,
  { openInput, archive }: { openInput: () => Readable; archive: VerifiedArchive },
): Promise<Restored> {
  const [blueprint, { assertKnownVersions, openDatabase, WHOLE }, { readBackup }, { clearEmpty }] =
    await Promise.all([
      readBlueprint({ home, env }),
      import('#plugin-api/operation'),
      import('./restore.ts'),
      import('./collections.ts'),
    ])
  const parts = blueprint.plugins.map(({ name, declarations: { migrations } }) => ({ name, migrations }))
  const versions = Object.entries(archive.head.data_versions).map(([_id, version]) => ({ _id, version }))
  assertKnownVersions(versions, [WHOLE, ...parts])
  const database = await openDatabase({ url: blueprint.config.values.database.url, home, log })
  const { db } = database
  let isComplete = false
  try {
    const full = await clearEmpty(db)
    if (full !== undefined) throw new ConfigError(`the database is not empty: "${full}" has documents`)
    try {
      const restored = await readBackup({ openInput, home, db, archive })
      isComplete = true
      return restored
    } catch (error) {
      await dropCollections(db)
      throw error
    }
  } finally {
    await database.close()
    if (!isComplete) await empty(home)
  }
}

/** Removes what an unfinished restore has written to a home. */
async function empty(home: string): Promise<void> {
  for (const name of readdirSync(home)) if (!HARMLESS.includes(name)) await removeTree(join(home, name))
}

/** Drops every collection of a database. */
export async function dropCollections(db: Db): Promise<void> {
  const collections = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()
  for (const { name } of collections) await db.dropCollection(name)
}

/** Migrates the data, has plugins repair collections that were read at different times, and opens every secret. */
export async function repair({ home, env, log }: RestoreTarget): Promise<SecretCounts> {
  const { openRuntime } = await import('#plugin-api/operation')
  const runtime = await openRuntime({ blueprint: await readBlueprint({ home, env }), log })
  try {
    await runtime.prepare()
    await runtime.extensions['backup.restored'].ask({})
    return await countSecrets(runtime.database!.db, runtime.cradleOf('backup').secrets)
  } finally {
    await runtime.stop()
  }
}

/** Opens every secret of the database, to see that the key fits. */
async function countSecrets(db: Db, secrets: Cradle['secrets']): Promise<SecretCounts> {
  const { listSealedFields, purposeOf } = await import('#plugin-api/operation')
  const counts = { opened: 0, unreadable: 0 }
  for (const sealed of await listSealedFields(db)) {
    const { collection, field } = sealed
    const documents = db.collection<{ _id: string }>(collection)
    for await (const document of documents.find({ [field]: { $type: 'string' } }))
      try {
        secrets.open((document as Record<string, unknown>)[field] as string, purposeOf(sealed, document._id))
        counts.opened += 1
      } catch {
        counts.unreadable += 1
      }
  }
  return counts
}
