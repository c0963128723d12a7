import type { Ids } from '#kernel'
import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import { refuse } from './exported-parts.ts'

/**
 * Creates a renaming, which turns the events of another ledger into a ledger of their own: seqs must rise by one, and each turn must end before the next one starts. Ids that are unique in
 * the database are replaced; tool calls are only known within their turn and keep their ids.
 */
export function createTurnRenaming(ids: Ids, urlOf: (path: string) => string) {
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
    // Wherever the file was stored before, its address is now within the agent's workspace.
    ...('url' in frame && { url: urlOf(frame.path) }),
  })

  return {
    /**
     * Returns the event with new ids and a seq that counts from 1; throws BAD_EXPORT if it does not follow the last
     * event.
     */
    take(event: ReadEvent, position: string): ReadEvent {
      if (event.seq !== (next ?? event.seq)) throw refuse(position, `must have the seq ${next}`)
      next = event.seq + 1
      if (event.type === 'turn_started') {
        if (turn) throw refuse(position, 'starts a turn before the last one has ended')
        turn = { exported: event.turn_id, turn_id: ids.make('trn_') }
        // A message belongs to one turn: equal ids in two turns mean different messages.
        names.clear()
        calls.clear()
      }
      if (turn?.exported !== event.turn_id) throw refuse(position, 'is not part of a turn that has started')
      if (event.type === 'tool_call') calls.add(event.frame.tool_call_id)
      // Models reject the result of a call that they have not made.
      if (event.type === 'tool_result' && !calls.has(event.frame.tool_call_id))
        throw refuse(position, 'is the result of an unknown call')
      const { turn_id } = turn
      if (event.type === 'done' || event.type === 'error') turn = undefined
      count += 1
      return { ...event, seq: count, turn_id, frame: renamed(event.frame) } as ReadEvent
    },
    /** The new id of the turn that has started and not ended. */
    get openTurn(): string | undefined {
      return turn?.turn_id
    },
    /** The number of events so far. */
    get count(): number {
      return count
    },
  }
}
