import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyClientBulkWriteModel, type Document, MongoClient } from 'mongodb'
import type { WebSocket } from 'ws'
import { type Message, readAnswer, serveSockets } from './relay-parts.ts'

// The floor of the benchmarks: the relay with the fewest writes that make a turn durable, and nothing else. It leases
// the thread, stores the message and each text before it is sent, and ends with the answer, a row of usage and the
// thread. Its arguments are the base URL of the upstream and the address of the database engine.
const [, , upstreamUrl, engineUri] = process.argv
const client = await MongoClient.connect(engineUri!)

type Write = AnyClientBulkWriteModel<Document & { _id: string }>
/** As long as the shortest beat of the service. */
const BEAT_MS = 25

let waiting: Write[] = []
let commit: Promise<unknown> | undefined

/** Makes writes in the next command, which all turns share; one command is under way at a time. */
async function write(writes: Write[]): Promise<void> {
  waiting.push(...writes)
  await commit
  commit ??= send()
  await commit
}

async function send(): Promise<void> {
  const all = waiting
  waiting = []
  try {
    await client.bulkWrite<Record<string, Document & { _id: string }>>(all, { ordered: true })
  } finally {
    commit = undefined
  }
}

let beat: Promise<void> | undefined
const nextBeat = () => {
  beat ??= sleep(BEAT_MS).then(() => {
    beat = undefined
  })
  return beat
}

const insert = (collection: string, document: Document): Write => ({
  name: 'insertOne',
  namespace: `floor.${collection}`,
  document: { _id: randomUUID(), ...document },
})
const updateThread = (thread_id: string, update: Document): Write => ({
  name: 'updateOne',
  namespace: 'floor.threads',
  filter: { _id: thread_id },
  update,
  upsert: true,
})

async function answer(socket: WebSocket, { text, thread_id = randomUUID() }: Message): Promise<void> {
  const send = (frame: object) => socket.send(JSON.stringify({ thread_id, ...frame }))
  await write([
    updateThread(thread_id, { $set: { lease: randomUUID() } }),
    insert('messages', { thread_id, role: 'user', content: text }),
    insert('events', { thread_id, type: 'turn_started' }),
  ])
  let whole = ''
  let unsent = ''
  const flushes: Promise<void>[] = []
  const flush = async (pause: Promise<void> | undefined) => {
    await pause
    const content = unsent
    unsent = ''
    await write([insert('events', { thread_id, type: 'content', content })])
    send({ type: 'content', content })
  }
  await readAnswer(upstreamUrl!, text, (content) => {
    if (unsent === '') flushes.push(flush(whole === '' ? undefined : nextBeat()))
    whole += content
    unsent += content
  })
  await Promise.all(flushes)
  await write([
    insert('messages', { thread_id, role: 'assistant', content: whole }),
    insert('usage', { thread_id, tokens: whole.length }),
    insert('events', { thread_id, type: 'done' }),
    updateThread(thread_id, { $unset: { lease: 1 }, $set: { last_active: Date.now() } }),
  ])
  send({ type: 'done' })
}

await serveSockets(answer)
