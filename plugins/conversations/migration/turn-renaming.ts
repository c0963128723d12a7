import type { Ids } from '#plugin-api'
import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'
import { refuse } from './exported-parts.ts'

/**
 * Creates a renaming, which turns the events of another ledger into a ledger of their own: seqs must rise by one, each
 * turn must end before the next one starts, and versions must continue from messages before them. Ids that are unique
 * in the database are replaced; tool calls are only known within their turn and keep their ids.
 */
export function createTurnRenaming(ids: Ids, urlOf: (path: string) => string) {
  const names = new Map<string, string>()
  const calls = new Set<string>()
  /** The messages that later turns may continue from. */
  const messages = new Map<unknown, string>()
  /** The positions that later turns may continue from: the ends of turns, and questions, whose answers have versions. */
  const ends = new Set([0])
  const questions = new Map<string, number>()
  let turn: { exported: string; turn_id: string } | undefined
  let next: number | undefined
  let firstSeq = 1
  let count = 0

  const rename = (prefix: string, id: unknown): unknown => {
    if (typeof id !== 'string') return id
    const name = names.get(prefix + id) ?? ids.make(prefix)
    names.set(prefix + id, name)
    return name
  }
  const renameMessage = (id: unknown) => {
    const name = rename('msg_', id)
    if (typeof name === 'string') messages.set(id, name)
    return name
  }
  /** Returns the position that a turn or a path continues from; what a fork begins with is not part of its ledger. */
  const toPosition = ({ after, seq }: ReadEvent, position: string): number | undefined => {
    if (after === undefined) return undefined
    if (after >= seq) throw refuse(position, 'must continue from an earlier event')
    return Math.max(0, after - firstSeq + 1)
  }
  const assertEnd = (after: number | undefined, position: string) => {
    if (after !== undefined && !ends.has(after))
      throw refuse(position, 'must continue from the end of a turn or answer a message')
  }

  /** Begins a turn and returns its first frame. */
  const begin = (
    { turn_id, frame }: Extract<ReadEvent, { type: 'turn_started' }>,
    after: number | undefined,
    position: string,
  ) => {
    turn = { exported: turn_id, turn_id: ids.make('trn_') }
    // A message belongs to one turn: equal ids in two turns mean different messages.
    names.clear()
    calls.clear()
    const { message_id, after_message_id } = frame
    const answered = messages.get(message_id)
    // A new answer to a message that its fork began with becomes a turn with that message.
    if (message_id === after_message_id && after !== 0) {
      if (answered === undefined || questions.get(answered) !== after)
        throw refuse(position, 'must continue from the message that it answers')
      names.set(`msg_${message_id}`, answered)
      return renamed(frame)
    }
    assertEnd(after, position)
    const previous = after === 0 ? null : (messages.get(after_message_id) ?? null)
    const question = rename('msg_', message_id) as string
    messages.set(message_id, question)
    questions.set(question, count + 1)
    return { ...frame, message_id: question, after_message_id: previous }
  }

  const renamed = (frame: ReadEvent['frame']) => ({
    ...frame,
    ...('message_id' in frame && { message_id: renameMessage(frame.message_id) }),
    ...('after_message_id' in frame && { after_message_id: messages.get(frame.after_message_id) ?? null }),
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
      if (next === undefined) firstSeq = event.seq
      next = event.seq + 1
      if (event.type === 'path_changed') {
        if (turn) throw refuse(position, 'changes the path during a turn')
        const after = toPosition(event, position)
        assertEnd(after, position)
        count += 1
        ends.add(count)
        const message_id = messages.get(event.frame.message_id) ?? ids.make('msg_')
        const frame = { message_id }
        return {
          ...event,
          ...(after !== undefined && { after }),
          seq: count,
          turn_id: ids.make('trn_'),
          frame,
        }
      }
      if (event.type === 'turn_started') {
        if (turn) throw refuse(position, 'starts a turn before the last one has ended')
        const after = toPosition(event, position)
        const frame = begin(event, after, position)
        count += 1
        return {
          ...event,
          ...(after !== undefined && { after }),
          seq: count,
          turn_id: turn!.turn_id,
          frame,
        } as ReadEvent
      }
      if (turn?.exported !== event.turn_id) throw refuse(position, 'is not part of a turn that has started')
      if (event.type === 'tool_call') calls.add(event.frame.tool_call_id)
      // Models reject the result of a call that they have not made.
      if (event.type === 'tool_result' && !calls.has(event.frame.tool_call_id))
        throw refuse(position, 'is the result of an unknown call')
      const { turn_id } = turn
      count += 1
      if (event.type === 'done' || event.type === 'error') {
        turn = undefined
        ends.add(count)
      }
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
