import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The note that a running server leaves in its home for commands. */
export interface ServerNote {
  url: string
  pid: number
  /** Milliseconds that each plugin's start took. */
  start_ms: Record<string, number>
  /** Plugins that failed, with the reason. */
  failed: Record<string, string>
}

const pathIn = (home: string) => join(home, 'server.json')

/** Writes the note of the server that runs on this home, whole or not at all, for its owner alone. */
export function writeServerNote(home: string, note: ServerNote): void {
  const draft = `${pathIn(home)}.${note.pid}`
  writeFileSync(draft, JSON.stringify(note), { mode: 0o600 })
  renameSync(draft, pathIn(home))
}

/** The note of the server that runs on this home, or of one that was killed. */
export function readServerNote(home: string): ServerNote | undefined {
  return existsSync(pathIn(home)) ? JSON.parse(readFileSync(pathIn(home), 'utf8')) : undefined
}

/** Removes the note, unless another server on this home has written its own since. */
export function removeServerNote(home: string, { pid }: ServerNote): void {
  if (readServerNote(home)?.pid === pid) rmSync(pathIn(home))
}
