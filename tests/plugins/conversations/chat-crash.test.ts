import { setTimeout as pause } from 'node:timers/promises'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import t, { type Test } from '../../run/file-test.ts'
import { amount, chooseSeed, isLong } from '../../run/tier.ts'
import { type ChatSocket, range, textOf } from '../../support/chat.ts'
import { createRandom } from '../../support/random.ts'
import { createHome } from '../../support/server.ts'
import type { TestFrame } from '../../support/socket.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { startCrashService } from './crash-service.ts'

/** Several servers are killed side by side, so that one starts while another one works. */
const SERVERS = amount({ short: 1, long: 2 })
/** The kills of each server; a change to the ledger deserves more. */
const CRASHES = amount({ short: 1, long: 30 })
const THREADS = 3
/** The messages that are sent to a thread at once: all but the first are queued. */
const PIPELINED = 3
const seed = chooseSeed(17)

/** A client of a server that is killed and restarted all the time. */
async function createClient(t: Test) {
  // In the long tier each home has an engine of its own, which outlives the server that started it.
  const home = createHome(t, isLong ? {} : { database: { url: await createDatabaseUrl(t) } })
  const service = await startCrashService(t, home)
  return {
    ...service,
    /** Waits until no turn runs or is queued in a thread. */
    async untilIdle(thread_id: string) {
      for (;;) {
        const { turn_active, queued } = await service.call('GET', `/threads/${thread_id}/history?limit=1`)
        if (!turn_active && queued.length === 0) return
        await pause(20)
      }
    },
  }
}

/** Collects frames as they came over the wire, by thread and seq; throws if a frame comes twice and differs. */
function createWitness() {
  const threads = new Map<string, Map<number, string>>()
  return {
    threads,
    listen(socket: ChatSocket) {
      socket.webSocket.on('message', (data) => {
        const text = data.toString()
        const { thread_id, seq, type } = JSON.parse(text) as TestFrame
        if (seq === undefined || type === 'turn_status') return
        const seen = threads.get(thread_id) ?? new Map()
        threads.set(thread_id, seen)
        if ((seen.get(seq) ?? text) !== text)
          throw new Error(`seq ${seq} was ${seen.get(seq)} and is ${text}`)
        seen.set(seq, text)
      })
    },
  }
}

/** Describes the faults of a thread's ledger and history. */
async function findFaults(
  { call, connect }: Awaited<ReturnType<typeof createClient>>,
  thread_id: string,
  witnessed: ReadonlyMap<number, string>,
): Promise<string[]> {
  const socket = await connect()
  const replayed: string[] = []
  socket.webSocket.on('message', (data) => {
    const text = data.toString()
    if (text.includes('"seq":')) replayed.push(text)
  })
  const { active, last_seq } = await socket.subscribe(thread_id, 0)
  if (last_seq > 0) await socket.until(({ seq }) => seq === last_seq)
  socket.close()
  const faults: string[] = []
  if (active) faults.push('its turn is still active')
  const frames = socket.of(thread_id)
  if (frames.some(({ seq }, index) => seq !== index + 1)) faults.push('its seqs have gaps')
  for (const [seq, text] of witnessed)
    if (replayed[seq - 1] !== text) faults.push(`seq ${seq} was ${text} and is ${replayed[seq - 1]}`)

  const { messages, turn_active } = await call('GET', `/threads/${thread_id}/history?limit=200`)
  if (turn_active) faults.push('its history is active')
  const turns = new Map<string, TestFrame[]>()
  for (const frame of frames) turns.set(frame.turn_id, [...(turns.get(frame.turn_id) ?? []), frame])
  for (const [turn_id, of] of [...turns].slice(-40)) {
    const [first, last] = [of[0]!, of.at(-1)!]
    const replies = messages.filter(
      (message: { turn_id: string; role: string }) =>
        message.turn_id === turn_id && message.role === 'assistant',
    )
    const text = replies.flatMap(({ content }: { content: { text?: string }[] }) =>
      content.map((b) => b.text ?? ''),
    )
    const ends = of.filter(({ type }) => type === 'done' || type === 'error')
    if (first.type !== 'turn_started') faults.push(`${turn_id} begins with ${first.type}`)
    if (ends.length !== 1 || ends[0] !== last) faults.push(`${turn_id} has ${ends.length} ends`)
    if (last.type === 'error' && last.code !== 'TURN_INTERRUPTED') faults.push(`${turn_id}: ${last.code}`)
    if (!messages.some(({ id }: { id: string }) => id === first.message_id))
      faults.push(`${turn_id} lost its message`)
    if (text.join('') !== textOf(of)) faults.push(`${turn_id}: "${text.join('')}" is not "${textOf(of)}"`)
    if (replies.at(-1)?.status !== (last.type === 'error' ? 'failed' : 'complete'))
      faults.push(`${turn_id} is ${replies.at(-1)?.status}`)
  }
  return faults.map((fault) => `${thread_id}: ${fault}`.slice(0, 500))
}

