import { createReadStream, createWriteStream, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Command, ConfigError, JSON_OPTION, printJson } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { HARMLESS, repair, restoreVerified } from './restoration.ts'
import type { Restored } from './restore.ts'
import { PASSPHRASE_FILE, readPassphrase } from './sealing.ts'
import type { VerifiedArchive } from './verification.ts'

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

function assertEmpty(home: string): void {
  const entry = readdirSync(home).find((name) => !HARMLESS.includes(name))
  if (entry !== undefined)
    throw new ConfigError(
      `the home ${home} is not empty: it contains "${entry}". Set SVC_HOME to use another one`,
    )
}
