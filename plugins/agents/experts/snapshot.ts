import { type FileHandle, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '#plugin-api'
import type { LeftOut } from './character.ts'
import { findExclusion } from './exclusion.ts'
import { hasSecretBytes } from './secret-scan.ts'
import { type Entry, walk } from './workspace-walk.ts'

const MAX_FILE_BYTES = 4 * 1024 * 1024
/** The limits of a workspace, counted over all files and folders that are visited. */
const LIMITS = { max_files: 2000, max_bytes: 64 * 1024 * 1024, max_depth: 32 }
const MAX_LEFT_OUT = 100
/** Some file systems have files whose whole path is too long to be opened. */
const MAX_PATH_CHARS = 1024

/** The reasons by code why a file cannot be opened or copied; any other code is a failure of the server. */
const REFUSALS: Record<string, LeftOut['reason']> = {
  ELOOP: 'link',
  ENOTDIR: 'link',
  ENOENT: 'unreadable',
  EACCES: 'unreadable',
  EPERM: 'unreadable',
  ENAMETOOLONG: 'unreadable',
  ENXIO: 'not_a_file',
}

/**
 * The files that were copied, sorted, and the first 100 that were not copied though somebody may need them; files
 * written by turns come last.
 */
interface Snapshot {
  files: string[]
  left_out: LeftOut[]
}

/**
 * Copies the publishable files of a workspace into an empty folder. Exactly the bytes that were scanned are written.
 * Throws WORKSPACE_TOO_LARGE.
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
  const totals = { files: 0, folders: 0, bytes: 0 }

  const leaveOut = (path: string, reason: LeftOut['reason']) => {
    if (left_out.length < MAX_LEFT_OUT) left_out.push({ path, reason })
  }
  const assertWithin = (isWithin: boolean) => {
    if (!isWithin) throw new AppError('WORKSPACE_TOO_LARGE', LIMITS)
  }
  const onRefused = (path: string, error: NodeJS.ErrnoException) => {
    const reason = REFUSALS[error.code ?? '']
    if (!reason) throw error
    leaveOut(path, reason)
  }

  const shouldEnter = (folder: Entry): boolean => {
    const exclusion = findExclusion(folder.name, true)
    if (exclusion === 'credentials') leaveOut(folder.path, exclusion)
    if (exclusion) return false
    totals.folders += 1
    assertWithin(totals.folders <= LIMITS.max_files && folder.depth < LIMITS.max_depth)
    return true
  }

  /** Reads the content and mode of a file, or returns the reason why it stays behind. */
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
    totals.files += 1
    assertWithin(totals.files <= LIMITS.max_files)
    const file = await read(entry)
    if (typeof file === 'string') return leaveOut(entry.path, file)
    totals.bytes += file.content.length
    assertWithin(totals.bytes <= LIMITS.max_bytes)
    if (await hasSecretBytes(file.content)) return leaveOut(entry.path, 'secret')
    const path = join(target, entry.path)
    const folder = dirname(path)
    if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 })
    folders.add(folder)
    await writeFile(path, file.content, { flag: 'wx', mode: file.mode })
    files.push(entry.path)
  }

  for await (const entry of walk(workspace, { shouldEnter, onRefused })) {
    const exclusion = findExclusion(entry.name, false)
    if (exclusion === 'unneeded') continue
    if (turnFiles.isLeftOut(entry.path)) {
      if (written.length < MAX_LEFT_OUT) written.push({ path: entry.path, reason: 'written_by_turn' })
    } else if (entry.kind === 'link') leaveOut(entry.path, 'link')
    else if (entry.kind === 'other') leaveOut(entry.path, 'not_a_file')
    else if (exclusion) leaveOut(entry.path, exclusion)
    else if (entry.path.length > MAX_PATH_CHARS) leaveOut(entry.path, 'unreadable')
    else await copy(entry).catch((error) => onRefused(entry.path, error))
  }
  for (const path of turnFiles.unmatched()) leaveOut(path, 'not_found')
  return { files: files.sort(), left_out: [...left_out, ...written].slice(0, MAX_LEFT_OUT) }
}

/** Reads the first `size` bytes of a file, or fewer if it was truncated meanwhile; ignores bytes appended meanwhile. */
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

/** Tells which files stay behind because turns of the agent have written them. */
type TurnFiles = ReturnType<typeof createTurnFiles>

/** Creates the filter. `include_files` names files and folders to publish anyway; `.` is the whole workspace. */
export function createTurnFiles(written: ReadonlySet<string>, include_files: readonly string[] = []) {
  const included = include_files.map((name) => ({ name, path: normalize(name), isMatched: false }))

  return {
    /** True if a turn has written the file and it is not included by name. */
    isLeftOut(path: string): boolean {
      const matching = included.filter((one) => contains(one.path, path))
      for (const one of matching) one.isMatched = true
      return matching.length === 0 && written.has(path)
    },
    /** Returns the included names that matched none of the files that `isLeftOut` was called with. */
    unmatched: (): string[] => included.flatMap(({ name, isMatched }) => (isMatched ? [] : [name])),
  }
}

/** Converts a path to the form of the workspace walk; '' is the whole workspace. */
const normalize = (name: string) =>
  name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

const contains = (folder: string, path: string) =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)
