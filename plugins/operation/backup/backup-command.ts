import { createWriteStream, existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { Writable } from 'node:stream'
import {
  type Command,
  type CommandInput,
  ConfigError,
  JSON_OPTION,
  printJson,
  readBlueprint,
} from '#plugin-api'
import { isFolder, readKeep, removeOlder, toArchiveName } from './archive-folder.ts'
import { type ArchiveEnd, countDocuments } from './format.ts'
import { noteBackup } from './last-backup.ts'
import type { Cradle } from './manifest.ts'
import { PASSPHRASE_FILE, readPassphrase } from './sealing.ts'
import { verify } from './verify.ts'

/** The most files and folders that could not be read that are printed. */
const MAX_SHOWN = 20

/** `svc backup`: writes one archive with everything, while servers run or not. */
export const backupCommand: Command<Cradle> = {
  name: 'backup',
  summary: 'Write the database, the files and the encrypted keys to one archive',
  arguments: [
    {
      name: 'file',
      summary: 'archive to write, a folder for one with its time as its name, or - for standard output',
      required: true,
    },
  ],
  options: [
    PASSPHRASE_FILE,
    { flags: '--keep <number>', summary: 'remove older archives of the folder, except for the newest ones' },
    {
      flags: '--verify',
      summary: 'verify an archive, or the newest one of a folder, and restore it into a throwaway copy',
    },
    JSON_OPTION,
  ],
  database: false,
  async run(input, { log, clock }) {
    const { args, home, env, options, stdout, stderr } = input
    const file = args[0]!
    if (options.verify) return verify(input, log)
    const folder = isFolder(file) ? resolve(file) : undefined
    const keep = readKeep(options.keep, folder)
    const started = clock.now()
    const target = folder ? join(folder, toArchiveName(started)) : file === '-' ? undefined : resolve(file)
    if (target) assertUsable(target, home)
    const passphrase = await readPassphrase(input, { isNew: true })
    const [blueprint, { openDatabase }, { writeBackup }] = await Promise.all([
      readBlueprint({ home, env }),
      import('#plugin-api/operation'),
      import('./backup.ts'),
    ])
    const database = await openDatabase({ url: blueprint.config.values.database.url, home, log })
    const { db, isEmbedded } = database
    const write = (output: Writable) =>
      writeBackup({ blueprint, db, isEmbedded, passphrase, output, now: started })
    try {
      const end = target ? await writeWhole(target, write) : await write(unended(stdout))
      const seconds = Math.round((clock.now() - started) / 100) / 10
      await noteBackup(db, clock.seconds())
      const removed = folder && keep ? await removeOlder(folder, keep) : 0
      report({ ...input, stdout: target ? stdout : stderr }, target ?? 'standard output', end, {
        seconds,
        removed,
      })
      return 0
    } finally {
      await database.close()
    }
  },
}

function assertUsable(target: string, home: string): void {
  if (existsSync(target)) throw new ConfigError(`${target} already exists`)
  if (!existsSync(dirname(target))) throw new ConfigError(`the folder ${dirname(target)} does not exist`)
  if (!relative(home, target).startsWith('..')) throw new ConfigError(`the archive must be outside ${home}`)
}

/** Writes a file under another name first: an archive that has its own name is complete and on the disk. */
async function writeWhole(
  target: string,
  write: (output: Writable) => Promise<ArchiveEnd>,
): Promise<ArchiveEnd> {
  const draft = `${target}.partial`
  try {
    const end = await write(createWriteStream(draft, { mode: 0o600, flush: true }))
    await rename(draft, target)
    const folder = await open(dirname(target))
    await folder.sync()
    await folder.close()
    return end
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Standard output outlives the archive. */
const unended = (stdout: NodeJS.WriteStream) =>
  new Writable({ write: (chunk, _encoding, done) => void stdout.write(chunk, done) })

function report(
  { options, stdout }: Pick<CommandInput, 'options' | 'stdout'>,
  file: string,
  { files, collections, changed, unreadable = [], unreadable_count = 0 }: ArchiveEnd,
  { seconds, removed }: { seconds: number; removed: number },
): void {
  const documents = countDocuments({ collections })
  if (options.json) {
    printJson(stdout, { file, files, documents, changed, unreadable, unreadable_count, seconds, removed })
    return
  }
  stdout.write(`Wrote ${file} in ${seconds} s: documents ${documents}, files ${files}.\n`)
  if (removed > 0) stdout.write(`Removed older archives: ${removed}.\n`)
  for (const path of changed) stdout.write(`${join('home', path)} shrank while it was read.\n`)
  if (unreadable_count === 0) return
  stdout.write(`Not in the archive because they could not be read: ${unreadable_count}.\n`)
  for (const { path, reason } of unreadable.slice(0, MAX_SHOWN))
    stdout.write(`  ${JSON.stringify(join('home', path))}: ${reason}\n`)
  if (unreadable_count > MAX_SHOWN) stdout.write(`  … and more, listed in end.json in the archive.\n`)
}
