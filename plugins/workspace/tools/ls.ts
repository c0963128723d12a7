import { lstat, opendir } from 'node:fs/promises'
import { type OpenFolder, objectOf, type TypeOf } from '#kernel'
import type { Tool } from '#plugin-api'
import { explaining, ignoring } from '../files/file-failure.ts'
import { findPlace, openFolder } from '../files/workspace-path.ts'
import { capped, listed } from '../output.ts'

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
    return explaining(path, async () => {
      signal.throwIfAborted()
      const folder = await openFolder(await findPlace(workspace, path))
      try {
        const names = await readNames(folder)
        const notes =
          names.splice(MAX_ENTRIES).length > 0 ? [`[cut: only ${MAX_ENTRIES} entries are listed]`] : []
        const lines = await Promise.all(names.sort().map((name) => describe(folder, name)))
        return capped(lines.filter((line) => line !== undefined).join('\n') || '(an empty folder)', notes)
      } finally {
        await folder.close()
      }
    })
  },
}

/** The names in a folder, one more than are listed at most. */
async function readNames({ path }: OpenFolder): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of await opendir(path)) if (names.push(name) > MAX_ENTRIES) break
  return names
}

/** The line of one entry; undefined if it has gone meanwhile. */
async function describe(folder: OpenFolder, name: string): Promise<string | undefined> {
  const stats = await ignoring(['ENOENT'], lstat(folder.entry(name)))
  const shown = listed(name)
  if (stats?.isDirectory()) return `${shown}/`
  return stats && `${shown}\t${stats.isSymbolicLink() ? 'link' : `${stats.size} bytes`}`
}
