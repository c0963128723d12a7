import type { Cradle } from '../manifest.ts'
import type { Reader } from './hub.ts'
import { frameText, type LedgerEvent, seqOf, TERMINAL_TYPES } from './ledger-event.ts'
import type { Follower } from './tail.ts'

/** The most events that are read at once, and that wait for a slow reader in memory. */
const PAGE = 100

/** The start of a stream, behind the event `after` of a thread. */
export interface StreamStart {
  thread_id: string
  user_id: string
  after: number
  /** The source of the first events: the ledger, none because `after` is its end, or another process. */
  from: 'ledger' | 'now' | 'elsewhere'
  /** True if the event `after` has been read, so that the thread is gone if it is missing. */
  hasRead?: boolean
}

/** Receives the events of one thread in order. */
export interface Receiver {
  /** Sends an event; returns false if the receiver is behind and the event has not been sent. */
  send(event: LedgerEvent, seq: number): boolean
  /** Sends an event to a receiver that is behind; resolves to false if the receiver takes no more. */
  sendSlowly(event: LedgerEvent, seq: number): Promise<boolean>
  /** Receives a frame that belongs to no turn. */
  sendText?(text: string): void
  /** Called when the thread has been removed, or cannot be read. */
  end(error?: unknown): void
}

/** The position of one reader in one thread. */
export interface EventStream {
  /** The seq of the last event that was sent. */
  readonly position: number
  end(): void
}

type Parts = Pick<Cradle, 'hub' | 'ledger' | 'running' | 'tail' | 'turnQueue'>

/**
 * Sends every event after `after`, without a gap: earlier ones from the turn that runs here or from the ledger, later
 * ones live, and events of other processes through the tail. A slow receiver keeps no events in memory, only its position:
 * it continues from the ledger.
 */
function streamEvents(
  { thread_id, user_id, after, from, hasRead = false }: StreamStart,
  receiver: Receiver,
  { hub, ledger, running, tail, turnQueue }: Parts,
): EventStream {
  let position = after
  let newest = after
  let isLive = from === 'now'
  let hasEnded = false
  /** True if another process may have the turn. */
  let isForeign = from === 'elsewhere'
  let turnIsOver = false

  const reader: Reader = {
    user_id,
    deliver(event, seq) {
      if (seq > newest) newest = seq
      if (!isLive) return
      if (seq === position + 1 && receiver.send(event, seq)) pass(event, seq)
      else if (seq > position) {
        isLive = false
        void catchUp()
      }
    },
    send: (text) => receiver.sendText?.(text),
    expectOthers(last_seq) {
      if (last_seq !== undefined && last_seq <= position) return
      isForeign = true
      turnIsOver = false
      readOthers('soon')
    },
  }

  const follower: Follower = {
    thread_id,
    get position() {
      return position
    },
    get isExpectant() {
      if (hasEnded || !isLive || running.get(thread_id)?.opened) return false
      return (isForeign && !turnIsOver) || turnQueue.isWatched(thread_id)
    },
    get isStored() {
      return hasRead
    },
    onMissing: () => finish(),
  }

  /** Has the events of other processes read, if there may be any. */
  const readOthers = (when: 'soon' | 'later') => {
    if (follower.isExpectant) tail.follow(follower, when)
  }

  /** Moves behind an event. Any process may resume a paused turn; no process runs a turn that has ended. */
  const pass = (event: LedgerEvent, seq: number) => {
    position = seq
    hasRead = true
    turnIsOver = TERMINAL_TYPES.has(event.type)
    const isPaused = event.type === 'hitl_required'
    if (isPaused) isForeign = true
    if (isPaused || turnIsOver) readOthers('later')
  }

  /** Returns events of the turn that runs here; undefined if they do not follow the position. */
  const readMemory = () => {
    const committed = running.get(thread_id)?.opened?.log.committed
    const first = committed?.[0]
    if (!committed || !first) return undefined
    const start = position + 1 - seqOf(first)
    const isBehind = start < committed.length || newest <= position
    return start >= 0 && isBehind ? committed.slice(start, start + PAGE) : undefined
  }

  const catchUp = async () => {
    try {
      while (!hasEnded && !isLive) {
        const published = newest
        const events = readMemory() ?? (await ledger.read(thread_id, position, PAGE))
        // A published event is in the ledger, unless the thread was removed.
        if (events.length === 0 && published > position) return finish()
        for (const event of events) {
          if (hasEnded) return
          const seq = seqOf(event)
          if (!receiver.send(event, seq) && !(await receiver.sendSlowly(event, seq))) return
          pass(event, seq)
        }
        isLive = events.length < PAGE && newest <= position
        readOthers('soon')
      }
    } catch (error) {
      finish(error)
    }
  }

  const end = () => {
    hasEnded = true
    tail.leave(follower)
    hub.remove(thread_id, reader)
  }

  const finish = (error?: unknown) => {
    if (hasEnded) return
    end()
    receiver.end(error)
  }

  hub.add(thread_id, reader)
  if (isLive) readOthers('soon')
  else void catchUp()
  return {
    get position() {
      return position
    },
    end,
  }
}

