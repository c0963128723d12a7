import type { FileHandle } from 'node:fs/promises'
import type { ExtensionPoints } from '#plugin-api'
import type { ReadDocument } from '../../agents/agents/types.ts'
import { decodeText, lookupMediaType } from './files/file-facts.ts'
import { explainErrors, FileFailure, quote } from './files/file-failure.ts'
import { createFile, MAX_FILE_BYTES, toBytes } from './files/file-replacement.ts'
import { withFile } from './files/workspace-path.ts'
import { findWritablePlace, toShownPath } from './files/writable-place.ts'
import type { Cradle } from './manifest.ts'

/** Text files of workspaces, for tools of other plugins. Refuses paths that leave the workspace. */
export type WorkspaceFiles = ReturnType<typeof createWorkspaceFiles>

/** Creates the service. */
export function createWorkspaceFiles({ workspaceRoom }: Pick<Cradle, 'workspaceRoom'>) {
  return {
    /**
     * Reads the text of a file, or `limit` lines of it from `line` (counted from 1). Throws an Error with the reason,
     * whose cause is the error of the system if there was one.
     */
    readText: (
      workspace: string,
      path: string,
      range: { line?: number; limit?: number } = {},
    ): Promise<string> =>
      explainErrors(path, () =>
        withFile(workspace, path, async (file) => selectLines(await readWhole(file, path), range)),
      ),

    /** Writes a whole file, creating its parent folders; returns its path in the workspace. Throws like `readText`. */
    writeText: (
      { workspace, agent_id }: { workspace: string; agent_id: string },
      path: string,
      content: string,
      signal: AbortSignal,
    ): Promise<{ path: string; media_type: string }> =>
      explainErrors(path, async () => {
        const bytes = toBytes(content)
        signal.throwIfAborted()
        const location = await findWritablePlace({ workspace, write_area: null }, path)
        await createFile(location, bytes, { grow: workspaceRoom.growthForTools(agent_id), signal })
        const written = toShownPath(location)
        return { path: written, media_type: lookupMediaType(written, 'text/plain') }
      }),
  }
}

/** Reads a file; the limit holds even if the file grows. */
async function readWhole(file: FileHandle, path: string): Promise<string> {
  const stream = file.createReadStream({ start: 0, end: MAX_FILE_BYTES, autoClose: false })
  const bytes = Buffer.concat(await stream.toArray())
  if (bytes.length > MAX_FILE_BYTES)
    throw new FileFailure(`${quote(path)} is too large: at most ${MAX_FILE_BYTES} bytes can be read`)
  const text = decodeText(bytes)
  if (text === undefined) throw new FileFailure(`${quote(path)} is not UTF-8 text (${bytes.length} bytes)`)
  return text
}

function selectLines(text: string, { line = 1, limit }: { line?: number; limit?: number }): string {
  if (line <= 1 && limit === undefined) return text
  const lines = text.split(/(?<=\n)/)
  const start = Math.max(0, line - 1)
  return lines.slice(start, limit === undefined ? undefined : start + limit).join('')
}

/** Reads a document of a workspace for other plugins; undefined for a path that is no file. */
export const readWantedDocument = async (
  { locale, signal, ...request }: Parameters<ExtensionPoints['agents.documents']>[0],
  { workspaceDocuments }: Pick<Cradle, 'workspaceDocuments'>,
): Promise<ReadDocument | undefined> => {
  try {
    return await explainErrors(request.path, () => workspaceDocuments.read(request, locale, signal))
  } catch (error) {
    if (error instanceof FileFailure) return undefined
    throw error
  }
}

/** Reads files of a workspace for other plugins; skips files that are unreadable or larger than `max_bytes`. */
export async function readWantedFiles(
  { agent_id, max_bytes, paths }: { agent_id: string; max_bytes: number; paths: readonly string[] },
  { agents, log }: Pick<Cradle, 'agents' | 'log'>,
): Promise<Map<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>()
  const workspace = agents.workspaceOf(agent_id)
  for (const path of paths)
    try {
      const bytes = await explainErrors(path, () =>
        withFile(workspace, path, async (file) =>
          (await file.stat()).size > max_bytes ? undefined : await file.readFile(),
        ),
      )
      if (bytes) contents.set(path, bytes)
    } catch (error) {
      if (!(error instanceof FileFailure)) throw error
      log.info({ agent: agent_id, reason: error.message }, 'cannot read a requested file')
    }
  return contents
}
