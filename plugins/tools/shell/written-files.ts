import { extname } from 'node:path'
import { type ToolContext, type TreeEntry, walkTree } from '#plugin-api'

/** The files that are attached, by their extensions; a model sees those in the second list. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.ods': 'application/vnd.oasis.opendocument.spreadsheet',
  '.odt': 'application/vnd.oasis.opendocument.text',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.svg': 'image/svg+xml',
  '.tsv': 'text/tab-separated-values',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}
const SEEN_BY_MODEL = new Set(['image/gif', 'image/jpeg', 'image/png', 'image/webp'])

/** The most files that are attached to a call, the most pictures of them that a model sees, and the largest file. */
const MAX_FILES = 10
const MAX_SEEN = 4
const MAX_BYTES = 20 * 1024 * 1024
/** The most entries of the workspace that are looked at. */
const MAX_ENTRIES = 20_000
/** The longest delay of the clock of a file system. */
const CLOCK_MS = 20

/** Folders whose content people do not ask for. */
const isSkipped = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.startsWith('.') || name === 'node_modules' || name === '__pycache__'
}

/**
 * Attaches the pictures, tables and documents in a folder that were written since `startedAt`, in Unix milliseconds, the
 * newest if they are many. Links are not followed. Returns notes for the model.
 */
export async function attachWrittenFiles(
  root: string,
  startedAt: number,
  attach: ToolContext['attach'],
): Promise<string[]> {
  const written = await listWritten(root, startedAt - CLOCK_MS)
  const files = written.sort((a, b) => a.changed_at - b.changed_at).slice(-MAX_FILES)
  let pictures = 0
  for (const { path } of files) {
    const media_type = typeOf(path)!
    const isSeen = SEEN_BY_MODEL.has(media_type) && ++pictures <= MAX_SEEN
    attach({ path, media_type, ...(isSeen && { for_model: true as const }) })
  }
  const others = written.length - files.length
  return [
    ...(files.length > 0
      ? [`shown to the user: ${files.map(({ path }) => JSON.stringify(path)).join(', ')}`]
      : []),
    ...(others > 0
      ? [`not shown: ${others} older pictures, tables and documents that were also written`]
      : []),
  ]
}

const typeOf = (path: string): string | undefined => MEDIA_TYPES[extname(path).toLowerCase()]

async function listWritten(root: string, since: number): Promise<TreeEntry[]> {
  const written: TreeEntry[] = []
  let count = 0
  // Folders that only the program may read are not shown either.
  for await (const entry of walkTree(root, { isSkipped, onUnreadable: () => undefined })) {
    if (++count > MAX_ENTRIES) break
    const { path, kind, bytes, changed_at } = entry
    if (kind === 'file' && typeOf(path) && bytes > 0 && bytes <= MAX_BYTES && changed_at >= since)
      written.push(entry)
  }
  return written
}
