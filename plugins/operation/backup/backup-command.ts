import { createReadStream, createWriteStream, existsSync } from 'node:fs'
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
import type { ArchiveEnd } from './format.ts'
import { noteBackup } from './last-backup.ts'
import type { Cradle } from './manifest.ts'
import { PASSPHRASE_FILE, readPassphrase } from './sealing.ts'

/** The most files and folders that could not be read that are printed. */
const MAX_SHOWN = 20

/** `svc backup`: writes one archive with everything, while servers run or not. */
export const backupCommand: Command<Cradle> = {
  name: 'backup',
  summary: 'Write the database, the files and the encrypted keys to one archive',
  arguments: [{ name: 'file', summary: 'archive to write, or - for standard output', required: true }],
  options: [
    PASSPHRASE_FILE,
    { flags: '--verify', summary: 'verify an archive instead of writing one' },
    JSON_OPTION,
  ],
  database: false,
  async run(input, { log, clock }) {
    const { args, home, env, stdout, stderr } = input
    const file = args[0]!
    if (input.options.verify) return verify(input, resolve(file))
    const target = file === '-' ? undefined : resolve(file)
    if (target) assertUsable(target, home)
    const passphrase = await readPassphrase(input, { isNew: true })
    const [blueprint, { openDatabase }, { writeBackup }] = await Promise.all([
      readBlueprint({ home, env }),
      import('#plugin-api/operation'),
      import('./backup.ts'),
    ])
    const database = await openDatabase({ url: blueprint.config.values.database.url, home, log })
    const started = clock.now()
    const { db, isEmbedded } = database
    const write = (output: Writable) =>
      writeBackup({ blueprint, db, isEmbedded, passphrase, output, now: started })
    try {
      const end = target ? await writeWhole(target, write) : await write(unended(stdout))
      const seconds = Math.round((clock.now() - started) / 100) / 10
      await noteBackup(db, clock.seconds())
      report({ ...input, stdout: target ? stdout : stderr }, target ?? 'standard output', end, seconds)
      return 0
    } finally {
      await database.close()
    }
  },
}

/** `svc backup --verify`: reads an archive as a restore would, and writes nothing. */
async function verify(input: CommandInput, file: string): Promise<number> {
  const { options, stdout } = input
  const passphrase = await readPassphrase(input, { isNew: false })
  const { checkEntries, verifyArchive } = await import('./verification.ts')
  const archive = await verifyArchive(createReadStream(file), passphrase)
  const end = await checkEntries(createReadStream(file), archive)
  const { created_at, format, version } = archive.head
  const documents = countDocuments(end)
  if (options.json) printJson(stdout, { format, version, created_at, files: end.files, documents })
  else {
    const takenAt = new Date(created_at * 1000).toISOString()
    stdout.write(
      `The backup of ${takenAt} is authentic and complete: documents ${documents}, files ${end.files}.\n`,
    )
  }
  return 0
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

const countDocuments = ({ collections }: Pick<ArchiveEnd, 'collections'>): number =>
  Object.values(collections).reduce((sum, count) => sum + count, 0)

function report(
  { options, stdout }: Pick<CommandInput, 'options' | 'stdout'>,
  file: string,
  { files, collections, changed, unreadable = [], unreadable_count = 0 }: ArchiveEnd,
  seconds: number,
): void {
  const documents = countDocuments({ collections })
  if (options.json) {
    printJson(stdout, { file, files, documents, changed, unreadable, unreadable_count, seconds })
    return
  }
  stdout.write(`Wrote ${file} in ${seconds} s: documents ${documents}, files ${files}.\n`)
  for (const path of changed) stdout.write(`${join('home', path)} shrank while it was read.\n`)
  if (unreadable_count === 0) return
  stdout.write(`Not in the archive because they could not be read: ${unreadable_count}.\n`)
  for (const { path, reason } of unreadable.slice(0, MAX_SHOWN))
    stdout.write(`  ${JSON.stringify(join('home', path))}: ${reason}\n`)
  if (unreadable_count > MAX_SHOWN) stdout.write(`  … and more, listed in end.json in the archive.\n`)
}
