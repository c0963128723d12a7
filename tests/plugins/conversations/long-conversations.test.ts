import { randomUUID } from 'node:crypto'
import { definePlugin } from '#plugin-api'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import t, { type Test } from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { startChat, textOf } from '../../support/chat.ts'
import { type Chance, createChance } from '../../support/random.ts'

/** The output of the next call of the tool `probe`. */
let output = ''
const probe = {
  name: 'probe',
  label: { en: 'Probe', zh: '探测' },
  description: 'Returns a text.',
  disableable: true,
  input_schema: { type: 'object', properties: {} } as const,
  execute: () => output,
}
const probePlugin = definePlugin({
  name: 'probe',
  summary: 'A tool that returns what a test chooses',
  kernel: 1,
  depends: ['agents'],
  setup(host) {
    host.extend('agents.lent_tools', async () => ({ tools: [probe], always: [], never: [] }))
  },
})

const chat = await startChat(t, { given: [probePlugin], config: { plugins: { probe: { required: true } } } })
const { fake, server } = chat
const seed = chooseSeed(57)

/** The share of a window, in characters, that the history may fill. */
const toRoom = (window: number) => window * 3 * 0.6

const WORD = /[qat]\d{4}x\d{5}/g
const WORD_CHARS = 12

/** Returns a text of about so many characters, each word of which occurs nowhere else. */
const wordsOf = (mark: string, turn: number, chars: number): string =>
  Array.from(
    { length: Math.max(1, Math.ceil(chars / WORD_CHARS)) },
    (_, index) => `${mark}${String(turn).padStart(4, '0')}x${String(index).padStart(5, '0')}`,
  ).join(' ')

/** Divides a text into a few deltas. */
const toDeltas = (text: string): string[] => text.match(/.{1,4000}/gs) ?? []

type Sent = (typeof fake.requests)[number]['body']

const isSummary = ({ messages }: Sent) => String(messages.at(-1)?.content).includes('<conversation>')
/** The part of a conversation that a request for a summary shows. */
const readPiece = ({ messages }: Sent): string =>
  /<conversation>\n(.*)\n<\/conversation>/s.exec(String(messages.at(-1)!.content))![1]!
const listWords = (text: string) => text.match(WORD) ?? []

/** Makes a model with this window the agent's. */
async function useWindow(window: number | undefined): Promise<void> {
  const name = `w${randomUUID().slice(0, 6)}`
  const models = [{ id: 'm', ...(window && { context_window: window, max_output_tokens: 1000 }) }]
  const provider = { name, kind: 'openai-compatible', base_url: fake.url, api_key: 'x', models }
  const created = await server.request('POST', '/admin/providers', { body: provider })
  const changed = await server.request('PUT', '/models/active', { body: { model: `${name}:m` } })
  if (created.status !== 201 || changed.status !== 200)
    throw new Error(JSON.stringify([created.body, changed.body]))
}

/** A conversation whose every word is accounted for. */
async function converse(t: Test) {
  const thread_id = await chat.createThread()
  const socket = await chat.connect()
  t.teardown(() => socket.close())
  /** The words of people and answers so far, and those that a summary has read. */
  const said: string[] = []
  const read = new Set<string>()
  const summaries: string[] = []
  let turn = 0
  let summaryCount = 0

  const answerWith =
    (steps: Script[]) =>
    ({ body }: { body: Sent }): Script => {
      if (!isSummary(body)) return steps.shift() ?? { text: 'Nothing is left.' }
      summaryCount += 1
      summaries.push(`summary number ${summaryCount}.`)
      return { text: summaries.at(-1)! }
    }

  return {
    summaries,
    /**
     * Takes a turn, and returns its requests and the older words that were neither before the model nor in what has been
     * summarized.
     */
    async take({
      question,
      answer,
      outputs = [],
      refuse = () => undefined,
    }: {
      question: number
      answer: number
      /** The lengths of the outputs of calls before the answer. */
      outputs?: number[]
      refuse?(body: Sent): Script | undefined
    }) {
      const text = wordsOf('q', turn, question)
      const reply = wordsOf('a', turn, answer)
      output = wordsOf('t', turn, outputs[0] ?? 1)
      turn += 1
      const calls = outputs.map((): Script => ({ toolCalls: [{ name: 'probe', arguments: {} }] }))
      const answers = answerWith([...calls, { text: toDeltas(reply) }])
      const first = fake.requests.length
      fake.script((request) => refuse(request.body) ?? answers(request))
      const { end, frames } = await socket.ask({ thread_id, text })
      const requests = fake.requests.slice(first).map(({ body }) => body)
      // A piece that was refused has not been read.
      const pieces = requests.filter((body) => isSummary(body) && !refuse(body)).map(readPiece)
      for (const word of listWords(pieces.join(''))) read.add(word)
      const answered = requests.findLast((body) => !isSummary(body))
      const shown = new Set(listWords(JSON.stringify(answered?.messages)))
      const unread = said.filter((word) => !shown.has(word) && !read.has(word))
      if (end.type === 'done') said.push(...listWords(text), ...listWords(reply))
      return { end, frames, requests, shown, unread, text, reply }
    },
  }
}

