import type { Hub, Reader } from './hub.ts'
import type { Ledger } from './ledger.ts'
import { type LedgerEvent, seqOf } from './ledger-event.ts'

const PAGE = 100
/** The interval at which the ledger is polled for events of other processes, in milliseconds. */
const POLL_MS = 1000

/**
 * Yields every event of a thread after `after`, including future ones, until `signal` is aborted or the thread is
 * removed.
 */
export async function* followEvents({
  thread_id,
  user_id,
  after,
  hasRead = false,
  signal,
  hub,
  ledger,
}: {
  thread_id: string
  user_id: string
  after: number
  /** True if the event `after` has been read, so that the thread is gone if it is missing. */
  hasRead?: boolean
  signal: AbortSignal
  hub: Hub
  ledger: Ledger
}): AsyncGenerator<LedgerEvent, void, void> {
  let position = after
  let newest = after
  let wake = () => {}
  const reader: Reader = {
    user_id,
    deliver(_event, seq) {
      newest = seq
      wake()
    },
    follow: () => wake(),
  }
  const news = () =>
    new Promise<void>((resolve) => {
      const poll = setTimeout(resolve, POLL_MS)
      wake = () => {
        clearTimeout(poll)
        resolve()
      }
      if (newest > position || signal.aborted) wake()
    })
  const leave = () => wake()
  signal.addEventListener('abort', leave)
  hub.add(thread_id, reader)
  try {
    while (!signal.aborted) {
      const published = newest
      const events = await ledger.read(thread_id, position, PAGE)
      for (const event of events) {
        position = seqOf(event)
        hasRead = true
        yield event
      }
      // A published or known event is in the ledger, unless the thread was removed.
      if (events.length === 0 && published > position) return
      if (events.length === 0 && hasRead && !(await ledger.find(thread_id, position))) return
      if (events.length < PAGE) await news()
    }
  } finally {
    wake()
    signal.removeEventListener('abort', leave)
    hub.remove(thread_id, reader)
  }
}
