import type { Cradle } from '../manifest.ts'
import { type EventStream, type StreamStart, streamEvents } from './follow.ts'
import { frameText, type LedgerEvent } from './ledger-event.ts'

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
      send(event) {
        if (outlet.buffered >= BUFFER_LIMIT) return false
        let text = texts.get(event)
        if (text === undefined) {
          text = frameText(event)
          texts.set(event, text)
        }
        outlet.sendText(text)
        return true
      },
      sendSlowly: (event) =>
        new Promise((resolve) => {
          const stalled = setTimeout(() => {
            outlet.close(TOO_SLOW, 'reads too slowly')
            resolve(false)
          }, STALL_LIMIT_MS)
          outlet.sendText(frameText(event), () => {
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
