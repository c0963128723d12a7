import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileRecord } from './costs.ts'

/** The costs of a file when it last ran, in milliseconds. */
interface LastCosts {
  wall: number
  /** Processor time of the file and of the processes that it started and that have ended. */
  cpu: number
}

/**
 * Opens the record of the costs of files that is stored in a file between runs. A file without a record, as in a fresh
 * clone, counts as one that takes as long as others of its size and does not wait.
 */
export function openHistory(path: string) {
  const costs = readCosts(path)
  const sum = (records: readonly LastCosts[], name: keyof LastCosts) =>
    records.reduce((total, record) => total + record[name], 0)

  return {
    /** Sorts files by their expected time, the longest first, so that all processes end at about the same time. */
    sort(files: readonly string[], readSize: (file: string) => number): string[] {
      const sizes = new Map(files.map((file) => [file, readSize(file)]))
      const recorded = files.filter((file) => costs[file])
      const bytes = recorded.reduce((total, file) => total + sizes.get(file)!, 0)
      const wall = sum(
        recorded.map((file) => costs[file]!),
        'wall',
      )
      const msPerByte = bytes > 0 ? wall / bytes : 1
      const expect = (file: string) => costs[file]?.wall ?? sizes.get(file)! * msPerByte
      return [...files].sort((a, b) => expect(b) - expect(a))
    },

    /**
     * True for a file that waits more than others: for platforms, timers, leases or killed processes. Its share of
     * processor time is compared with that of all files, because all of them wait for a busy machine.
     */
    isWaiting(file: string): boolean {
      const record = costs[file]
      const all = Object.values(costs)
      return record !== undefined && record.cpu * sum(all, 'wall') < sum(all, 'cpu') * record.wall
    },

    /** Stores the costs of files that ran to their end, and keeps the costs of all others. */
    store(records: readonly FileRecord[]): void {
      for (const { file, wall, own, children } of records)
        costs[file] = { wall: Math.round(wall), cpu: Math.round(own + children) }
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(`${path}.new`, JSON.stringify(costs))
      renameSync(`${path}.new`, path)
    },
  }
}

function readCosts(path: string): Record<string, LastCosts> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
