import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locale } from '#kernel'
import type { Expert } from '#plugin-api'
import { createFolderDisposal, listTemplateFolders } from '#toolbox'
import type { Cradle } from './manifest.ts'

/** Creates the access to the agents' folders: `<home>/agents/<id>`, readable by the server's own user only. */
export function createWorkspaceFolders({ log, server }: Pick<Cradle, 'log' | 'server'>) {
  const root = join(server.home, 'agents')
  const pathOf = (agent_id: string) => join(root, agent_id)

  return {
    pathOf,
    /** Creates the folder if it does not exist, and returns its path. */
    async ensure(agent_id: string): Promise<string> {
      await mkdir(pathOf(agent_id), { recursive: true, mode: 0o700 })
      return pathOf(agent_id)
    },
    ...createFolderDisposal(root, { log }),
  }
}

/** Copies the initial files of a template, in one language, into a workspace. */
export async function seedWorkspace(expert: Expert, locale: Locale, workspace: string): Promise<void> {
  for (const folder of listTemplateFolders(expert, locale)) await cp(folder, workspace, { recursive: true })
}
