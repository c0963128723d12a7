import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Engine, type EngineLog, joinEngine } from './engine.ts'
import { engineFailure } from './engine-failure.ts'

export type { Engine } from './engine.ts'
export { DatabaseFailure } from './engine-failure.ts'

const directoryIn = (home: string) => join(home, 'db')

/**
 * Opens the embedded MongoDB engine of a home, in a process of its own that all processes of the home share. Throws a
 * sentence if it cannot be used, or if `abandoned` is aborted before it is open.
 */
export const openEngine = (home: string, log: EngineLog, abandoned?: AbortSignal): Promise<Engine> =>
  joinEngine({
    directory: directoryIn(home),
    runtimeDirectory: join(home, 'runtime'),
    log,
    abandoned,
  })

/** True if a home has a database of the embedded engine. */
export const hasDatabase = (home: string): boolean => existsSync(directoryIn(home))

/** Returns the failure of a home's engine that died while it was used. */
export const diedInUse = (home: string, cause: unknown) =>
  engineFailure(directoryIn(home), 'ended', '', { cause })
