import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cradle } from './manifest.ts'

/** Stands before the id in the name of a folder that is being filled. */
const UNFINISHED = '.unfinished-'

/** Makes the keeper of the files of published experts: `<home>/experts/<id>`, for the server's own user alone. */
export function createExpertFolders({ server }: Pick<Cradle, 'server'>) {
  const home = join(server.home, 'experts')
  const pathOf = (expert_id: string) => join(home, expert_id)
  const erase = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 })

  return {
    pathOf,

    /** Has a new folder filled under another name, so that no half of it ever goes by the expert's id. */
    async create<Result>(expert_id: string, fill: (folder: string) => Promise<Result>): Promise<Result> {
      const unfinished = pathOf(UNFINISHED + expert_id)
      try {
        await mkdir(unfinished, { recursive: true, mode: 0o700 })
        const result = await fill(unfinished)
        await rename(unfinished, pathOf(expert_id))
        return result
      } catch (error) {
        await erase(unfinished)
        throw error
      }
    },

    remove: (expert_id: string) => erase(pathOf(expert_id)),

    /** Names of folders that were last changed before a time in Unix milliseconds, unfinished ones included. */
    async listOlderThan(time: number): Promise<string[]> {
      const names: string[] = []
      for (const entry of (await unlessMissing(readdir(home, { withFileTypes: true }))) ?? []) {
        const stats = entry.isDirectory() ? await unlessMissing(stat(pathOf(entry.name))) : undefined
        if (stats && stats.mtimeMs < time) names.push(entry.name)
      }
      return names
    },
  }
}

/** Nothing may have been published yet, and a folder may be removed while others are looked at. */
async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
