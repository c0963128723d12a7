import { accessSync, constants, statfsSync } from 'node:fs'
import bytes from 'bytes'
import { AppError } from '../errors.ts'
import type { Logger } from '../log.ts'

/** The free space of the file system with the home. */
export type Storage = ReturnType<typeof createStorage>

/** The time for which a measurement is used, in milliseconds. */
const FRESH_MS = 1000
const WATCH_MS = 30_000

/** Creates the watch over the file system of a home. */
export function createStorage({
  home,
  settings,
  log,
  watchMs = WATCH_MS,
}: {
  home: string
  /** Sizes, such as `1gb`. */
  settings: { warn_below: string; stop_below: string }
  log: Logger
  watchMs?: number
}) {
  let measured = -Infinity
  let free: number | null = null
  let isLow = false
  let timer: NodeJS.Timeout | undefined

  const measure = (): number => {
    if (performance.now() - measured > FRESH_MS) {
      measured = performance.now()
      try {
        const { bavail, bsize, blocks } = statfsSync(home)
        // Some network file systems have no size.
        free = blocks > 0 ? bavail * bsize : null
      } catch (error) {
        free = null
        log.warn({ error, home }, 'the free space could not be measured')
      }
    }
    return free ?? Number.POSITIVE_INFINITY
  }

  const look = () => {
    const wasLow = isLow
    isLow = measure() < bytes.parse(settings.warn_below)!
    if (isLow && !wasLow) log.warn({ home, free_bytes: free }, 'the disk is almost full')
    if (!isLow && wasLow) log.info({ home, free_bytes: free }, 'the disk has space again')
  }

  return {
    /** `free_bytes` is null if it cannot be measured. */
    state(): { free_bytes: number | null; low: boolean } {
      look()
      return { free_bytes: free, low: isLow }
    },
    /** Throws STORAGE_FULL if only running work may use the remaining space. */
    assertRoom(): void {
      if (measure() < bytes.parse(settings.stop_below)!) throw new AppError('STORAGE_FULL')
    },
    /** Logs from now on when the space becomes low, and when it no longer is. */
    watch(): void {
      look()
      timer = setInterval(look, watchMs).unref()
    },
    stop: () => clearInterval(timer),
  }
}

const REASONS: Record<string, string> = {
  EACCES: 'may not be written by this user',
  EDQUOT: 'cannot be written, because the quota of this user is used up',
  ENOSPC: 'cannot be written, because the disk is full',
  EPERM: 'may not be written by this user',
  EROFS: 'is read-only',
}

/** Explains in one sentence why a file of the home cannot be written; undefined for any other error. */
export function explainUnwritable(error: unknown, home: string): string | undefined {
  const { code = '', path: source, dest, syscall } = error as NodeJS.ErrnoException & { dest?: string }
  const path = dest ?? source
  // Node reports ENOENT if it cannot make the last folder of a path on a file system that is read-only.
  const reason = REASONS[code === 'ENOENT' && syscall === 'mkdir' ? refusalOf(home) : code]
  if (!reason) return undefined
  if (path?.startsWith(home)) return `the home ${home} ${reason} (${path}); SVC_HOME chooses another folder`
  if (path !== undefined) return `${path} ${reason}`
  // The error of a write has no path: the file may be on another disk than the home.
  return syscall === 'write' ? `a file ${reason}` : undefined
}

/** Returns the code of the system for a folder that cannot be written, or an empty text. */
function refusalOf(folder: string): string {
  try {
    accessSync(folder, constants.W_OK)
    return ''
  } catch (error) {
    return (error as NodeJS.ErrnoException).code!
  }
}
