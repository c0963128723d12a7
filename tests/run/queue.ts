import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileRecord } from './costs.ts'

/**
 * Opens the queue of the test files of one run, shared by several processes: each file goes to one process. The
 * queue is kept in a folder, so that the file that a process was running is known after the process has died.
 */
export function openQueue(folder: string, files: readonly string[]) {
  const path = (file: string, suffix: string) => join(folder, `${file.replaceAll('/', '+')}.${suffix}`)
  return {
    /** Takes the next free file for the process with this id. */
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
    /** Returns the file that a process took and did not finish. */
    findUnfinished: (id: string): string | undefined =>
      files.find(
        (file) =>
          existsSync(path(file, 'taken')) &&
          readFileSync(path(file, 'taken'), 'utf8') === id &&
          !existsSync(path(file, 'json')),
      ),
    readRecords: (): FileRecord[] =>
      files
        .filter((file) => existsSync(path(file, 'json')))
        .map((file) => JSON.parse(readFileSync(path(file, 'json'), 'utf8'))),
  }
}
