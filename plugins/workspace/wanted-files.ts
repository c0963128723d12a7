import { constants } from 'node:fs'
import type { Events } from '#kernel'
import { explaining, FileFailure } from './files/file-failure.ts'
import { findPlace, openFile } from './files/workspace-path.ts'
import type { Cradle } from './manifest.ts'

/** Reads what others want of a workspace; a file that cannot be read, or is larger, is passed over. */
export async function readWantedFiles(
  { agent_id, max_bytes, files }: Events['agent.files_wanted'],
  { agents, log }: Pick<Cradle, 'agents' | 'log'>,
): Promise<void> {
  const workspace = agents.workspaceOf(agent_id)
  for (const wanted of files)
    try {
      wanted.bytes = await explaining(wanted.path, () => readWhole(workspace, wanted.path, max_bytes))
    } catch (error) {
      if (!(error instanceof FileFailure)) throw error
      log.info({ agent: agent_id, reason: error.message }, 'a file that is wanted cannot be read')
    }
}

async function readWhole(workspace: string, path: string, max: number): Promise<Uint8Array | undefined> {
  const file = await openFile(await findPlace(workspace, path), constants.O_RDONLY)
  try {
    const { size } = await file.stat()
    return size > max ? undefined : await file.readFile()
  } finally {
    await file.close()
  }
}
