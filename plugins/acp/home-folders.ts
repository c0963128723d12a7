import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cradle } from './manifest.ts'

/** Makes the keeper of the accounts' home folders, which runners keep logins and caches in: `<home>/acp/<user_id>`. */
export function createHomeFolders({ server }: Pick<Cradle, 'server'>) {
  const pathOf = (user_id: string) => join(server.home, 'acp', user_id)
  return {
    /** Makes the folder if it is not there, for the server's own user alone; gives its path. */
    async ensure(user_id: string): Promise<string> {
      await mkdir(pathOf(user_id), { recursive: true, mode: 0o700 })
      return pathOf(user_id)
    },
    remove: (user_id: string) => rm(pathOf(user_id), { recursive: true, force: true, maxRetries: 3 }),
  }
}
