import { readdir, readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Excess, ProgramLimits } from './program-limits.ts'
import { OWN_FOLDERS } from './sandbox-view.ts'

/** The time between two measurements, in milliseconds. */
const INTERVAL_MS = 100
/** The same for programs that run on between calls; there may be many of them. */
const LONG_INTERVAL_MS = 1000
/** The room that programs leave on a disk: this share of it, or this many bytes if they are fewer. */
const RESERVED_SHARE = 0.05
const RESERVED_BYTES = 1024 * 1024 * 1024

/** The programs in a namespace of processes that are measured. */
interface Watched {
  /** The pid of the first process of the namespace. */
  init: number
  limits: ProgramLimits
  /** True for a program that runs on between calls: what it writes in all its time is not limited. */
  runsOn: boolean
  /** The folders that they may write, by real paths. */
  folders: readonly string[]
}

/**
 * Measures all processes of a namespace together until `signal` is aborted or the namespace ends, and resolves with
 * the first limit that they exceed; undefined if there is none.
 */
export async function watchResources(
  { init, limits, runsOn, folders }: Watched,
  signal: AbortSignal,
): Promise<Excess | undefined> {
  const root = `/proc/${init}/root`
  const firstRooms = await Promise.all(folders.map(readRoom))
  while (!signal.aborted) {
    const pids = await listPids(root)
    if (!pids) return undefined
    // A bomb of processes is not measured one by one.
    if (pids.length > limits.tasks) return 'tasks'
    const uses = await Promise.all(pids.map((pid) => measure(join(root, 'proc', pid))))
    if (sum(uses, 'tasks') > limits.tasks) return 'tasks'
    const rooms = await Promise.all(folders.map(readRoom))
    if (rooms.some((room, index) => isAlmostFull(room, firstRooms[index]))) return 'disk_full'
    // Some file systems, such as those in memory, count nothing for a process: what is written then also lacks there.
    const lost = rooms.map((room, index) => (firstRooms[index]?.free ?? 0) - (room?.free ?? 0))
    const written = Math.max(sum(uses, 'stored'), Math.min(sum(uses, 'written'), ...lost))
    if (!runsOn && written > limits.disk_bytes) return 'disk'
    const inFolders = await measureFolders(root)
    if (sum(uses, 'resident') + inFolders > limits.memory_bytes) {
      // Memory that several processes share was counted once for each.
      const shares = await Promise.all(pids.map((pid) => readShare(join(root, 'proc', pid))))
      if (shares.reduce((total, bytes) => total + bytes, inFolders) > limits.memory_bytes) return 'memory'
    }
    await pause(runsOn ? LONG_INTERVAL_MS : INTERVAL_MS)
  }
  return undefined
}

/** Lists the processes of the namespace; undefined if it has ended. */
const listPids = (root: string): Promise<string[] | undefined> =>
  readdir(join(root, 'proc')).then(
    (names) => names.filter((name) => /^\d+$/.test(name)),
    () => undefined,
  )

interface Use {
  tasks: number
  /** Bytes of memory, with what is shared. */
  resident: number
  /** Bytes that it wrote to a disk, without those that it deleted before they were stored. */
  stored: number
  /** Bytes that it wrote anywhere. */
  written: number
}

const sum = (uses: readonly Use[], field: keyof Use): number =>
  uses.reduce((total, use) => total + use[field], 0)

/** Measures a process; one that has ended meanwhile counts for nothing. */
async function measure(process: string): Promise<Use> {
  const [status, io] = await Promise.all([read(join(process, 'status')), read(join(process, 'io'))])
  return {
    tasks: readNumber(status, /^Threads:\s+(\d+)/m),
    resident: readNumber(status, /^VmRSS:\s+(\d+) kB/m) * 1024,
    stored: readNumber(io, /^write_bytes: (\d+)/m) - readNumber(io, /^cancelled_write_bytes: (\d+)/m),
    written: readNumber(io, /^wchar: (\d+)/m),
  }
}

/** Reads the bytes of memory of a process, divided by those that share them. */
const readShare = async (process: string): Promise<number> =>
  readNumber(await read(join(process, 'smaps_rollup')), /^Pss:\s+(\d+) kB/m) * 1024

const readNumber = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0)

/** Reads a file about a process; empty if the process has ended. */
const read = (path: string): Promise<string> => readFile(path, 'latin1').catch(() => '')

/** Measures the files in the folders that the sandbox keeps in memory. */
async function measureFolders(root: string): Promise<number> {
  const sizes = await Promise.all(
    OWN_FOLDERS.map(async (folder) => {
      const facts = await readFacts(join(root, folder))
      return facts ? (facts.blocks - facts.bfree) * facts.bsize : 0
    }),
  )
  return sizes.reduce((total, size) => total + size, 0)
}

/** Reads the facts of a file system; undefined if the folder is missing. */
const readFacts = (folder: string) => statfs(folder).catch(() => undefined)

interface Room {
  free: number
  total: number
}

/** Reads the room on the disk of a folder, in bytes. */
async function readRoom(folder: string): Promise<Room | undefined> {
  const facts = await readFacts(folder)
  return facts && { free: facts.bavail * facts.bsize, total: facts.blocks * facts.bsize }
}

/** True if a disk has less than its reserve left, and less than before: others may have filled it. */
const isAlmostFull = (room: Room | undefined, firstRoom: Room | undefined): boolean =>
  room !== undefined &&
  firstRoom !== undefined &&
  room.free < Math.min(room.total * RESERVED_SHARE, RESERVED_BYTES) &&
  firstRoom.free - room.free > 64 * 1024 * 1024
