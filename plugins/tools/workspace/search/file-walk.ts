import { opendir } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { OpenFolder } from '#plugin-api'
import { ignoreCodes } from '../files/file-failure.ts'
import { formatCount } from '../output.ts'
import type { GlobPattern, Progress } from './glob-pattern.ts'

const MAX_ENTRIES = 200_000
const MAX_FOLDER_ENTRIES = 20_000
const MAX_DEPTH = 64

/** A file; its `folder` is open until the walk moves on. `path` is relative to the root of the walk. */
export interface FoundFile {
  path: string
  folder: OpenFolder
  name: string
}

/** The parts of a tree that a walk has skipped. */
export interface WalkGaps {
  stopped: 'entries' | 'time' | undefined
  crowded_folders: number
  deep_folders: number
  closed_folders: number
}

/**
 * Walks through the regular files below an open folder that match a pattern, in the order of their paths. Opens each
 * folder from its open parent and follows no links. `gaps` counts what was skipped.
 */
export function walkFiles(
  top: OpenFolder,
  { pattern, pace }: { pattern: GlobPattern; pace: Pace },
): { files: AsyncGenerator<FoundFile>; gaps: WalkGaps } {
  const gaps: WalkGaps = { stopped: undefined, crowded_folders: 0, deep_folders: 0, closed_folders: 0 }
  let visited = 0

  async function* walk(folder: OpenFolder, parts: string[], progress: Progress): AsyncGenerator<FoundFile> {
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
        if (pattern.isMatch(next)) yield { path: [...parts, name].join('/'), folder, name }
      } else if (!pattern.canContinue(next)) continue
      else if (parts.length + 1 >= MAX_DEPTH) gaps.deep_folders++
      else yield* walkInto(folder, [...parts, name], next)
    }
  }

  async function* walkInto(
    parent: OpenFolder,
    parts: string[],
    progress: Progress,
  ): AsyncGenerator<FoundFile> {
    const folder = await open(parent, parts.at(-1)!)
    if (!folder) return
    try {
      yield* walk(folder, parts, progress)
    } finally {
      await folder.close()
    }
  }

  /** Opens a folder; returns undefined if it has gone, has become a link or may not be opened. */
  async function open(parent: OpenFolder, name: string): Promise<OpenFolder | undefined> {
    const forbidden = parent.openFolder(name).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error
      gaps.closed_folders++
      return undefined
    })
    return ignoreCodes(['ENOENT', 'ENOTDIR', 'ELOOP'], forbidden)
  }

  return { files: walk(top, [], pattern.start), gaps }
}

/** Reads the names of files and folders, folders with a slash, so that their order is that of paths. */
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

/** Describes the gaps of a walk in lines for the model. */
export function describeGaps({ stopped, crowded_folders, deep_folders, closed_folders }: WalkGaps): string[] {
  const folders = (count: number) => formatCount(count, 'folder')
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

/** The longest stretch of work before other tasks of the event loop run. */
const STRETCH_MS = 5

/** The pace of long work: it yields to the event loop and ends in time. */
export type Pace = ReturnType<typeof createPace>

/** Creates the pace of work that may take a number of milliseconds. */
export function createPace(
  milliseconds: number,
  { signal, isStopped = () => false }: { signal?: AbortSignal; isStopped?: () => boolean },
) {
  const end = performance.now() + milliseconds
  let rested = performance.now()
  return {
    /** True if the time is up or the work was stopped. */
    isOver: (): boolean => performance.now() >= end || isStopped(),
    /** Yields to the event loop if a stretch has passed; throws the signal's reason. */
    async rest(): Promise<void> {
      if (performance.now() - rested >= STRETCH_MS) {
        await setImmediate()
        rested = performance.now()
      }
      signal?.throwIfAborted()
    },
  }
}
