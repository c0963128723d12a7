import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { explaining, FileFailure, quote } from './files/file-failure.ts'
import { createFile, MAX_FILE_BYTES } from './files/file-replacement.ts'
import { mediaTypeOf } from './files/media-type.ts'
import { findPlace, openFile } from './files/workspace-path.ts'
import { findWritablePlace, pathOf } from './files/writable-place.ts'
import type { Cradle } from './manifest.ts'

/** Text files of workspaces, for plugins whose tools let others read and write them. All that leads out is refused. */
export interface WorkspaceFiles {
  /**
   * The text of a file, or `limit` lines of it from `line` on, which counts from 1. Throws an Error that says why there
   * is none, and whose cause is the system's error where there was one.
   */
  readText(workspace: string, path: string, range?: { line?: number; limit?: number }): Promise<string>
  /** Writes a file whole, and the folders above it; gives its path from the workspace. Throws as `readText` does. */
  writeText(
    target: { workspace: string; agent_id: string },
    path: string,
    content: string,
    signal: AbortSignal,
  ): Promise<{ path: string; media_type: string }>
}

/** Makes the service. */
export function createWorkspaceFiles({ workspaceRoom }: Pick<Cradle, 'workspaceRoom'>): WorkspaceFiles {
  return {
    readText: (workspace, path, range = {}) =>
      explaining(path, async () => {
        const file = await openFile(await findPlace(workspace, path), constants.O_RDONLY)
        try {
          return linesOf(decode(await readWhole(file, path), path), range)
        } finally {
          await file.close()
        }
      }),

    writeText: ({ workspace, agent_id }, path, content, signal) =>
      explaining(path, async () => {
        const bytes = Buffer.from(content)
        if (bytes.length > MAX_FILE_BYTES)
          throw new FileFailure(
            `the content has ${bytes.length} bytes; at most ${MAX_FILE_BYTES} can be written`,
          )
        signal.throwIfAborted()
        const place = await findWritablePlace({ workspace, write_area: null }, path)
        await createFile(place, bytes, { grow: workspaceRoom.growthForTools(agent_id), signal })
        const written = pathOf(place)
        return { path: written, media_type: mediaTypeOf(written, 'text/plain') }
      }),
  }
}

/** Heeds the limit also where the file grows meanwhile. */
async function readWhole(file: FileHandle, path: string): Promise<Buffer> {
  const stream = file.createReadStream({ start: 0, end: MAX_FILE_BYTES, autoClose: false })
  const bytes = Buffer.concat(await stream.toArray())
  if (bytes.length <= MAX_FILE_BYTES) return bytes
  throw new FileFailure(`${quote(path)} is too large: at most ${MAX_FILE_BYTES} bytes can be read`)
}

function decode(bytes: Buffer, path: string): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // The bytes are no UTF-8, which is said below.
  }
  throw new FileFailure(`${quote(path)} is not UTF-8 text (${bytes.length} bytes)`)
}

function linesOf(text: string, { line = 1, limit }: { line?: number; limit?: number }): string {
  if (line <= 1 && limit === undefined) return text
  const lines = text.split(/(?<=\n)/)
  const start = Math.max(0, line - 1)
  return lines.slice(start, limit === undefined ? undefined : start + limit).join('')
}
