import { MAX_PAGE_ROWS, type Page, readCursor, type TypeOf, walkTree, writeCursor } from '#plugin-api'
import { type listQuery, MAX_PATH } from './file-schemas.ts'
import { type FileRow, lookupMediaType } from './files/file-facts.ts'
import { inFolder, type Place } from './files/workspace-path.ts'

/**
 * Lists the visible files of a folder page by page, the largest first. Each page walks through the folder and keeps
 * only its own rows, whatever the number of files. Throws VALIDATION_FAILED for an unknown cursor.
 */
export async function listLargest(
  location: Place,
  { recursive, limit, cursor }: Pick<TypeOf<typeof listQuery>, 'recursive' | 'limit' | 'cursor'>,
  isVisible: (path: string) => boolean,
): Promise<Page<FileRow>> {
  const last = cursor === undefined ? undefined : readLast(cursor)
  const max_rows = Math.min(limit, MAX_PAGE_ROWS)
  const toPath = (below: string) => [...location.parts, below].join('/')
  const options = {
    onUnreadable: () => undefined,
    isSkipped: (below: string) => (!recursive && below.includes('/')) || !isVisible(toPath(below)),
    // A longer path cannot be sent back.
    max_path_bytes: MAX_PATH,
  }
  return inFolder(location, async (top) => {
    let rows: FileRow[] = []
    // The path of an open folder is a link by itself, which a walk does not follow.
    const root = `${top.path}/.`
    for await (const { kind, path: below, bytes, mtime } of walkTree(root, options)) {
      if (kind !== 'file') continue
      const path = toPath(below)
      const media_type = lookupMediaType(path)
      const row: FileRow = {
        path,
        kind,
        size: bytes,
        media_type,
        updated_at: Math.floor(mtime.getTime() / 1000),
      }
      if (last && compare(row, last) <= 0) continue
      rows.push(row)
      if (rows.length > 2 * max_rows) rows = rows.sort(compare).slice(0, max_rows + 1)
    }
    rows.sort(compare)
    const { path, size } = rows[max_rows - 1] ?? {}
    return {
      rows: rows.slice(0, max_rows),
      next: rows.length > max_rows ? writeCursor([size!, path!]) : null,
    }
  })
}

type Sized = Pick<FileRow, 'size' | 'path'>

/** Orders files by size, the largest first, and files of one size by path. */
const compare = (a: Sized, b: Sized): number =>
  b.size! - a.size! || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

function readLast(cursor: string): Sized {
  const [size, path] = readCursor(cursor, Number.isSafeInteger, (key) => typeof key === 'string') as [
    number,
    string,
  ]
  return { size, path }
}
