import type { Clock, Ids } from '#kernel'
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
export interface Feed {
  readonly account_id: string
  /** The number of open readers. */
  readers: number
  /** The time since which it has no reader, in Unix milliseconds. */
  idleSince: number
  /** The position after the newest event. */
  end(): number
  add(event: AccountEvent): void
  /** Marks a gap, since events may be missing: every reader begins anew. */
  interrupt(): void
  /** Returns the event at a position, undefined if it does not exist yet, and 'lost' if it is no longer kept. */
  at(position: number): AccountEvent | undefined | 'lost'
  /** Resolves when an event is added, or the signal is aborted. */
  next(signal: AbortSignal): Promise<void>
  /** Writes a position as an event id, and reads one; undefined for an id of another feed or process. */
  toId(position: number): string
  fromId(id: string): number | undefined
  /** Runs jobs one after another, so that events come in the order of their causes; of a key, at most one waits. */
  inOrder(job: () => Promise<void>, key?: string): void
}

/** Creates the feed of an account. */
export function createFeed(account_id: string, { clock, ids }: { clock: Clock; ids: Ids }): Feed {
  const key = ids.make()
  let kept: KeptEvent[] = []
  let first = 0
  const waiting = new Set<() => void>()
  const queued = new Set<string>()
  let tail = Promise.resolve()

  const forgetOld = () => {
    const isOld = ({ at }: KeptEvent) => at < clock.now() - KEEP_MS
    const count = Math.max(kept.findLastIndex(isOld) + 1, kept.length - MAX_EVENTS)
    if (count === 0) return
    kept = kept.slice(count)
    first += count
  }

  return {
    account_id,
    readers: 0,
    idleSince: clock.now(),
    end: () => first + kept.length,
    add(event) {
      kept.push({ event, at: clock.now() })
      forgetOld()
      for (const wake of waiting) wake()
    },
    interrupt() {
      first += kept.length + 1
      kept = []
      for (const wake of waiting) wake()
    },
    at(position) {
      forgetOld()
      return position < first ? 'lost' : kept[position - first]?.event
    },
    next: (signal) =>
      new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake)
        if (signal.aborted) wake()
      }),
    toId: (position) => `${key}-${position}`,
    fromId(id) {
      const [, own, digits] = /^(\w{1,64})-(\d{1,15})$/.exec(id) ?? []
      return own === key && Number(digits) <= first + kept.length ? Number(digits) : undefined
    },
    inOrder(job, name = '') {
      if (queued.has(name)) return
      if (name) queued.add(name)
      tail = tail.then(() => {
        queued.delete(name)
        return job()
      })
    },
  }
}
