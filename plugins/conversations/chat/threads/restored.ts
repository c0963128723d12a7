import type { Collection } from 'mongodb'
import type { ClientMessageDocument, MessageDocument, ThreadDocument } from '../documents.ts'
import { eventId, eventRange, LAST_SEQ, type LedgerEvent, seqOf, threadOf } from '../ledger/ledger-event.ts'

/**
 * Makes what a backup has read at different times consistent: threads are read first, so their ledgers and messages may
 * go on after them. What does is removed; a turn that was running keeps its events, and is then closed as after a crash.
 */
export async function repairRestored({
  threads,
  events,
  messages,
  client_messages,
}: {
  threads: Collection<ThreadDocument>
  events: Collection<LedgerEvent>
  messages: Collection<MessageDocument>
  client_messages: Collection<ClientMessageDocument>
}): Promise<void> {
  /** Returns the last seq that a thread knows of, or that its running turn wrote. */
  const findEnd = async ({ _id, last_seq, active_turn }: ThreadDocument): Promise<number> => {
    if (!active_turn) return last_seq
    const { turn_id, first_seq, paused } = active_turn
    if (paused) return paused.seq
    const [last] = await events
      .find({ ...eventRange(_id, first_seq - 1), turn_id }, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .limit(1)
      .toArray()
    return last ? seqOf(last) : first_seq - 1
  }

  const projection = { last_seq: 1, active_turn: 1 }
  for await (const thread of threads.find({}, { projection })) {
    const { _id: thread_id } = thread
    const end = await findEnd(thread as ThreadDocument)
    await events.deleteMany(eventRange(thread_id, end))
    await messages.deleteMany({ thread_id, position: { $gt: end } })
    await client_messages.deleteMany({ thread_id, first_seq: { $gt: end } })
  }

  // Threads that began after the threads were read.
  for (let after = ''; ; ) {
    const next = await events.findOne({ _id: { $gt: after } }, { projection: { _id: 1 }, sort: { _id: 1 } })
    if (!next) return
    const thread_id = threadOf(next)
    after = eventId(thread_id, LAST_SEQ)
    if (await threads.findOne({ _id: thread_id }, { projection: { _id: 1 } })) continue
    await events.deleteMany(eventRange(thread_id))
    await messages.deleteMany({ thread_id })
  }
}
