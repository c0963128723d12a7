import type { Stats } from 'node:fs'
import { lstat, open, opendir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveWriter } from './archive-writer.ts'
import { isLeftOut } from './format.ts'

const CHUNK_BYTES = 1024 * 1024

/** The outcome of a pass over the files. */
export interface FilePass {
  files: number
  /** Files that became shorter while they were read, which the archive fills with zeros. */
  changed: string[]
}

/**
 * Adds the files of a home to an archive, below `home/`. With `since` (Unix milliseconds), only those that are new or
 * were changed from then on.
 */
export async function addHomeFiles(
  home: string,
  archive: ArchiveWriter,
  { since = 0 }: { since?: number } = {},
): Promise<FilePass> {
  const pass: FilePass = { files: 0, changed: [] }
  for await (const { path, stats } of walk(home)) {
    if (stats.ctimeMs < since) continue
    const header = { name: `home/${path}`, mode: stats.mode & 0o777, mtime: stats.mtime }
    if (stats.isDirectory()) await archive.add({ ...header, type: 'directory' })
    else if (stats.isSymbolicLink()) {
      const linkname = await readlink(join(home, path)).catch(() => undefined)
      if (linkname !== undefined) await archive.add({ ...header, type: 'symlink', linkname })
    } else await addFile(join(home, path), { ...header, path }, archive, pass)
  }
  return pass
}

/** Walks folders, links and files; sockets and the like are passed over, and so is what disappears meanwhile. */
async function* walk(home: string, folder = ''): AsyncGenerator<{ path: string; stats: Stats }> {
  const entries = await opendir(join(home, folder)).catch(ignoreMissing)
  if (!entries) return
  for await (const { name } of entries) {
    const path = folder === '' ? name : `${folder}/${name}`
    if (isLeftOut(path)) continue
    const stats = await lstat(join(home, path)).catch(ignoreMissing)
    if (!stats || !(stats.isFile() || stats.isDirectory() || stats.isSymbolicLink())) continue
    yield { path, stats }
    if (stats.isDirectory()) yield* walk(home, path)
  }
}

async function addFile(
  source: string,
  { path, ...header }: { path: string; name: string; mode: number; mtime: Date },
  archive: ArchiveWriter,
  pass: FilePass,
): Promise<void> {
  const file = await open(source).catch(ignoreMissing)
  if (!file) return
  try {
    const { size } = await file.stat()
    await archive.add(
      { ...header, size },
      readExactly(file, size, () => pass.changed.push(path)),
    )
    pass.files += 1
  } finally {
    await file.close()
  }
}

async function* readExactly(
  file: Awaited<ReturnType<typeof open>>,
  size: number,
  onShort: () => void,
): AsyncGenerator<Buffer> {
  for (let position = 0; position < size; ) {
    const wanted = Math.min(CHUNK_BYTES, size - position)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, position)
    if (bytesRead === 0) onShort()
    const read = bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead)
    position += read.length
    yield read
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
