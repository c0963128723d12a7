import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Names the user, whose folders nobody else may remove; the process follows. */
const PREFIX = `svc-tests-${userInfo().uid}-`
/** The room that a run needs, several times over. */
const ROOM_BYTES = 2 * 1024 ** 3

/**
 * Makes a folder in memory for what tests write, removed at the end of this process; undefined if there is none or too
 * little room. On a disk, files and journals cost a tenth of the processor time of all tests.
 */
export function makeMemoryFolder(): string | undefined {
  if (!existsSync(MEMORY)) return undefined
  // Of runs that were killed.
  for (const name of readdirSync(MEMORY))
    if (name.startsWith(PREFIX) && !existsSync(`/proc/${name.slice(PREFIX.length)}`)) remove(name)
  const { bavail, bsize } = statfsSync(MEMORY)
  if (Math.min(bavail * bsize, process.availableMemory()) < ROOM_BYTES) return undefined
  const own = PREFIX + process.pid
  mkdirSync(join(MEMORY, own), { mode: 0o700 })
  process.once('exit', () => remove(own))
  return join(MEMORY, own)
}

const remove = (name: string) => rmSync(join(MEMORY, name), { recursive: true, force: true })
