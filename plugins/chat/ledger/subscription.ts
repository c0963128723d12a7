import type { Logger } from '#kernel'
import type { Hub, Reader } from './hub.ts'
import type { Ledger } from './ledger.ts'
import { frameText, isTerminal, type LedgerEvent, seqOf } from './ledger-event.ts'

/** What a subscription writes to. */
export interface Outlet {
  sendText(text: string, flushed?: () => void): void
  close(code: number, reason: string): void
  readonly buffered: number
}

/** One connection's place in one thread. */
export interface Subscription {
  /** Seq of the last event that was sent. */
  readonly position: number
  end(): void
}

/** Bytes that may wait for a peer before it is fed from the ledger at its own pace. */
const BUFFER_LIMIT = 262_144
/** How long a peer may take nothing at all before it is closed, in milliseconds. */
const STALL_LIMIT_MS = 10_000
const PAGE = 100
/** How often the ledger is looked at for what another process writes, in milliseconds: more seldom while there is nothing. */
const POLL_MS = { first: 100, most: 1000 }
const TOO_SLOW = 1013

/** Frames of live events, so that many readers of one thread share one text. */
const texts = new WeakMap<LedgerEvent, string>()

const textOf = (event: LedgerEvent): string => {
  let text = texts.get(event)
  if (text === undefined) {
    text = frameText(event)
    texts.set(event, text)
  }
  return text
}

/**
 * Sends every event behind `after`, first from the ledger, then live, without a gap. A reader that is slow holds
 * no events in memory, only its place: it reads on from the ledger, and is closed when it takes nothing.
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
  log,
}: {
  thread_id: string
  user_id: string
  after: number
  /** What comes first: the stored events; nothing, as `after` is the ledger's end; or what another process writes. */
  from: 'ledger' | 'now' | 'elsewhere'
  /** True while a turn waits for the thread that another process may start. */
  isAwaited: () => boolean
  outlet: Outlet
  hub: Hub
  ledger: Ledger
  log: Logger
}): Subscription {
  let position = after
  let newest = after
  let waited = POLL_MS.first
  let live = from === 'now'
  let ended = false
  /** Whether another process may have the turn. */
  let isForeign = from === 'elsewhere'
  let turnIsOver = false
  let polling: NodeJS.Timeout | undefined

  const reader: Reader = {
    user_id,
    deliver(event, seq) {
      newest = Math.max(newest, seq)
      if (!live) return
      if (seq === position + 1 && outlet.buffered < BUFFER_LIMIT) {
        position = seq
        outlet.sendText(textOf(event))
        look(event)
        if (turnIsOver) poll(POLL_MS.most)
      } else if (seq > position) readOn()
    },
    tell: (text) => outlet.sendText(text),
    expect() {
      if (live) poll(POLL_MS.first)
    },
  }

  const readOn = () => {
    live = false
    void catchUp()
  }

  /** A paused turn may be taken on by any process; one that is over is nobody's. */
  const look = (event: LedgerEvent) => {
    turnIsOver = isTerminal(event)
    if (event.type !== 'hitl_required') return
    isForeign = true
    if (live) poll(POLL_MS.most)
  }

  const poll = (wait: number) => {
    clearTimeout(polling)
    waited = Math.min(wait, POLL_MS.most)
    const isExpected = (isForeign && !turnIsOver) || isAwaited()
    if (isExpected && !ended) polling = setTimeout(() => live && readOn(), waited)
  }

  const catchUp = async () => {
    try {
      while (!ended && !live) {
        const published = newest
        const events = await ledger.read(thread_id, position, PAGE)
        // What was published is in the ledger, unless the thread has been removed.
        if (events.length === 0 && published > position) return end()
        for (const event of events) {
          if (ended) return
          position = seqOf(event)
          look(event)
          if (outlet.buffered < BUFFER_LIMIT) outlet.sendText(frameText(event))
          else if (!(await sendSlowly(frameText(event)))) return
        }
        live = events.length < PAGE && newest <= position
        if (live) poll(events.length > 0 ? POLL_MS.first : waited * 2)
      }
    } catch (error) {
      log.error({ error, thread_id }, 'a subscription could not be read on')
      outlet.close(TOO_SLOW, 'cannot read on; subscribe again')
    }
  }

  /** Sends behind a full buffer and waits until the peer has taken it; closes the connection when it does not. */
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
    clearTimeout(polling)
    hub.remove(thread_id, reader)
  }

  hub.add(thread_id, reader)
  if (live) poll(POLL_MS.first)
  else void catchUp()
  return {
    get position() {
      return position
    },
    end,
  }
}
