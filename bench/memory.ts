import { readFile } from 'node:fs/promises'

/** Resident memory of a process in KiB, from its `/proc` status. */
export async function readRss(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}

/** How many files a process may have open at once. */
export async function readFileLimit(pid: number): Promise<number> {
  const limit = /^Max open files\s+(\S+)/m.exec(await readFile(`/proc/${pid}/limits`, 'utf8'))?.[1]
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
}