/** The length of a text: mostly short, sometimes a large part of what fits. */
const lengthOf = ({ int, chance }: Chance, room: number) =>
  chance(0.2) ? int(room / 8, room / 3) : int(1, Math.floor(room / 20))

for (const window of [8192, 32_768, 131_072])
  t.test(
    `a window of ${window} tokens: nothing is left out before it is summarized (seed ${seed})`,
    async (t) => {
      await useWindow(window)
      const chance = createChance(seed + window)
      const room = toRoom(window)
      const conversation = await converse(t)
      let summed = 0
      for (let turn = 0; turn < amount({ short: 24, long: 150 }); turn += 1) {
        const taken = await conversation.take({
          question: lengthOf(chance, room),
          answer: lengthOf(chance, room),
          outputs: chance.chance(0.3) ? [chance.int(1, Math.floor(room / 6))] : [],
        })
        t.match(taken.end, { type: 'done' }, `turn ${turn} ends`)
        t.strictSame(taken.unread.slice(0, 5), [], `turn ${turn} has all that was said before it`)
        t.equal(textOf(taken.frames), taken.reply)
        summed += taken.requests.filter(isSummary).length
        for (const body of taken.requests)
          t.ok(JSON.stringify(body.messages).length < window * 3 * 1.1, 'and is no longer than the window')
      }
      t.ok(summed > 1, `${summed} summaries were made`)
    },
  )

t.test('a new message that fills the window does not push out what nobody has read', async (t) => {
  await useWindow(8192)
  const room = toRoom(8192)
  const conversation = await converse(t)
  for (let turn = 0; turn < 4; turn += 1)
    await conversation.take({ question: room * 0.1, answer: room * 0.1 })
  const { end, unread } = await conversation.take({ question: room * 0.6, answer: 100 })
  t.match(end, { type: 'done' })
  t.strictSame(unread.slice(0, 5), [])
})

t.test('old outputs of tools are left out before anything is summarized', async (t) => {
  await useWindow(8192)
  const room = toRoom(8192)
  const conversation = await converse(t)
  for (let turn = 0; turn < 12; turn += 1) {
    const taken = await conversation.take({ question: 200, answer: 200, outputs: [room * 0.3] })
    t.match(taken.end, { type: 'done' })
    t.strictSame(taken.unread, [])
    t.equal(taken.requests.filter(isSummary).length, 0, `turn ${turn} needs no summary`)
    const outputs = [...taken.shown].filter((word) => word.startsWith('t'))
    t.ok(
      outputs.some((word) => Number(word.slice(1, 5)) === turn),
      'the output of the running turn is whole',
    )
    if (turn > 4) t.notOk(outputs.some((word) => Number(word.slice(1, 5)) < turn - 3))
  }
})

t.test('a thread that was written with a larger window is summarized whole for a smaller one', async (t) => {
  await useWindow(131_072)
  const conversation = await converse(t)
  for (let turn = 0; turn < 10; turn += 1) await conversation.take({ question: 9000, answer: 9000 })
  await useWindow(8192)
  const { end, unread, requests } = await conversation.take({ question: 100, answer: 100 })
  t.match(end, { type: 'done' })
  t.strictSame(unread.slice(0, 5), [])
  const summing = requests.filter(isSummary)
  t.ok(summing.length > 10)
  for (const [index, { messages }] of summing.entries())
    if (index > 0)
      t.match(String(messages.at(-1)!.content), conversation.summaries[index - 1], 'each has the one before')
})

t.test('a request for a summary that is too long is made again in smaller pieces', async (t) => {
  await useWindow(131_072)
  const most = 30_000
  const refuse = (body: Sent): Script | undefined =>
    isSummary(body) && JSON.stringify(body.messages).length > most
      ? { status: 400, error: { code: 'context_length_exceeded', message: 'Too long.' } }
      : undefined
  const conversation = await converse(t)
  for (let turn = 0; turn < 12; turn += 1) await conversation.take({ question: 12_000, answer: 12_000 })
  const { end, unread } = await conversation.take({ question: 100, answer: 100, refuse })
  t.match(end, { type: 'done' })
  t.strictSame(unread.slice(0, 5), [])
})
