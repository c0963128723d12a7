import { opendir } from 'node:fs/promises'
import type { OpenFolder } from '#kernel'
import { ignoring } from './file-failure.ts'

/** The most names of a folder that are in memory at a time. */
const BATCH = 1000
/** Each level keeps a folder open. */
const MAX_DEPTH = 64

/** A file or folder that a walk has come to; `folder` is open until the next one is asked for. */
export interface WalkedEntry {
  folder: OpenFolder
  name: string
  kind: 'file' | 'directory'
  /** The names that lead to it from where the walk began. */
  way: string[]
  /** Tells a later walk to go on behind it. */
  mark: string
}

/**
 * Goes through a folder in the order of lists: its folders by name, each followed by what it holds if `recursive` is
 * set, then its files. Links are neither shown nor followed; what is not wanted, and what lies deeper than 64 levels,
 * is left out.
 */
export function walkFolder(
  top: OpenFolder,
  {
    recursive = false,
    after = '',
    isWanted = () => true,
  }: { recursive?: boolean; after?: string; isWanted?: (way: string[]) => boolean } = {},
): AsyncGenerator<WalkedEntry> {
  async function* walk(folder: OpenFolder, above: string[], behind: string[]): AsyncGenerator<WalkedEntry> {
    const [first = '', ...deeper] = behind
    if (recursive && isFolderKey(first)) yield* enter(folder, [...above, first], deeper)
    let last = first
    for (;;) {
      const keys = await nextKeys(folder, last)
      for (const key of keys) {
        const keysTo = [...above, key]
        const way = keysTo.map(nameIn)
        if (!isWanted(way)) continue
        const kind = isFolderKey(key) ? 'directory' : 'file'
        yield { folder, name: nameIn(key), kind, way, mark: keysTo.join('/') }
        if (recursive && kind === 'directory') yield* enter(folder, keysTo, [])
      }
      if (keys.length < BATCH) return
      last = keys.at(-1)!
    }
  }

  async function* enter(parent: OpenFolder, above: string[], behind: string[]): AsyncGenerator<WalkedEntry> {
    if (above.length >= MAX_DEPTH) return
    // What has gone, has become a link or may not be read is passed over.
    const opening = parent.openFolder(nameIn(above.at(-1)!))
    const folder = await ignoring(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM'], opening)
    if (!folder) return
    try {
      yield* walk(folder, above, behind)
    } finally {
      await folder.close()
    }
  }

  return walk(top, [], after.split('/'))
}

/** True for text that a walk may have marked an entry with; nothing else may come from outside. */
export const isMark = (text: string): boolean =>
  text.split('/').every((key) => /^[df][^\0]+$/.test(key) && !['.', '..'].includes(nameIn(key)))

// A key is a name behind the letter of its kind, by which it is sorted.
const isFolderKey = (key: string) => key.startsWith('d')
const nameIn = (key: string) => key.slice(1)

/** The first names of a folder behind this one. */
async function nextKeys({ path }: OpenFolder, after: string): Promise<string[]> {
  let keys: string[] = []
  for await (const entry of await opendir(path)) {
    const kind = entry.isDirectory() ? 'd' : entry.isFile() ? 'f' : undefined
    if (!kind || kind + entry.name <= after) continue
    keys.push(kind + entry.name)
    if (keys.length >= 2 * BATCH) keys = keys.sort().slice(0, BATCH)
  }
  return keys.sort().slice(0, BATCH)
}
