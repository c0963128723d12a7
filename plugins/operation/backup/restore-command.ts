import { createReadStream, createWriteStream, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Db } from 'mongodb'
import { type Command, ConfigError, JSON_OPTION, printJson, readBlueprint, removeTree } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { Restored } from './restore.ts'
import { PASSPHRASE_FILE, readPassphrase } from './sealing.ts'
import type { VerifiedArchive } from './verification.ts'

/** A folder that may be in an empty home: the libraries of the engine. */
const HARMLESS = ['runtime']
/** The file in the home that holds an archive from standard input until it is restored. */
const SPOOL = '.restore.tar'

/** `svc restore`: makes a home and a database from an archive. */
export const restoreCommand: Command<Cradle> = {
  name: 'restore',
  summary: 'Restore a backup into an empty home and an empty database',
  arguments: [{ name: 'file', summary: 'archive to restore, or - for standard input', required: true }],
  options: [PASSPHRASE_FILE, JSON_OPTION],
  database: false,
  async run(input, { log }) {
    const { args, home, env, options, stdin, stdout } = input
    assertEmpty(home)
    const passphrase = await readPassphrase(input, { isNew: false })
    const { verifyArchive } = await import('./verification.ts')
    const spool = join(home, SPOOL)
    const file = args[0] === '-' ? spool : resolve(args[0]!)
    const openInput = () => createReadStream(file)
    let archive: VerifiedArchive
    let restored: Restored
    try {
      // It is read twice.
      if (file === spool) await pipeline(stdin, createWriteStream(spool, { mode: 0o600 }))
      archive = await verifyArchive(openInput(), passphrase)
      restored = await restoreVerified({ home, env, log }, { openInput, archive })
    } finally {
      await rm(spool, { force: true })
    }
    const { head } = archive
    const secrets = await repair({ home, env, log })
    const { end, hadDatabaseUrl } = restored
    const documents = Object.values(end.collections).reduce((sum, count) => sum + count, 0)
    if (options.json) printJson(stdout, { ...head, files: end.files, documents, secrets })
    else {
      const takenAt = new Date(head.created_at * 1000).toISOString()
      stdout.write(
        `Restored the backup of ${takenAt} into ${home}: documents ${documents}, files ${end.files}, secrets ${secrets.opened}.\n`,
      )
      if (end.unreadable_count)
        stdout.write(
          `Files and folders missing from the backup because they could not be read: ${end.unreadable_count}.\n`,
        )
      if (secrets.unreadable > 0)
        stdout.write(
          `Secrets that the key cannot decrypt and must be entered again: ${secrets.unreadable}.\n`,
        )
      if (hadDatabaseUrl)
        stdout.write('database.url was removed from config.json; set it if the server needs one.\n')
    }
    return 0
  },
}

/** Writes an archive to an empty home and an empty database, and removes everything again if it fails. */
async function restoreVerified(
  { home, env, log }: { home: string; env: NodeJS.ProcessEnv; log: Cradle['log'] },
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
      await clear(db)
      throw error
    }
  } finally {
    await database.close()
    if (!isComplete) await empty(home)
  }
}

function assertEmpty(home: string): void {
  const entry = readdirSync(home).find((name) => !HARMLESS.includes(name))
  if (entry !== undefined)
    throw new ConfigError(
      `the home ${home} is not empty: it contains "${entry}". Set SVC_HOME to use another one`,
    )
}

/** Removes what an unfinished restore has written to a home. */
async function empty(home: string): Promise<void> {
  for (const name of readdirSync(home)) if (!HARMLESS.includes(name)) await removeTree(join(home, name))
}

async function clear(db: Db): Promise<void> {
  const collections = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()
  for (const { name } of collections) await db.dropCollection(name)
}

/** Migrates the data, has plugins repair collections that were read at different times, and opens every secret. */
async function repair({ home, env, log }: { home: string; env: NodeJS.ProcessEnv; log: Cradle['log'] }) {
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
async function countSecrets(db: Db, secrets: Cradle['secrets']) {
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
