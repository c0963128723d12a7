import type { Ids } from '#kernel'
import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import { refuse } from './exported-parts.ts'

/** Makes a ledger of its own of events that come from another one. */
export interface TurnRenaming {
  /** The event with a seq that counts from 1 and with new ids; throws BAD_EXPORT where it does not follow the last. */
  take(event: ReadEvent, place: string): ReadEvent
  /** The turn that has begun and not ended, by its new id. */
  readonly openTurn: string | undefined
  /** How many events were taken. */
  readonly count: number
}

/**
 * Makes a renaming: seqs must rise by one and turns follow each other whole. Of the ids those become new that are
 * unique in the database; tool calls are only known within their turn and keep theirs.
 */
export function createTurnRenaming(ids: Ids, urlOf: (path: string) => string): TurnRenaming {
  const names = new Map<string, string>()
  const calls = new Set<string>()
  let turn: { exported: string; turn_id: string } | undefined
  let next: number | undefined
  let count = 0

  const rename = (prefix: string, id: unknown): unknown => {
    if (typeof id !== 'string') return id
    const name = names.get(prefix + id) ?? ids.make(prefix)
    names.set(prefix + id, name)
    return name
  }
  const renamed = (frame: ReadEvent['frame']) => ({
    ...frame,
    ...('message_id' in frame && { message_id: rename('msg_', frame.message_id) }),
    ...('call_id' in frame && { call_id: rename('call_', frame.call_id) }),
    ...('pending_id' in frame && { pending_id: rename('apr_', frame.pending_id) }),
    // Whatever address the file had elsewhere, here it has that of the agent's workspace.
    ...('url' in frame && { url: urlOf(frame.path) }),
  })

  return {
    take(event, place) {
      if (event.seq !== (next ?? event.seq)) throw refuse(place, `must have the seq ${next}`)
      next = event.seq + 1
      if (event.type === 'turn_started') {
        if (turn) throw refuse(place, 'begins a turn before the last one has ended')
        turn = { exported: event.turn_id, turn_id: ids.make('trn_') }
        // Messages belong to one turn: ids that two turns share are not the same.
        names.clear()
        calls.clear()
      }
      if (turn?.exported !== event.turn_id) throw refuse(place, 'is part of no turn that has begun')
      if (event.type === 'tool_call') calls.add(event.frame.tool_call_id)
      // Models take no result of a call that they have not made.
      if (event.type === 'tool_result' && !calls.has(event.frame.tool_call_id))
        throw refuse(place, 'is the result of no call that was made')
      const { turn_id } = turn
      if (event.type === 'done' || event.type === 'error') turn = undefined
      count += 1
      return { ...event, seq: count, turn_id, frame: renamed(event.frame) } as ReadEvent
    },
    get openTurn() {
      return turn?.turn_id
    },
    get count() {
      return count
    },
  }
}
