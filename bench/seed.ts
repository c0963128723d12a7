import type { Db } from 'mongodb'
import { monotonicFactory } from 'ulid'

const batchSize = 5000
const newId = monotonicFactory()

/** Fills an empty thread with `count` complete messages, alternately by user and assistant, one second apart. */
export async function seedThread(
  db: Db,
  { thread_id, count }: { thread_id: string; count: number },
): Promise<void> {
  const messages = db.collection<{ _id: string }>('messages')
  const oldest = Date.now() - count * 1000
  let turnId = ''
  for (let done = 0; done < count; done += batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, count - done) }, (_, index) => {
      const position = done + index + 1
      const asked = position % 2 === 1
      if (asked) turnId = `trn_${newId()}`
      return {
        _id: `msg_${newId()}`,
        thread_id,
        position,
        role: asked ? 'user' : 'assistant',
        content: [{ type: 'text', text: `Message ${position}: ${'a few words of chat '.repeat(10)}` }],
        timestamp: oldest + position * 1000,
        turn_id: turnId,
        status: 'complete',
      }
    })
    await messages.insertMany(batch, { ordered: false })
  }
  await db.collection<{ _id: string }>('threads').updateOne({ _id: thread_id }, { $set: { last_seq: count } })
}
