import { opendir } from 'node:fs/promises'
import type { OpenFolder } from '#plugin-api'
import { ignoreCodes } from './file-failure.ts'

/** The number of sorted names of a folder that are read at a time. */
const BATCH_SIZE = 1000
/** Each level of the walk keeps a folder open. */
const MAX_DEPTH = 64

/** A file or folder; its parent `folder` is open until the walk moves on. */
interface WalkedEntry {
  folder: OpenFolder
  name: string
  kind: 'file' | 'directory'
  /** The names on the path from the root of the walk. */
  parts: string[]
  /** The position after which a later walk can continue. */
  mark: string
}

/**
 * Walks through a folder in the order of lists: its folders by name, each followed by its content if `recursive` is
 * set, then its files. Ignores links, unwanted entries, and everything deeper than 64 levels.
 */
export function walkFolder(
  top: OpenFolder,
  {
    recursive = false,
    after = '',
    isWanted = () => true,
  }: { recursive?: boolean; after?: string; isWanted?: (parts: string[]) => boolean } = {},
): AsyncGenerator<WalkedEntry> {
  async function* walk(folder: OpenFolder, above: string[], behind: string[]): AsyncGenerator<WalkedEntry> {
    const [first = '', ...deeper] = behind
    if (recursive && isFolderKey(first)) yield* walkInto(folder, [...above, first], deeper)
    let last = first
    for (;;) {
      const keys = await readKeys(folder, last)
      for (const key of keys) {
        const keysTo = [...above, key]
        const parts = keysTo.map(toName)
        if (!isWanted(parts)) continue
        const kind = isFolderKey(key) ? 'directory' : 'file'
        yield { folder, name: toName(key), kind, parts, mark: keysTo.join('/') }
        if (recursive && kind === 'directory') yield* walkInto(folder, keysTo, [])
      }
      if (keys.length < BATCH_SIZE) return
      last = keys.at(-1)!
    }
  }

  async function* walkInto(
    parent: OpenFolder,
    above: string[],
    behind: string[],
  ): AsyncGenerator<WalkedEntry> {
    if (above.length >= MAX_DEPTH) return
    // Folders that have gone, have become links or may not be read are skipped.
    const opening = parent.openFolder(toName(above.at(-1)!))
    const folder = await ignoreCodes(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM'], opening)
    if (!folder) return
    try {
      yield* walk(folder, above, behind)
    } finally {
      await folder.close()
    }
  }

  return walk(top, [], after.split('/'))
}

/** True for a valid `mark`, which clients send back. */
export const isMark = (text: string): boolean =>
  text.split('/').every((key) => /^[df][^\0]+$/.test(key) && !['.', '..'].includes(toName(key)))

// A key is a name prefixed with the letter of its kind, so that folders sort before files.
const isFolderKey = (key: string) => key.startsWith('d')
const toName = (key: string) => key.slice(1)

/** Reads the next keys of a folder in their order. */
async function readKeys({ path }: OpenFolder, after: string): Promise<string[]> {
  let keys: string[] = []
  for await (const entry of await opendir(path)) {
    const kind = entry.isDirectory() ? 'd' : entry.isFile() ? 'f' : undefined
    if (!kind || kind + entry.name <= after) continue
    keys.push(kind + entry.name)
    if (keys.length >= 2 * BATCH_SIZE) keys = keys.sort().slice(0, BATCH_SIZE)
  }
  return keys.sort().slice(0, BATCH_SIZE)
}
