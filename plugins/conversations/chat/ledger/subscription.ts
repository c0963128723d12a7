import type { Logger } from '#kernel'
import type { Hub, Reader } from './hub.ts'
import type { Ledger } from './ledger.ts'
import { frameText, isTerminal, type LedgerEvent, seqOf } from './ledger-event.ts'
import type { Follower, Tail } from './tail.ts'

/** The connection that a subscription writes to. */
interface Outlet {
  sendText(text: string, flushed?: () => void): void
  close(code: number, reason: string): void
  readonly buffered: number
}

/** The position of one connection in one thread. */
export interface Subscription {
  /** The seq of the last event that was sent. */
  readonly position: number
  end(): void
}

/** The most bytes that may wait for a peer; above, the peer reads from the ledger at its own pace. */
const BUFFER_LIMIT = 262_144
/** The time after which a peer that takes nothing at all is closed, in milliseconds. */
const STALL_LIMIT_MS = 10_000
const PAGE = 100
const TOO_SLOW = 1013

/** The frames of live events as text, so that all readers of a thread share one string. */
const texts = new WeakMap<LedgerEvent, string>()

const toSharedText = (event: LedgerEvent): string => {
  let text = texts.get(event)
  if (text === undefined) {
    text = frameText(event)
    texts.set(event, text)
  }
  return text
}

/**
 * Sends every event after `after`, first from the ledger, then live, without a gap. A slow reader keeps no events in
 * memory, only its position: it continues from the ledger, and is closed if it takes nothing.
 */
export function subscribe({
  thread_id,
  user_id,
  after,
  from,
  outlet,
  isAwaited,
  hub,
  ledger,
  tail,
  log,
}: {
  thread_id: string
  user_id: string
  after: number
  /** The source of the first events: the ledger, none because `after` is its end, or another process. */
  from: 'ledger' | 'now' | 'elsewhere'
  /** True while a queued turn of the thread may be started by another process. */
  isAwaited: () => boolean
  outlet: Outlet
  hub: Hub
  ledger: Ledger
  tail: Tail
  log: Logger
}): Subscription {
  let position = after
  let newest = after
  let live = from === 'now'
  let ended = false
  /** True if another process may have the turn. */
  let isForeign = from === 'elsewhere'
  let turnIsOver = false

  const reader: Reader = {
    user_id,
    deliver(event, seq) {
      newest = Math.max(newest, seq)
      if (!live) return
      if (seq === position + 1 && outlet.buffered < BUFFER_LIMIT) {
        position = seq
        outlet.sendText(toSharedText(event))
        look(event)
        if (turnIsOver) follow('later')
      } else if (seq > position) readOn()
    },
    tell: (text) => outlet.sendText(text),
    expect: () => follow('soon'),
    follow(last_seq) {
      if (last_seq !== undefined && last_seq <= position) return
      isForeign = true
      turnIsOver = false
      follow('soon')
    },
  }

  const follower: Follower = {
    thread_id,
    get position() {
      return position
    },
    get isExpectant() {
      return !ended && live && ((isForeign && !turnIsOver) || isAwaited())
    },
  }

  const readOn = () => {
    live = false
    void catchUp()
  }

  /** Any process may resume a paused turn; no process runs a turn that has ended. */
  const look = (event: LedgerEvent) => {
    turnIsOver = isTerminal(event)
    if (event.type !== 'hitl_required') return
    isForeign = true
    follow('later')
  }

  /** Has the events of other processes read, if there may be any. */
  const follow = (when: 'soon' | 'later') => {
    if (follower.isExpectant) tail.follow(follower, when)
  }

  const catchUp = async () => {
    try {
      while (!ended && !live) {
        const published = newest
        const events = await ledger.read(thread_id, position, PAGE)
        // A published event is in the ledger, unless the thread was removed.
        if (events.length === 0 && published > position) return end()
        for (const event of events) {
          if (ended) return
          position = seqOf(event)
          look(event)
          if (outlet.buffered < BUFFER_LIMIT) outlet.sendText(frameText(event))
          else if (!(await sendSlowly(frameText(event)))) return
        }
        live = events.length < PAGE && newest <= position
        follow('soon')
      }
    } catch (error) {
      log.error({ error, thread_id }, 'a subscription failed')
      outlet.close(TOO_SLOW, 'the subscription failed; subscribe again')
    }
  }

  /**
   * Sends while the buffer is full and waits until the peer has taken the text; closes the connection if it does not.
   */
  const sendSlowly = (text: string) =>
    new Promise<boolean>((resolve) => {
      const stalled = setTimeout(() => {
        outlet.close(TOO_SLOW, 'reads too slowly')
        resolve(false)
      }, STALL_LIMIT_MS)
      outlet.sendText(text, () => {
        clearTimeout(stalled)
        resolve(!ended)
      })
    })

  const end = () => {
    ended = true
    tail.leave(follower)
    hub.remove(thread_id, reader)
  }

  hub.add(thread_id, reader)
  if (live) follow('soon')
  else void catchUp()
  return {
    get position() {
      return position
    },
    end,
  }
}
