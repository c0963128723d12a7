import { opendir } from 'node:fs/promises'
import type { OpenFolder } from '#kernel'
import { ignoring } from '../files/file-failure.ts'
import { counted } from '../output.ts'
import type { GlobPattern, Progress } from './glob-pattern.ts'
import type { Pace } from './pace.ts'

const MAX_ENTRIES = 200_000
const MAX_FOLDER_ENTRIES = 20_000
const MAX_DEPTH = 64

/** One file; it can be opened in its folder until the next one is asked for. `path` starts below the folder walked. */
export interface FoundFile {
  path: string
  folder: OpenFolder
  name: string
}

/** What a walk left out. */
export interface WalkGaps {
  stopped: 'entries' | 'time' | undefined
  crowded_folders: number
  deep_folders: number
  closed_folders: number
}

/**
 * Goes through the regular files below an open folder that match a pattern, in the order of their paths. Links are
 * never followed; folders are opened from the one before. What had to be left out is told in `gaps`.
 */
export function walkFiles(
  top: OpenFolder,
  { pattern, pace }: { pattern: GlobPattern; pace: Pace },
): { files: AsyncGenerator<FoundFile>; gaps: WalkGaps } {
  const gaps: WalkGaps = { stopped: undefined, crowded_folders: 0, deep_folders: 0, closed_folders: 0 }
  let visited = 0

  async function* walk(folder: OpenFolder, way: string[], progress: Progress): AsyncGenerator<FoundFile> {
    const { names, isCrowded } = await readNames(folder, MAX_FOLDER_ENTRIES)
    if (isCrowded) gaps.crowded_folders++
    for (const entry of names.sort()) {
      await pace.rest()
      if (visited >= MAX_ENTRIES) gaps.stopped = 'entries'
      else if (pace.isOver()) gaps.stopped = 'time'
      if (gaps.stopped) return
      visited++
      const isFolder = entry.endsWith('/')
      const name = isFolder ? entry.slice(0, -1) : entry
      const next = pattern.step(progress, name)
      if (!isFolder) {
        if (pattern.isMatch(next)) yield { path: [...way, name].join('/'), folder, name }
      } else if (!pattern.leadsOn(next)) continue
      else if (way.length + 1 >= MAX_DEPTH) gaps.deep_folders++
      else yield* enter(folder, [...way, name], next)
    }
  }

  async function* enter(parent: OpenFolder, way: string[], progress: Progress): AsyncGenerator<FoundFile> {
    const folder = await open(parent, way.at(-1)!)
    if (!folder) return
    try {
      yield* walk(folder, way, progress)
    } finally {
      await folder.close()
    }
  }

  /** What has gone or become a link meanwhile is passed over. */
  async function open(parent: OpenFolder, name: string): Promise<OpenFolder | undefined> {
    const forbidden = parent.openFolder(name).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error
      gaps.closed_folders++
      return undefined
    })
    return ignoring(['ENOENT', 'ENOTDIR', 'ELOOP'], forbidden)
  }

  return { files: walk(top, [], pattern.start), gaps }
}

/** The files and folders in a folder, folders with a slash, which is how paths through them are ordered. */
async function readNames(
  { path }: OpenFolder,
  limit: number,
): Promise<{ names: string[]; isCrowded: boolean }> {
  const names: string[] = []
  for await (const entry of await opendir(path)) {
    const isFolder = entry.isDirectory()
    if (!isFolder && !entry.isFile()) continue
    if (names.length >= limit) return { names, isCrowded: true }
    names.push(isFolder ? `${entry.name}/` : entry.name)
  }
  return { names, isCrowded: false }
}

/** What a walk left out, in lines for the model. */
export function describeGaps({ stopped, crowded_folders, deep_folders, closed_folders }: WalkGaps): string[] {
  const folders = (count: number) => counted(count, 'folder')
  return [
    stopped === 'entries' &&
      `[cut: stopped after ${MAX_ENTRIES} entries; name a folder or a narrower pattern]`,
    stopped === 'time' && '[cut: it took too long; name a folder or a narrower pattern]',
    crowded_folders > 0 &&
      `[left out: what ${folders(crowded_folders)} held beyond ${MAX_FOLDER_ENTRIES} entries]`,
    deep_folders > 0 && `[left out: ${folders(deep_folders)} more than ${MAX_DEPTH} levels down]`,
    closed_folders > 0 && `[left out: ${folders(closed_folders)} that may not be opened]`,
  ].filter((line) => line !== false)
}
