import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cradle } from './manifest.ts'

/** The age from which on a file that belongs to no import can only be left from a crash, in milliseconds. */
const STALE_MS = 3600_000

/** The archives of imports that have work, as files below the home. */
export type ImportFiles = ReturnType<typeof createImportFiles>

/** Creates them. */
export function createImportFiles({ server, clock }: Pick<Cradle, 'server' | 'clock'>) {
  const folder = join(server.home, 'imports')
  const pathOf = (import_id: string) => join(folder, import_id)

  return {
    pathOf,
    /** Takes over an uploaded file. */
    async take(import_id: string, path: string): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await rename(path, pathOf(import_id))
    },
    async remove(import_id: string): Promise<void> {
      await rm(pathOf(import_id), { force: true })
    },
    /** Removes old files that belong to no import with work. */
    async clean(isActive: (import_id: string) => Promise<boolean>): Promise<void> {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      for (const name of names) {
        const stats = await stat(join(folder, name)).catch(() => undefined)
        if (stats && clock.now() - stats.mtimeMs > STALE_MS && !(await isActive(name)))
          await rm(join(folder, name), { force: true })
      }
    },
  }
}
