import type { Clock, Ids } from '#plugin-api'
import type { Signals } from '../../operation/signals/signals.ts'
import type { Notices } from './notices.ts'
import type { AccountEvent } from './schemas.ts'

/** The time for which events can be read again, in milliseconds. */
export const KEEP_MS = 300_000
/** The most events that are kept of an account. */
const MAX_EVENTS = 1000

interface KeptEvent {
  event: AccountEvent
  /** Unix milliseconds. */
  at: number
}

/** The recent events of one account. Positions count them from 0; readers keep their own, so none slows the others. */
export type Feed = ReturnType<typeof createFeed>

/** Creates the feed of an account. */
export function createFeed(account_id: string, { clock, ids }: { clock: Clock; ids: Ids }) {
  const key = ids.make()
  let recent: KeptEvent[] = []
  let first = 0
  const waiting = new Set<() => void>()
  const queued = new Set<string>()
  let tail = Promise.resolve()

  const forgetOld = () => {
    const isOld = ({ at }: KeptEvent) => at < clock.now() - KEEP_MS
    const count = Math.max(recent.findLastIndex(isOld) + 1, recent.length - MAX_EVENTS)
    if (count === 0) return
    recent = recent.slice(count)
    first += count
  }

  return {
    account_id,
    /** The number of open readers. */
    readers: 0,
    /** The time since which it has no reader, in Unix milliseconds. */
    idleSince: clock.now(),
    /** Returns the position after the newest event. */
    end: () => first + recent.length,
    add(event: AccountEvent): void {
      recent.push({ event, at: clock.now() })
      forgetOld()
      for (const wake of waiting) wake()
    },
    /** Marks a gap, since events may be missing: every reader begins anew. */
    interrupt(): void {
      first += recent.length + 1
      recent = []
      for (const wake of waiting) wake()
    },
    /** Returns the event at a position, undefined if it does not exist yet, and 'lost' if it is no longer stored. */
    at(position: number): AccountEvent | undefined | 'lost' {
      forgetOld()
      return position < first ? 'lost' : recent[position - first]?.event
    },
    /** Resolves when an event is added, or the signal is aborted. */
    next: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake)
        if (signal.aborted) wake()
      }),
    /** Writes a position as an event id. */
    toId: (position: number) => `${key}-${position}`,
    /** Reads an event id; undefined for an id of another feed or process. */
    fromId(id: string): number | undefined {
      const [, own, digits] = /^(\w{1,64})-(\d{1,15})$/.exec(id) ?? []
      return own === key && Number(digits) <= first + recent.length ? Number(digits) : undefined
    },
    /** Runs jobs one after another, so that events come in the order of their causes; of a key, at most one waits. */
    inOrder(job: () => Promise<void>, name = ''): void {
      if (queued.has(name)) return
      if (name) queued.add(name)
      tail = tail.then(() => {
        queued.delete(name)
        return job()
      })
    },
  }
}

/** One call of a notice. */
type Notice = { [Name in keyof Notices]: { name: Name; about: Parameters<Notices[Name]>[0] } }[keyof Notices]

declare module '../../operation/signals/types.ts' {
  interface Facts {
    /** Accounts may have to be notified. */
    'events.notice': Notice
  }
}

/** Passes notices to every process, because an account may read its events from any of them. */
export type Relay = ReturnType<typeof createRelay>

/** Creates the relay. */
export function createRelay({ notices, signals }: { notices: Notices; signals: Signals }) {
  const notifyHere = ({ name, about }: Notice) => notices[name](about as never)
  return {
    pass<Name extends keyof Notices>(name: Name, about: Parameters<Notices[Name]>[0]): unknown {
      const notice = { name, about } as Notice
      signals.publish('events.notice', notice)
      return notifyHere(notice)
    },
    start(): void {
      signals.on('events.notice', notifyHere)
    },
  }
}