/**
 * Yields every event of a thread after `after`, including future ones, until `signal` is aborted or the thread is
 * removed. Throws if the ledger cannot be read.
 */
export async function* follow(
  { signal, ...start }: Omit<StreamStart, 'from'> & { signal: AbortSignal },
  parts: Parts,
): AsyncGenerator<LedgerEvent, void, void> {
  const queue: LedgerEvent[] = []
  let failure: { error: unknown } | undefined
  let hasEnded = false
  let wake = () => {}
  let drained = () => {}
  const receiver: Receiver = {
    send(event) {
      if (queue.length >= PAGE) return false
      queue.push(event)
      wake()
      return true
    },
    sendSlowly: (event) =>
      new Promise((resolve) => {
        queue.push(event)
        drained = () => resolve(true)
      }),
    end(error) {
      if (error !== undefined) failure = { error }
      hasEnded = true
      wake()
    },
  }
  const leave = () => wake()
  signal.addEventListener('abort', leave)
  const stream = streamEvents({ ...start, from: 'elsewhere' }, receiver, parts)
  try {
    while (!signal.aborted) {
      const event = queue.shift()
      if (event) {
        yield event
        continue
      }
      drained()
      if (failure) throw failure.error
      if (hasEnded) return
      await new Promise<void>((resolve) => {
        wake = resolve
        if (queue.length > 0 || hasEnded || signal.aborted) resolve()
      })
    }
  } finally {
    signal.removeEventListener('abort', leave)
    stream.end()
    drained()
  }
}

/** The connection that a subscription writes to. */
interface Outlet {
  sendText(text: string, flushed?: () => void): void
  close(code: number, reason: string): void
  readonly buffered: number
}

/** The most bytes that may wait for a peer; above, the peer reads from the ledger at its own pace. */
const BUFFER_LIMIT = 262_144
/** The time after which a peer that takes nothing at all is closed, in milliseconds. */
const STALL_LIMIT_MS = 10_000
const TOO_SLOW = 1013

/** The frames of events as text, so that all readers of a thread share one string. */
const texts = new WeakMap<LedgerEvent, string>()

/** Sends the events of a thread to a connection as frames; closes a connection that takes nothing. */
export function subscribe(start: StreamStart, outlet: Outlet, cradle: Cradle): EventStream {
  const { thread_id } = start
  return streamEvents(
    start,
    {
      send(event, seq) {
        if (outlet.buffered >= BUFFER_LIMIT) return false
        let text = texts.get(event)
        if (text === undefined) {
          text = frameText(event, thread_id, seq)
          texts.set(event, text)
        }
        outlet.sendText(text)
        return true
      },
      sendSlowly: (event, seq) =>
        new Promise((resolve) => {
          const stalled = setTimeout(() => {
            outlet.close(TOO_SLOW, 'reads too slowly')
            resolve(false)
          }, STALL_LIMIT_MS)
          outlet.sendText(frameText(event, thread_id, seq), () => {
            clearTimeout(stalled)
            resolve(true)
          })
        }),
      sendText: (text) => outlet.sendText(text),
      end(error) {
        if (error === undefined) return
        cradle.log.error({ error, thread_id }, 'a subscription failed')
        outlet.close(TOO_SLOW, 'the subscription failed; subscribe again')
      },
    },
    cradle,
  )
}
