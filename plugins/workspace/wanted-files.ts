import { constants } from 'node:fs'
import { explaining, FileFailure } from './files/file-failure.ts'
import { findPlace, openFile } from './files/workspace-path.ts'
import type { Cradle } from './manifest.ts'

/** Reads files of a workspace for other plugins; one that cannot be read, or is larger, is passed over. */
export async function readWantedFiles(
  { agent_id, max_bytes, paths }: { agent_id: string; max_bytes: number; paths: readonly string[] },
  { agents, log }: Pick<Cradle, 'agents' | 'log'>,
): Promise<Map<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>()
  const workspace = agents.workspaceOf(agent_id)
  for (const path of paths)
    try {
      const bytes = await explaining(path, () => readWhole(workspace, path, max_bytes))
      if (bytes) contents.set(path, bytes)
    } catch (error) {
      if (!(error instanceof FileFailure)) throw error
      log.info({ agent: agent_id, reason: error.message }, 'a file that is wanted cannot be read')
    }
  return contents
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
