import { lstat } from 'node:fs/promises'
import { MAX_PAGE_ROWS, type OpenFolder, type Page, readCursor, writeCursor } from '#kernel'
import { ignoring } from './files/file-failure.ts'
import { type FileRow, rowOf } from './files/file-row.ts'
import { isMark, walkFolder } from './files/folder-walk.ts'
import { openFolder, type Place } from './files/workspace-path.ts'

/** Which part of which list is wanted. */
export interface ListRequest {
  recursive: boolean | number
  limit: number
  cursor?: string
}

/**
 * Lists a folder page by page, as far as `isShown` says; what comes and goes between two pages does not move the rest.
 * Throws VALIDATION_FAILED for an unknown cursor.
 */
export async function listFolder(
  place: Place,
  { recursive, limit, cursor }: ListRequest,
  isShown: (path: string) => boolean,
): Promise<Page<FileRow>> {
  const [after] = cursor === undefined ? [] : (readCursor(cursor, isKnownMark) as [string])
  const pathOf = (way: string[]) => [...place.parts, ...way].join('/')
  const most = Math.min(limit, MAX_PAGE_ROWS)
  const top = await openFolder(place)
  try {
    const rows: FileRow[] = []
    let last = ''
    for await (const { folder, name, way, mark } of walkFolder(top, {
      recursive: Boolean(recursive),
      after,
      isWanted: (way) => isShown(pathOf(way)),
    })) {
      const row = await readRow(folder, name, pathOf(way))
      if (!row) continue
      if (rows.length >= most) return { rows, next: writeCursor([last]) }
      rows.push(row)
      last = mark
    }
    return { rows, next: null }
  } finally {
    await top.close()
  }
}

const isKnownMark = (key: unknown) => typeof key === 'string' && isMark(key)

async function readRow(folder: OpenFolder, name: string, path: string): Promise<FileRow | undefined> {
  const stats = await ignoring(['ENOENT'], lstat(folder.entry(name), { bigint: true }))
  return stats && rowOf(path, stats)
}
