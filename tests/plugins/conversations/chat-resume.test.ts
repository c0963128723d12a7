import t from '../../run/file-test.ts'
import { isLong } from '../../run/tier.ts'
import { type ChatSocket, createHold, range, startChat } from '../../support/chat.ts'
import type { TestFrame } from '../../support/socket.ts'

const chat = await startChat(t)
const { fake, createThread } = chat

const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n} 😀 `)
const file = (path: string) => ({ name: 'write_file', arguments: { path, content: 'x' } })
/** Scripts of a turn with every type of frame, and with pauses so that its text is not merged. */
const wholeTurn = () => [
  {
    reasoning: words(4),
    text: words(10),
    toolCalls: [file('a.txt'), { name: 'ls', arguments: {} }],
    delayMs: 2,
  },
  { text: words(4), toolCalls: [{ name: 'no_such_tool', arguments: {} }], delayMs: 2 },
  { reasoning: words(3), text: words(10), delayMs: 2 },
]

/** Converts frames to text, so that the order of fields counts as well. */
const texts = (frames: readonly TestFrame[]) => frames.map((frame) => JSON.stringify(frame))
const hasSeq =
  (thread_id: string, seq: number) =>
  (frame: TestFrame): boolean =>
    frame.thread_id === thread_id && frame.seq === seq

/** Reads the frames that a new connection receives after a seq, up to the turn's end. */
async function readBehind(thread_id: string, after: number, end: number): Promise<TestFrame[]> {
  const socket = await chat.connect()
  await socket.subscribe(thread_id, after)
  if (after < end) await socket.until(hasSeq(thread_id, end))
  await socket.settle()
  socket.close()
  return socket.of(thread_id)
}

/** The places of cuts that are tested: all, or in `npm test` every third one. */
const cutsOf = (seqs: number[]) => seqs.filter((seq) => isLong || seq % 3 === 0)

t.test('After a cut at any frame of a finished turn, the rest is sent and nothing else', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  await socket.ask({ thread_id, text: 'before' })
  fake.next(...wholeTurn())
  const { end } = await socket.ask({ thread_id, text: 'go' })
  const all = socket.of(thread_id)
  t.strictSame(
    all.map(({ seq }) => seq),
    range(1, end.seq),
  )
  t.ok(end.seq > 15)
  t.equal(new Set(all.map(({ type }) => type)).size, 8, 'every type of frame of a turn is among them')
  for (const after of cutsOf(range(0, end.seq)))
    t.strictSame(
      texts(await readBehind(thread_id, after, end.seq)),
      texts(all.slice(after)),
      `after ${after}`,
    )
  t.strictSame(await readBehind(thread_id, end.seq + 100, end.seq), [], 'behind the end there is nothing')
})

t.test('After a cut at any frame of a running turn, the rest is sent and nothing else', async (t) => {
  const thread_id = await createThread()
  const speaker = await chat.connect()
  const reader = async (cut: number) => {
    const cutSocket = await chat.connect()
    await cutSocket.subscribe(thread_id)
    return { cutSocket, cut }
  }
  const readers = await Promise.all(cutsOf(range(1, 30)).map(reader))
  /** Cuts a connection right after a frame and continues with another one. */
  const resume = async ({ cutSocket, cut }: { cutSocket: ChatSocket; cut: number }) => {
    // On a slow machine texts merge, so there may be fewer frames.
    await cutSocket.until((frame) => hasSeq(thread_id, cut)(frame) || frame.type === 'done')
    cutSocket.webSocket.terminate()
    const last = cutSocket.of(thread_id).at(-1)!
    const after = await chat.connect()
    await after.subscribe(thread_id, last.seq)
    if (last.type !== 'done') await after.until(({ type }) => type === 'done')
    return { cut, frames: [...cutSocket.of(thread_id), ...after.of(thread_id)] }
  }
  const resumed = readers.map(resume)
  fake.next(...wholeTurn())
  const { frames } = await speaker.ask({ thread_id, text: 'go' })
  for (const { cut, frames: seen } of await Promise.all(resumed))
    t.strictSame(texts(seen), texts(frames), `cut at ${cut}`)
})

t.test(
  'While the upstream is held, subscriptions can begin at any seq, and all continue from there',
  async (t) => {
    const thread_id = await createThread()
    const speaker = await chat.connect()
    const { hold, release } = createHold()
    fake.next({ reasoning: words(3), text: words(20), delayMs: 2, hold, holdAfter: 15 })
    const sent = speaker.say({ thread_id, text: 'go' })
    await speaker.until(({ content }) => content?.includes('word11'))
    await speaker.settle()
    const shown = speaker.of(thread_id)
    const last_seq = shown.length
    const { turn_id } = shown[0]!
    const readers = []
    for (const after of range(0, last_seq)) {
      const socket = await chat.connect()
      t.strictSame(await socket.subscribe(thread_id, after), {
        type: 'turn_status',
        thread_id,
        active: true,
        turn_id,
        last_seq,
        paused: false,
        queued: [],
      })
      if (after < last_seq) await socket.until(hasSeq(thread_id, last_seq))
      t.strictSame(texts(socket.of(thread_id)), texts(shown.slice(after)))
      readers.push({ after, socket })
    }
    release()
    const { frames, end } = await speaker.seeTurn(sent)
    for (const { after, socket } of readers) {
      await socket.until(({ seq }) => seq === end.seq)
      t.strictSame(texts(socket.of(thread_id)), texts(frames.slice(after)), `subscribed behind ${after}`)
    }
  },
)

t.test('Without after_seq a subscription begins where the streaming turn does, or at the end', async (t) => {
  const thread_id = await createThread()
  const speaker = await chat.connect()
  const first = await speaker.ask({ thread_id, text: 'one' })
  const reader = await chat.connect()
  t.strictSame(await reader.subscribe(thread_id), {
    type: 'turn_status',
    thread_id,
    active: false,
    last_seq: first.end.seq,
    paused: false,
    queued: [],
  })
  const { hold, release } = createHold()
  fake.next({ text: ['a', 'b'], hold, holdAfter: 1 })
  const sent = speaker.say({ thread_id, text: 'two' })
  await speaker.until(({ content }) => content === 'a')
  const late = await chat.connect()
  t.match(await late.subscribe(thread_id), { active: true, last_seq: first.end.seq + 2 })
  release()
  const second = await speaker.seeTurn(sent)
  for (const socket of [reader, late]) {
    await socket.seeTurn(sent)
    t.strictSame(texts(socket.of(thread_id)), texts(second.frames))
  }
})

t.test(
  'A connection that subscribes again receives what it asked for, and live frames only once',
  async (t) => {
    const thread_id = await createThread()
    const socket = await chat.connect()
    const first = await socket.ask({ thread_id, text: 'one two three' })
    const frameCount = socket.frames.length
    for (const after of [0, 2, 0]) await socket.subscribe(thread_id, after)
    const second = await socket.ask({ thread_id, text: 'four' })
    const since = socket.frames.slice(frameCount).filter(({ seq }) => seq !== undefined)
    const lastPass = since.slice(since.findLastIndex(({ seq }) => seq === 1))
    t.strictSame(texts(lastPass), texts([...first.frames, ...second.frames]))
  },
)

t.test('One connection reads several threads, each in its own order', async (t) => {
  const socket = await chat.connect()
  const made = await Promise.all(range(1, 6).map(() => createThread()))
  const sent = made.map((thread_id, n) => socket.say({ thread_id, text: `a b c d e ${n}` }))
  await Promise.all(sent.map((id) => socket.seeTurn(id)))
  for (const thread_id of made) {
    const seqs = socket.of(thread_id).map(({ seq }) => seq)
    t.strictSame(seqs, range(1, seqs.length))
  }
})

t.test(
  'A reader that receives an event while its thread is checked is not taken for one of a removed thread',
  async (t) => {
    const thread_id = await createThread()
    const speaker = await chat.connect()
    fake.next({ text: ['hello'] })
    const { end } = await speaker.seeTurn(speaker.say({ thread_id, text: 'go' }))
    const { ledger } = chat.server.server.runtime.cradleOf('chat')
    let position = end.seq
    const reader = {
      thread_id,
      get position() {
        return position
      },
    }
    const missing = ledger.listMissing([reader])
    position = end.seq + 1
    t.strictSame(await missing, [])
    t.strictSame(await ledger.listMissing([reader]), [reader])
  },
)
