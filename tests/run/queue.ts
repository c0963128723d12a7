import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Costs } from './costs.ts'

/** The costs of a file that was run to its end; times in milliseconds. */
export interface FileRecord extends Costs {
  file: string
  wall: number
}

/**
 * The test files of one run, in order, which several processes take from: each file goes to one of them. Kept in a
 * folder, so that what a process had taken is known when the process is gone.
 */
export function openQueue(folder: string, files: readonly string[]) {
  const path = (file: string, suffix: string) => join(folder, `${file.replaceAll('/', '+')}.${suffix}`)
  return {
    /** Takes the next file that nobody has taken, for the process with this id. */
    take(id: string): string | undefined {
      return files.find((file) => {
        try {
          writeFileSync(path(file, 'taken'), id, { flag: 'wx' })
          return true
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
          throw error
        }
      })
    },
    hasMore: (): boolean => files.some((file) => !existsSync(path(file, 'taken'))),
    finish(record: FileRecord): void {
      writeFileSync(path(record.file, 'json'), JSON.stringify(record))
    },
    /** The file that a process took and did not finish. */
    unfinishedBy: (id: string): string | undefined =>
      files.find(
        (file) =>
          existsSync(path(file, 'taken')) &&
          readFileSync(path(file, 'taken'), 'utf8') === id &&
          !existsSync(path(file, 'json')),
      ),
    records: (): FileRecord[] =>
      files
        .filter((file) => existsSync(path(file, 'json')))
        .map((file) => JSON.parse(readFileSync(path(file, 'json'), 'utf8'))),
  }
}
