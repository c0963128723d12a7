import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { type CommandInput, printJson, printTable } from '#plugin-api'
import { isFolder, newestIn } from './archive-folder.ts'
import { countDocuments } from './format.ts'
import type { Cradle } from './manifest.ts'
import { readPassphrase } from './sealing.ts'

/**
 * `svc backup --verify`: verifies an archive, restores it into a throwaway copy and prints its contents. Returns 1 if
 * secrets in it cannot be decrypted.
 */
export async function verify(input: CommandInput, log: Cradle['log']): Promise<number> {
  const { args, options, stdout } = input
  const file = isFolder(args[0]!) ? newestIn(resolve(args[0]!)) : resolve(args[0]!)
  const passphrase = await readPassphrase(input, { isNew: false })
  const [{ verifyArchive }, { runDrill }] = await Promise.all([
    import('./verification.ts'),
    import('./drill.ts'),
  ])
  const openInput = () => createReadStream(file)
  const archive = await verifyArchive(openInput(), passphrase)
  const { end, secrets } = await runDrill({ ...input, log }, { openInput, archive })
  const { created_at, format, version } = archive.head
  const { files, collections, unreadable_count = 0 } = end
  const documents = countDocuments(end)
  const code = secrets.unreadable > 0 ? 1 : 0
  if (options.json) {
    printJson(stdout, {
      file,
      format,
      version,
      created_at,
      files,
      documents,
      collections,
      secrets,
      unreadable_count,
    })
    return code
  }
  const takenAt = new Date(created_at * 1000).toISOString()
  stdout.write(
    `The backup of ${takenAt} is authentic and complete: documents ${documents}, files ${files}.\n` +
      `It was restored into a throwaway copy, where every count matches: secrets ${secrets.opened}, and documents:\n`,
  )
  const counts = Object.entries(collections).filter(([, count]) => count > 0)
  printTable(
    stdout,
    counts.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, count]) => [`  ${name}`, `${count}`]),
  )
  if (unreadable_count > 0)
    stdout.write(`Files and folders missing from it because they could not be read: ${unreadable_count}.\n`)
  if (code > 0) stdout.write(`Secrets that its key cannot decrypt: ${secrets.unreadable}.\n`)
  return code
}
