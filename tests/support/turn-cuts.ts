import { isDeepStrictEqual } from 'node:util'
import {
  frameText,
  type LedgerEvent,
  seqOf,
  threadOf,
} from '../../plugins/conversations/chat/ledger/ledger-event.ts'
import type { ReadEvent } from '../../plugins/conversations/chat/ledger/ledger-reader.ts'
import { projectTurn } from '../../plugins/conversations/chat/ledger/projection.ts'
import { readRecordedLoop } from '../../plugins/conversations/chat/loop/recorded-loop.ts'
import type { TurnReplay } from '../../plugins/conversations/chat/replay/turn-replay.ts'
import { applyFrame, type ClientMessage, type ClientPage, differenceOf, openThread } from './chat-client.ts'

/** A history that consists of the first events of one turn. */
function pageOf(events: readonly LedgerEvent[], first_seq: number, thread_id: string): ClientPage {
  const last = events.at(-1)
  const urls = new Map(
    events.flatMap(({ type, frame }) => (type === 'attachment' ? [[frame.path, frame.url]] : [])),
  )
  return {
    thread_id,
    messages: projectTurn(events).map(
      ({ _id: id, thread_id: _, position, thoughts, artifacts, error, ...message }) =>
        ({
          id,
          ...message,
          ...(artifacts && { artifacts: artifacts.map((file) => ({ ...file, url: urls.get(file.path) })) }),
          ...(error && { error: { code: error.code, message: error.message } }),
        }) as ClientMessage,
    ),
    last_seq: last ? seqOf(last) : first_seq - 1,
    turn_active: last !== undefined && last.type !== 'done' && last.type !== 'error',
    hitl_pending: last?.type === 'hitl_required' ? last.frame : null,
    artifacts: [],
    sources: [],
    has_more: false,
    next_cursor: null,
  }
}

/** Lists the faults of messages that are read from the events of one turn, cut at any point: they must be the same. */
export function findCutFaults(events: readonly LedgerEvent[]): string[] {
  const faults: string[] = []
  const [first_seq, thread_id] = [seqOf(events[0]!), threadOf(events[0]!)]
  const original = structuredClone(events)
  const whole = pageOf(events, first_seq, thread_id)
  for (let cut = 0; cut <= events.length; cut += 1) {
    const [earlier, later] = [events.slice(0, cut), events.slice(cut)]
    const thread = openThread([pageOf(earlier, first_seq, thread_id)])
    for (const event of later) applyFrame(thread, JSON.parse(frameText(event, thread_id, seqOf(event))))
    const { artifacts, sources } = thread
    const difference = differenceOf(thread, [{ ...whole, artifacts, sources }])
    if (difference) faults.push(`behind ${cut} events: ${difference}`)
    try {
      readRecordedLoop(earlier)
    } catch (error) {
      faults.push(`the loop cannot be read from ${cut} events: ${(error as Error).message}`)
    }
  }
  if (!isDeepStrictEqual(original, events)) faults.push('reading the events has changed them')
  return faults
}

/** Describes what differs when the turn runs again from its events. */
export async function findReplayFaults(
  events: readonly LedgerEvent[],
  { run }: TurnReplay,
): Promise<string[]> {
  const { recorded, replayed } = await run(
    events.map(({ _id, writer, ...event }) => ({ seq: seqOf({ _id }), ...event }) as ReadEvent),
  )
  const fault = firstDifference(recorded, replayed, 'outcome')
  return fault ? [`${events[0]!._id}: ${fault}`] : []
}

/** Describes the first difference of two JSON values. */
function firstDifference(wanted: unknown, actual: unknown, path: string): string | undefined {
  if (isDeepStrictEqual(wanted, actual)) return undefined
  const isTree = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null
  if (!isTree(wanted) || !isTree(actual))
    return `${path} is ${JSON.stringify(actual)?.slice(-500)}, not ${JSON.stringify(wanted)?.slice(-500)}`
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(actual)])) {
    const difference = firstDifference(wanted[name], actual[name], `${path}.${name}`)
    if (difference) return difference
  }
  return `${path} is of another kind`
}
