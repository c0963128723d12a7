import { type FileHandle, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '#kernel'
import { exclusionOf } from './exclusion.ts'
import { hasSecretBytes } from './secret-scan.ts'
import type { TurnFiles } from './turn-files.ts'
import type { LeftOut, LeftOutReason } from './types.ts'
import { type Entry, walk } from './workspace-walk.ts'

const MAX_FILE_BYTES = 4 * 1024 * 1024
/** What a workspace may have at most, counted over all that is looked into. */
const LIMITS = { max_files: 2000, max_bytes: 64 * 1024 * 1024, max_depth: 32 }
const MAX_LEFT_OUT = 100
/** In characters. Some file systems have files that no path can name whole. */
const MAX_PATH_LENGTH = 1024

/** What it says of a file that it cannot be opened or copied; all else is a failure of the server. */
const REFUSALS: Record<string, LeftOutReason> = {
  ELOOP: 'link',
  ENOTDIR: 'link',
  ENOENT: 'unreadable',
  EACCES: 'unreadable',
  EPERM: 'unreadable',
  ENAMETOOLONG: 'unreadable',
  ENXIO: 'not_a_file',
}

/**
 * The files that were copied, sorted, and the first 100 that were not copied and may be missed; those that turns have
 * written come last.
 */
export interface Snapshot {
  files: string[]
  left_out: LeftOut[]
}

/**
 * Copies of a workspace what may be published into an empty folder: what is looked through is what is written, to
 * the byte. Throws WORKSPACE_TOO_LARGE.
 */
export async function takeSnapshot(
  workspace: string,
  target: string,
  turnFiles: TurnFiles,
): Promise<Snapshot> {
  const files: string[] = []
  const written: LeftOut[] = []
  const left_out: LeftOut[] = []
  const folders = new Set<string>()
  const seen = { files: 0, folders: 0, bytes: 0 }

  const leaveOut = (path: string, reason: LeftOutReason) => {
    if (left_out.length < MAX_LEFT_OUT) left_out.push({ path, reason })
  }
  const assertWithin = (isWithin: boolean) => {
    if (!isWithin) throw new AppError('WORKSPACE_TOO_LARGE', LIMITS)
  }
  const refused = (path: string, error: NodeJS.ErrnoException) => {
    const reason = REFUSALS[error.code ?? '']
    if (!reason) throw error
    leaveOut(path, reason)
  }

  const enter = (folder: Entry): boolean => {
    const exclusion = exclusionOf(folder.name, true)
    if (exclusion === 'credentials') leaveOut(folder.path, exclusion)
    if (exclusion) return false
    seen.folders += 1
    assertWithin(seen.folders <= LIMITS.max_files && folder.depth < LIMITS.max_depth)
    return true
  }

  /** The content of a file and whether it can be run, or the reason why it stays behind. */
  const read = async (entry: Entry) => {
    const file = await entry.open()
    try {
      const stats = await file.stat()
      if (!stats.isFile()) return 'not_a_file'
      if (stats.size > MAX_FILE_BYTES) return 'too_large'
      const content = await readUpTo(file, stats.size)
      return { content, mode: stats.mode & 0o100 ? 0o700 : 0o600 }
    } finally {
      await file.close()
    }
  }

  const copy = async (entry: Entry) => {
    seen.files += 1
    assertWithin(seen.files <= LIMITS.max_files)
    const found = await read(entry)
    if (typeof found === 'string') return leaveOut(entry.path, found)
    seen.bytes += found.content.length
    assertWithin(seen.bytes <= LIMITS.max_bytes)
    if (await hasSecretBytes(found.content)) return leaveOut(entry.path, 'secret')
    const path = join(target, entry.path)
    const folder = dirname(path)
    if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 })
    folders.add(folder)
    await writeFile(path, found.content, { flag: 'wx', mode: found.mode })
    files.push(entry.path)
  }

  for await (const entry of walk(workspace, { enter, refused })) {
    const exclusion = exclusionOf(entry.name, false)
    if (exclusion === 'passed_over') continue
    if (turnFiles.isLeftOut(entry.path)) {
      if (written.length < MAX_LEFT_OUT) written.push({ path: entry.path, reason: 'written_by_turn' })
    } else if (entry.kind === 'link') leaveOut(entry.path, 'link')
    else if (entry.kind === 'other') leaveOut(entry.path, 'not_a_file')
    else if (exclusion) leaveOut(entry.path, exclusion)
    else if (entry.path.length > MAX_PATH_LENGTH) leaveOut(entry.path, 'unreadable')
    else await copy(entry).catch((error) => refused(entry.path, error))
  }
  for (const path of turnFiles.unmatched()) leaveOut(path, 'not_found')
  return { files: files.sort(), left_out: [...left_out, ...written].slice(0, MAX_LEFT_OUT) }
}

/** The first `size` bytes of a file, or what it has if it was cut meanwhile; what it grows by is not waited for. */
async function readUpTo(file: FileHandle, size: number): Promise<Buffer> {
  const content = Buffer.allocUnsafe(size)
  let length = 0
  while (length < size) {
    const { bytesRead } = await file.read(content, length, size - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return content.subarray(0, length)
}