t.jobs = SERVERS
const title = `Killed ${CRASHES} times, a server loses nothing that a client has seen, seed ${seed}`
for (const number of range(1, SERVERS))
  t.test(`${title} (${number})`, { buffered: true }, (t) => killOften(t, seed + number))

async function killOften(t: Test, seed: number): Promise<void> {
  const random = createRandom(seed)
  const client = await createClient(t)
  const { fake } = client
  const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n} 😀`)
  fake.script(({ body }): Script => {
    const isStep = body.messages.at(-1)?.role === 'tool'
    const toolCalls = [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }]
    if (!isStep && random() < 0.3) return { text: words(3), toolCalls, delayMs: 1 }
    return {
      reasoning: words(2),
      text: words(3 + Math.floor(random() * 20)),
      delayMs: Math.floor(random() * 3),
    }
  })
  const made: string[] = []
  for (const _ of range(1, THREADS)) made.push((await client.call('POST', '/threads')).thread_id)
  const witness = createWitness()
  /** The messages of each thread without any reaction so far: they are sent again. */
  const unsure = new Map<string, string[]>(made.map((thread_id) => [thread_id, []]))
  let messages = 0

  for (const crash of range(1, CRASHES)) {
    const socket = await client.connect()
    witness.listen(socket)
    const talk = async (thread_id: string) => {
      const waiting = unsure.get(thread_id)!
      for (;;) {
        while (waiting.length < PIPELINED) waiting.push(`m${messages++}`)
        const sent = [...waiting]
        for (const client_message_id of sent)
          socket.say({ thread_id, client_message_id, text: `say ${client_message_id}` })
        for (const client_message_id of sent) {
          await socket.until((frame) => frame.client_message_id === client_message_id)
          waiting.shift()
        }
        for (const client_message_id of sent) await socket.seeTurn(client_message_id)
      }
    }
    const talks = Promise.allSettled(made.map(talk))
    const enough = 1 + Math.floor(random() * 120)
    await socket.until(() => socket.frames.length >= enough)
    for (let n = Math.floor(random() * 4); n > 0; n -= 1) await new Promise(setImmediate)
    await client.kill()
    const ends = await talks
    await socket.closed
    for (const end of ends) if (end.status === 'rejected') t.match(end.reason, /socket is closed/)
    await client.start({ isLast: crash === CRASHES })
    for (const thread_id of made) await client.untilIdle(thread_id)
    const faults = await Promise.all(
      made.map((thread_id) => findFaults(client, thread_id, witness.threads.get(thread_id) ?? new Map())),
    )
    t.strictSame(faults.flat(), [])
  }

  const socket = await client.connect()
  const started: string[] = []
  for (const thread_id of made) {
    const { last_seq } = await socket.subscribe(thread_id, 0)
    await socket.until((frame) => frame.thread_id === thread_id && frame.seq === last_seq)
    const inOrder = socket
      .of(thread_id)
      .flatMap(({ type, client_message_id }) =>
        type === 'turn_started' ? [client_message_id as string] : [],
      )
    const places = inOrder.map((id) => Number(id.slice(1)))
    t.strictSame(
      places,
      [...places].sort((a, b) => a - b),
      'messages begin their turns in their order',
    )
    started.push(...inOrder)
  }
  t.comment(
    `${started.length} turns, ${[...witness.threads.values()].reduce((sum, { size }) => sum + size, 0)} frames`,
  )
  t.equal(new Set(started).size, started.length, 'no message began two turns')
  const missing = range(0, messages - 1).map((n) => `m${n}`)
  t.strictSame(
    missing.filter((id) => !started.includes(id) && ![...unsure.values()].flat().includes(id)),
    [],
    'and none that was seen to begin, or to wait, is missing',
  )
}
