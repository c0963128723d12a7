import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cradle } from './manifest.ts'

/** Makes the keeper of the agents' folders: `<home>/agents/<id>`, for the server's own user alone. */
export function createWorkspaceFolders({ server }: Pick<Cradle, 'server'>) {
  const pathOf = (agent_id: string) => join(server.home, 'agents', agent_id)

  return {
    pathOf,
    /** Makes the folder if it is not there; gives its path. */
    async ensure(agent_id: string): Promise<string> {
      await mkdir(pathOf(agent_id), { recursive: true, mode: 0o700 })
      return pathOf(agent_id)
    },
    remove: (agent_id: string) => rm(pathOf(agent_id), { recursive: true, force: true, maxRetries: 3 }),
  }
}
