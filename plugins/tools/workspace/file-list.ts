import { lstat } from 'node:fs/promises'
import { MAX_PAGE_ROWS, type OpenFolder, type Page, readCursor, type TypeOf, writeCursor } from '#plugin-api'
import type { listQuery } from './file-schemas.ts'
import { createEtag, type FileRow, toFileRow } from './files/file-facts.ts'
import { ignoreCodes } from './files/file-failure.ts'
import { isMark, walkFolder } from './files/folder-walk.ts'
import { inFolder, type Place } from './files/workspace-path.ts'

/** A row of a list, with the entity tag of the file if it was looked up. */
export type ListedFile = FileRow & { etag?: string }

/**
 * Lists the visible entries of a folder page by page; entries that are added or removed between two pages do not shift
 * the others. Throws VALIDATION_FAILED for an unknown cursor.
 */
export async function listFolder(
  location: Place,
  { recursive, limit, cursor }: TypeOf<typeof listQuery>,
  isVisible: (path: string) => boolean,
): Promise<Page<ListedFile>> {
  const [after] = cursor === undefined ? [] : (readCursor(cursor, isKnownMark) as [string])
  const toPath = (parts: string[]) => [...location.parts, ...parts].join('/')
  const max_rows = Math.min(limit, MAX_PAGE_ROWS)
  return inFolder(location, async (top) => {
    const rows: ListedFile[] = []
    let last = ''
    for await (const { folder, name, parts, mark } of walkFolder(top, {
      recursive: Boolean(recursive),
      after,
      isWanted: (parts) => isVisible(toPath(parts)),
    })) {
      const row = await readRow(folder, name, toPath(parts))
      if (!row) continue
      if (rows.length >= max_rows) return { rows, next: writeCursor([last]) }
      rows.push(row)
      last = mark
    }
    return { rows, next: null }
  })
}

const isKnownMark = (key: unknown) => typeof key === 'string' && isMark(key)

async function readRow(folder: OpenFolder, name: string, path: string): Promise<ListedFile | undefined> {
  const stats = await ignoreCodes(['ENOENT'], lstat(folder.entry(name), { bigint: true }))
  const row = stats && toFileRow(path, stats)
  return row && { ...row, etag: createEtag(stats) }
}
