import type { Clock } from '#kernel'
import {
  type EventRecord,
  eventId,
  type FrameFields,
  type FrameType,
  type LedgerEvent,
} from './ledger-event.ts'
import type { TurnLog } from './turn-log.ts'

/** Creates the log of a turn that is not stored; `events` grows with it. */
export function createMemoryLog(
  { thread_id, turn_id, events }: { thread_id: string; turn_id: string; events: LedgerEvent[] },
  clock: Clock,
): TurnLog {
  const add = (type: FrameType, frame: FrameFields[FrameType], record?: EventRecord) => {
    const _id = eventId(thread_id, events.length + 1)
    events.push({ _id, turn_id, ts: clock.now(), type, frame, writer: '', ...record } as LedgerEvent)
  }
  return {
    turn_id,
    committed: events,
    write: add,
    durable: async () => {},
    async finish(type, frame, outcome) {
      add(type, frame)
      outcome.stored(events)
    },
  }
}
