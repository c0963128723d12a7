import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from 'mongodb'
import { type Command, ConfigError, JSON_OPTION, printJson, printTable, readBlueprint } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** The time without a sign after which a server counts as ended, in milliseconds. */
const SILENCE_MS = 15_000

/** `svc migrate-database`: copies the database to a MongoDB server and compares both. */
export const migrateCommand: Command<Cradle> = {
  name: 'migrate-database',
  summary: 'Copy the database to a MongoDB server and verify the copy',
  arguments: [{ name: 'url', summary: 'mongodb://…/name of an empty database', required: true }],
  options: [
    { flags: '--write-config', summary: 'write the address to config.json as database.url' },
    JSON_OPTION,
  ],
  database: false,
  async run({ args, home, env, options, stdout }, { log, clock }) {
    const url = args[0]!
    if (!/^mongodb(\+srv)?:\/\//.test(url)) throw new ConfigError('the address must begin with mongodb://')
    const [blueprint, { openDatabase }, { clearEmpty, flushJournal, listCopied }] = await Promise.all([
      readBlueprint({ home, env }),
      import('#plugin-api/operation'),
      import('./collections.ts'),
    ])
    const from = blueprint.config.values.database.url
    if (from === url) throw new ConfigError('this is the address of the current database')
    const source = await openDatabase({ url: from, home, log })
    try {
      const alive = await source.db
        .collection('nodes')
        .findOne({ seen_at: { $gt: (clock.now() - SILENCE_MS) / 1000 } })
      if (alive)
        throw new ConfigError(`stop the server first: process ${alive.pid} on ${alive.host} is running`)
      const target = await openDatabase({ url, home, log })
      try {
        const full = await clearEmpty(target.db)
        if (full !== undefined) throw new ConfigError(`that database is not empty: "${full}" has documents`)
        const rows = []
        for (const name of await listCopied(source.db, blueprint))
          rows.push({ collection: name, documents: await copy(source.db, target.db, name) })
        await flushJournal(target.db)
        if (options.writeConfig) writeUrl(home, url)
        if (options.json) printJson(stdout, rows)
        else {
          printTable(stdout, [
            ['collection', 'documents'],
            ...rows.map(({ collection, documents }) => [collection, `${documents}`]),
          ])
          stdout.write(
            `Counts and hashes match. ${options.writeConfig ? 'config.json names the new database' : 'Set SVC_DATABASE_URL to use it'}; files stay in the home.\n`,
          )
        }
        return 0
      } finally {
        await target.close()
      }
    } finally {
      await source.close()
    }
  },
}

async function copy(source: Db, target: Db, name: string): Promise<number> {
  const { createLoader, measure, readRaw } = await import('./collections.ts')
  const loader = createLoader(target.collection(name))
  for await (const batch of readRaw(source.collection(name))) await loader.add(batch)
  const written = loader.extent()
  const copied = await measure(target.collection(name))
  const original = await measure(source.collection(name))
  if (copied.count !== original.count || written.count !== original.count || copied.hash !== written.hash)
    throw new ConfigError(
      `the collection "${name}" of both databases differs: was it changed during the copy?`,
    )
  return original.count
}

function writeUrl(home: string, url: string): void {
  const path = join(home, 'config.json')
  let config: { database?: object } = {}
  try {
    config = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify({ ...config, database: { ...config.database, url } }, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  })
  renameSync(draft, path)
}
