import { callerIn } from '../contract/guard.ts'
import type { AppError } from '../errors.ts'

/** The open sockets and streams of events of this process, for plugins that must end or re-examine some of them. */
export interface SocketDirectory {
  /** Closes every socket whose guard context matches, and ends every stream with the error; returns their number. */
  close(match: (context: object) => boolean, code: number, reason: string, error?: AppError): number
  /** Has the guards run again before every matching connection's next frame is handled, or next event sent. */
  recheck(match: (context: object) => boolean): number
  /** Guard contexts of the open connections. */
  contexts(): object[]
}

/** One connection as the directory knows it. */
export interface DirectoryEntry {
  readonly context: object
  close(code: number, reason: string, error?: AppError): void
  recheck(): void
}

/** A directory that the upgrade handler adds to. */
export interface OpenSocketDirectory extends SocketDirectory {
  add(entry: DirectoryEntry): void
  remove(entry: DirectoryEntry): void
  /** Returns how many connections an account has open. */
  countOf(account_id: string): number
}

/** Makes an empty directory. */
export function createSocketDirectory(): OpenSocketDirectory {
  const entries = new Set<DirectoryEntry>()
  const visit = (match: (context: object) => boolean, act: (entry: DirectoryEntry) => void) => {
    const matching = [...entries].filter(({ context }) => match(context))
    matching.forEach(act)
    return matching.length
  }
  return {
    add: (entry) => entries.add(entry),
    remove: (entry) => entries.delete(entry),
    countOf: (account_id) =>
      [...entries].filter(({ context }) => callerIn(context)?.id === account_id).length,
    close: (match, code, reason, error) => visit(match, (entry) => entry.close(code, reason, error)),
    recheck: (match) => visit(match, (entry) => entry.recheck()),
    contexts: () => [...entries].map(({ context }) => context),
  }
}

/** Close codes of our own and of RFC 6455. */
export const CLOSE = {
  goingAway: 1001,
  badFrames: 1008,
  failed: 1011,
  tooSlow: 1013,
  sessionEnded: 4401,
} as const

/** The number of unreadable frames in a row that closes a connection. */
export const BAD_FRAMES_IN_A_ROW = 20

/** The interval between two pings of a socket or two comments of a stream, in milliseconds. */
export const PING_INTERVAL_MS = 25_000
