import type { Collection } from 'mongodb'
import { followEvents } from './following.ts'
import type { Hub } from './hub.ts'
import type { Ledger } from './ledger.ts'
import {
  type EventRecord,
  eventRange,
  type FrameFields,
  type FrameType,
  type LedgerEvent,
  seqOf,
} from './ledger-event.ts'

/** An event as it is read by others: its place in the thread instead of its key. `ts` is Unix milliseconds. */
export type ReadEvent = {
  [Type in FrameType]: {
    seq: number
    turn_id: string
    ts: number
    type: Type
    frame: FrameFields[Type]
  } & EventRecord
}[FrameType]

/** Which events are wanted: those between two seqs, both excluded. */
export interface EventQuery {
  limit: number
  after?: number
  before?: number
  type?: FrameType
  turn_id?: string
}

/** Reads threads' ledgers, for views beside the conversation. */
export interface LedgerReader {
  /** In rising order: the first behind `after`, or else the last before `before`, or of all. */
  page(thread_id: string, query: EventQuery): Promise<{ events: ReadEvent[]; has_more: boolean }>
  find(thread_id: string, seq: number): Promise<ReadEvent | null>
  /** All of them in order, read bit by bit; without what was said if only the facts are wanted. */
  all(thread_id: string, options?: { withText: boolean }): AsyncGenerator<ReadEvent, void, void>
  /** Those behind `after` and those to come, until `signal` is aborted. */
  follow(reader: {
    thread_id: string
    user_id: string
    after: number
    signal: AbortSignal
  }): AsyncGenerator<ReadEvent, void, void>
}

/** Makes the reader. */
export function createLedgerReader({
  events,
  hub,
  ledger,
}: {
  events: Collection<LedgerEvent>
  hub: Hub
  ledger: Ledger
}): LedgerReader {
  return {
    async page(thread_id, { limit, after, before, ...filter }) {
      const forwards = after !== undefined
      const found = await events
        .find({
          ...eventRange(thread_id, after ?? 0, before === undefined ? undefined : before - 1),
          ...filter,
        })
        .sort({ _id: forwards ? 1 : -1 })
        .limit(limit + 1)
        .toArray()
      const page = found.slice(0, limit).map(read)
      return { events: forwards ? page : page.reverse(), has_more: found.length > limit }
    },
    async find(thread_id, seq) {
      const event = await ledger.find(thread_id, seq)
      return event && read(event)
    },
    async *all(thread_id, { withText } = { withText: true }) {
      const wanted = withText ? {} : { type: { $nin: ['content', 'reasoning'] as FrameType[] } }
      const projection = withText ? {} : { 'frame.output': 0, 'frame.input': 0, input: 0, answer: 0 }
      for await (const event of events
        .find({ ...eventRange(thread_id), ...wanted }, { projection })
        .sort({ _id: 1 }))
        yield read(event)
    },
    async *follow(reader) {
      for await (const event of followEvents({ ...reader, hub, ledger })) yield read(event)
    },
  }
}

const read = ({ _id, writer, ...event }: LedgerEvent): ReadEvent =>
  ({ seq: seqOf({ _id }), ...event }) as ReadEvent
