import type { Clock } from '#plugin-api'
import { eventId, type LedgerEvent } from './ledger-event.ts'
import type { EventLog } from './turn-log.ts'

/** Creates the log of a turn that is not stored; `events` grows with it. */
export function createMemoryLog(
  { thread_id, turn_id, events }: { thread_id: string; turn_id: string; events: LedgerEvent[] },
  clock: Clock,
): EventLog {
  return {
    turn_id,
    committed: events,
    write(type, frame, record) {
      const _id = eventId(thread_id, events.length + 1)
      events.push({ _id, turn_id, ts: clock.now(), type, frame, writer: '', ...record } as LedgerEvent)
    },
  }
}
