import type { IndexDescription } from 'mongodb'
import type { Cradle } from '../manifest.ts'
import { follow } from './follow.ts'
import {
  type EventRecord,
  eventRange,
  type FrameFields,
  type FrameType,
  LAST_SEQ,
  type LedgerEvent,
  seqOf,
} from './ledger-event.ts'

/** An event for readers of the ledger: its seq replaces its key. `ts` is Unix milliseconds. */
export type ReadEvent = {
  [Type in FrameType]: {
    seq: number
    turn_id: string
    ts: number
    type: Type
    frame: FrameFields[Type]
  } & EventRecord
}[FrameType]

/** Selects events between two seqs, both excluded. */
export interface EventQuery {
  limit: number
  after?: number
  beforeSeq?: number
  type?: FrameType
  turn_id?: string
}

/** A span of a thread: `after < seq <= upTo`. */
interface Span {
  after: number
  upTo: number
}

const EVERYWHERE: Span = { after: 0, upTo: LAST_SEQ }
const NOWHERE: Span = { after: 0, upTo: 0 }

const STARTED = { type: 'turn_started' } as const
const BY_TYPE = { type: 1, _id: 1 } as const

/** The types in the index: all but the frequent ones, which a scan finds quickly. */
const LISTED: FrameType[] = [
  'turn_started',
  'reasoning',
  'tool_call',
  'tool_result',
  'attachment',
  'usage',
  'hitl_required',
  'hitl_resolved',
  'done',
  'error',
]

/** The indexes for events of one type and for turns, in threads of any length; most events are in neither of them. */
export const ledgerIndexes: IndexDescription[] = [
  { key: BY_TYPE, partialFilterExpression: { type: { $in: LISTED } } },
  { key: { turn_id: 1 }, partialFilterExpression: STARTED },
]

/** The batch size for reading a whole ledger: other work runs between the batches. */
const BATCH = 500

/** Reads the ledgers of threads, for views besides the conversation. */
export type LedgerReader = ReturnType<typeof createLedgerReader>

/** Creates the reader. */
export function createLedgerReader(cradle: Cradle) {
  const { ledger } = cradle
  const { events } = cradle.collections

  /** Finds the span of a turn's events: from its first one to the start of the next turn. */
  const spanOfTurn = async (thread_id: string, turn_id: string): Promise<Span> => {
    const projection = { _id: 1 }
    const first = await events.findOne({ ...eventRange(thread_id), ...STARTED, turn_id }, { projection })
    if (!first) return NOWHERE
    const behind = { ...eventRange(thread_id, seqOf(first)), ...STARTED }
    const next = await events.findOne(behind, { projection, sort: { _id: 1 }, hint: BY_TYPE })
    return { after: seqOf(first) - 1, upTo: next ? seqOf(next) - 1 : LAST_SEQ }
  }

  return {
    /**
     * Reads events in rising order, without answers, whole arguments and results of programs: the first ones after
     * `after`, or else the last ones before `beforeSeq` or of the thread.
     */
    async page(
      thread_id: string,
      { limit, after, beforeSeq = LAST_SEQ + 1, type, turn_id }: EventQuery,
    ): Promise<{ events: ReadEvent[]; has_more: boolean }> {
      const forwards = after !== undefined
      const turn = turn_id === undefined ? EVERYWHERE : await spanOfTurn(thread_id, turn_id)
      const from = Math.max(after ?? 0, turn.after)
      const upTo = Math.min(Math.max(beforeSeq - 1, 0), turn.upTo)
      const stored = await events
        .find(
          { ...eventRange(thread_id, from, upTo), ...(type && { type }) },
          {
            projection: { answer: 0, whole_args: 0, results: 0 },
            hint: type && LISTED.includes(type) ? BY_TYPE : { _id: 1 },
          },
        )
        .sort({ _id: forwards ? 1 : -1 })
        .limit(limit + 1)
        .toArray()
      const page = stored.slice(0, limit).map(read)
      return { events: forwards ? page : page.reverse(), has_more: stored.length > limit }
    },
    async find(thread_id: string, seq: number) {
      const event = await ledger.find(thread_id, seq)
      return event && read(event)
    },
    /** Reads all events in order, in batches; `withText: false` leaves out the texts of the conversation. */
    async *all(thread_id: string, { withText } = { withText: true }) {
      const filter = withText ? {} : { type: { $nin: ['content', 'reasoning'] as FrameType[] } }
      const projection = withText
        ? {}
        : {
            'frame.output': 0,
            'frame.input': 0,
            input: 0,
            documents: 0,
            answer: 0,
            whole_args: 0,
            results: 0,
          }
      for await (const event of events
        .find({ ...eventRange(thread_id), ...filter }, { projection, batchSize: BATCH })
        .sort({ _id: 1 }))
        yield read(event)
    },
    /** Yields the events after `after` and future ones, until `signal` is aborted or the thread is removed. */
    async *follow(start: Parameters<typeof follow>[0]) {
      for await (const event of follow(start, cradle)) yield read(event)
    },
  }
}

const read = ({ _id, writer, ...event }: LedgerEvent): ReadEvent =>
  ({ seq: seqOf({ _id }), ...event }) as ReadEvent
