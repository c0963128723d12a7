import { lstat, opendir } from 'node:fs/promises'
import { type OpenFolder, objectOf, type Tool, type TypeOf } from '#plugin-api'
import { explainErrors, ignoreCodes } from '../files/file-failure.ts'
import { findPlace, inFolder } from '../files/workspace-path.ts'
import { fitOutput, formatName } from '../output.ts'

const MAX_ENTRIES = 1000

const input = objectOf({
  path: {
    type: 'string',
    maxLength: 4096,
    description: 'A folder, relative to the workspace. Default: the workspace.',
  },
})

/** Lists one folder: a line for each entry, folders with a slash, files with their size. */
export const ls: Tool = {
  name: 'ls',
  label: { en: 'List files', zh: '列出文件' },
  description: `Lists the files and folders in one folder of the workspace, at most ${MAX_ENTRIES} of them.`,
  input_schema: input,
  disableable: false,
  execute({ path = '.' }: TypeOf<typeof input>, { workspace, signal }) {
    return explainErrors(path, async () => {
      signal.throwIfAborted()
      return inFolder(await findPlace(workspace, path), async (folder) => {
        const names = await readNames(folder)
        const notes =
          names.splice(MAX_ENTRIES).length > 0 ? [`[cut: only ${MAX_ENTRIES} entries are listed]`] : []
        const lines = await Promise.all(names.sort().map((name) => describe(folder, name)))
        return fitOutput(lines.filter((line) => line !== undefined).join('\n') || '(an empty folder)', notes)
      })
    })
  },
}

/** Reads the names of a folder, at most one more than are listed. */
async function readNames({ path }: OpenFolder): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of await opendir(path)) if (names.push(name) > MAX_ENTRIES) break
  return names
}

/** Formats the line of one entry; returns undefined if it does not exist any more. */
async function describe(folder: OpenFolder, name: string): Promise<string | undefined> {
  const stats = await ignoreCodes(['ENOENT'], lstat(folder.entry(name)))
  const shown = formatName(name)
  if (stats?.isDirectory()) return `${shown}/`
  return stats && `${shown}\t${stats.isSymbolicLink() ? 'link' : `${stats.size} bytes`}`
}
