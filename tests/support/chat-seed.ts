import type { MessageDocument, ThreadDocument } from '../../plugins/conversations/chat/documents.ts'
import type { LedgerEvent } from '../../plugins/conversations/chat/ledger/ledger-event.ts'
import { eventId, seqOf } from '../../plugins/conversations/chat/ledger/ledger-event.ts'
import type { TestChat } from './chat.ts'

/** Converts a frame for a copy with its own message. */
const named = (frame: LedgerEvent['frame'], n: number) =>
  'message_id' in frame ? { ...frame, message_id: `${frame.message_id}-${n}` } : frame

/** The number of events of each turn of a seeded thread. */
export const SEEDED_EVENTS = 4

/** Creates a thread with a number of turns, each a copy of one real turn, and returns its id. */
export async function seedThread(
  { server, createThread, connect, fake }: TestChat,
  turns: number,
): Promise<string> {
  const threads = server.db.collection<ThreadDocument>('threads')
  const messages = server.db.collection<MessageDocument>('messages')
  const events = server.db.collection<LedgerEvent>('events')

  const thread_id = await createThread()
  const socket = await connect()
  // The number of events of words that come one by one depends on their times.
  fake.next({ text: ['a message of the past'] })
  const { frames } = await socket.ask({ thread_id, text: 'a message of the past' })
  socket.close()
  const size = frames.length
  if (size !== SEEDED_EVENTS) throw new Error(`a turn has ${size} events`)
  const said = await messages.find({ thread_id }).sort({ position: 1 }).toArray()
  const written = await events
    .find({ _id: { $gt: eventId(thread_id, 0), $lte: eventId(thread_id, size) } })
    .toArray()

  const copies = Array.from({ length: turns - 1 }, (_, index) => index + 1)
  await messages.insertMany(
    copies.flatMap((n) =>
      said.map((message) => ({
        ...message,
        _id: `${message._id}-${n}`,
        turn_id: `${message.turn_id}-${n}`,
        position: message.position + n * size,
      })),
    ),
  )
  await events.insertMany(
    copies.flatMap(
      (n) =>
        written.map((event) => ({
          ...event,
          _id: eventId(thread_id, seqOf(event) + n * size),
          turn_id: `${event.turn_id}-${n}`,
          frame: named(event.frame, n),
        })) as LedgerEvent[],
    ),
  )
  await threads.updateOne({ _id: thread_id }, { $set: { last_seq: turns * size } })
  return thread_id
}
