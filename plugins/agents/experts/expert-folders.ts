import { mkdir, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree, unlessMissing } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** The prefix of the name of a folder that is being filled. */
const UNFINISHED_PREFIX = '.unfinished-'

/** Creates the store of the files of published experts: `<home>/experts/<id>`, readable by the server's user only. */
export function createExpertFolders({ server }: Pick<Cradle, 'server'>) {
  const home = join(server.home, 'experts')
  const pathOf = (expert_id: string) => join(home, expert_id)

  return {
    pathOf,

    /** Fills a new folder under a temporary name and then renames it, so that no incomplete folder has the expert's id. */
    async create<Result>(expert_id: string, fill: (folder: string) => Promise<Result>): Promise<Result> {
      const unfinished = pathOf(UNFINISHED_PREFIX + expert_id)
      try {
        await mkdir(unfinished, { recursive: true, mode: 0o700 })
        const result = await fill(unfinished)
        await rename(unfinished, pathOf(expert_id))
        return result
      } catch (error) {
        await removeTree(unfinished)
        throw error
      }
    },

    remove: (expert_id: string) => removeTree(pathOf(expert_id)),

    /** Lists the names of folders that were last changed before a time (Unix milliseconds), unfinished ones included. */
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
