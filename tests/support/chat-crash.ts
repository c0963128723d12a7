import type { ThreadDocument } from '../../plugins/conversations/chat/documents.ts'
import { eventRange, type LedgerEvent } from '../../plugins/conversations/chat/ledger/ledger-event.ts'
import type { TestChat } from './chat.ts'
import type { Chance } from './random.ts'
import type { TestFrame } from './socket.ts'

/**
 * Leaves an empty thread like a process that dies in its first turn, after any of the turn's events. A turn that waits
 * for a person stays paused.
 */
export async function crashInTurn(
  { server, connect }: Pick<TestChat, 'server' | 'connect'>,
  { thread_id, text, random }: { thread_id: string; text: string; random: Chance },
): Promise<void> {
  const threads = server.db.collection<ThreadDocument>('threads')
  const events = server.db.collection<LedgerEvent>('events')
  const thread = (await threads.findOne({ _id: thread_id }))!
  const socket = await connect()
  await socket.subscribe(thread_id)
  socket.send({ type: 'user_turn', thread_id, text })
  const isLast = ({ type }: TestFrame) => type === 'done' || type === 'error' || type === 'hitl_required'
  const last = await socket.until(isLast)
  socket.close()
  if (last.type === 'hitl_required') return

  const written = await events.find(eventRange(thread_id)).sort({ _id: 1 }).toArray()
  const lost = written.slice(random.int(1, written.length))
  await events.deleteMany({ _id: { $in: lost.map(({ _id }) => _id) } })
  await server.db.collection('messages').deleteMany({ thread_id })
  const holder = { node_id: 'another', machine: 'elsewhere', pid: 1, launch: '' }
  const active_turn = { turn_id: last.turn_id, first_seq: 1, holder, lease_until: 1, started_at: 1 }
  await threads.replaceOne({ _id: thread_id }, { ...thread, active_turn })
}
