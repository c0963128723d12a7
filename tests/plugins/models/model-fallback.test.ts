import { randomUUID } from 'node:crypto'
import t from '../../run/file-test.ts'
import { MODEL, startChat } from '../../support/chat.ts'

const chat = await startChat(t)
const { fake, server } = chat

const RATE_LIMITED = { status: 429, headers: { 'retry-after': '3600' } }

/** The messages of the last request, without the system prompt. */
const sent = () => fake.requests.at(-1)!.body.messages.slice(1) as unknown as Record<string, unknown>[]

const ask = async (text: string, more: object = {}) => {
  const socket = await chat.connect()
  const turn = await socket.ask({ content: [{ type: 'text', text }], ...more })
  socket.close()
  return turn
}

const setFallbacks = (fallback_models: string[]) =>
  server.request('PATCH', `/agents/${chat.agent_id}`, { body: { config: { fallback_models } } })

/** Adds a provider with two models; returns the reference of the first one, whose entry has these fields. */
async function addSpare(fields: object = {}): Promise<string> {
  const { body: providers } = await server.request('GET', '/admin/providers')
  const { base_url, kind } = providers.find((row: { name: string }) => MODEL.startsWith(row.name))
  const name = `spare${randomUUID().slice(0, 4)}`
  const models = [{ id: 's', ...fields }, { id: 'last' }]
  await server.request('POST', '/admin/providers', { body: { name, kind, base_url, api_key: 'x', models } })
  return `${name}:s`
}

async function uploadPicture(): Promise<object> {
  const form = new FormData()
  form.append('file', new Blob([Buffer.from('89504e470d0a1a0a', 'hex')]), 'picture.png')
  const { body } = await server.request('POST', `/agents/${chat.agent_id}/upload`, { body: form })
  return { type: 'image', path: body.path, filename: body.filename, media_type: body.media_type }
}

t.test('A fallback receives nothing that only the first model takes back, in each step', async (t) => {
  const spare = await addSpare()
  const call = { name: 'ls', arguments: {} }
  fake.next({ reasoning: ['Old.'], toolCalls: [{ ...call, id: 'functions.ls:0' }] }, { text: 'one' })
  const { thread_id } = await ask('first')
  await setFallbacks([spare])
  fake.next(
    { reasoning: ['Mine.'], toolCalls: [{ ...call, id: 'functions.ls:1' }] },
    RATE_LIMITED,
    { reasoning: ['Spare.'], toolCalls: [{ ...call, id: 'functions.ls:2' }] },
    { text: 'two' },
  )
  const { end } = await ask('second', { thread_id })
  t.match(end, { type: 'done' })
  const answers = sent().filter(({ tool_calls }) => tool_calls) as {
    reasoning_content?: string
    tool_calls: { id: string }[]
  }[]
  t.strictSame(
    answers.map(({ reasoning_content }) => reasoning_content),
    [undefined, undefined, 'Spare.'],
  )
  t.strictSame(
    sent().flatMap(({ tool_call_id }) => tool_call_id ?? []),
    answers.map(({ tool_calls: [one] }) => one!.id),
  )
  await setFallbacks([])
})

t.test(
  'A turn that paused continues with its fallback, without the thoughts of the first model',
  async (t) => {
    const spare = await addSpare()
    await setFallbacks([spare])
    fake.next(
      { reasoning: ['Mine.'], toolCalls: [{ id: 'a', name: 'ls', arguments: {} }] },
      RATE_LIMITED,
      {
        reasoning: ['Spare.'],
        toolCalls: [{ id: 'b', name: 'write_file', arguments: { path: 'p.txt', content: 'x' } }],
      },
      { text: 'written' },
    )
    const socket = await chat.connect()
    const { end } = await socket.ask({ text: 'write' }, ({ action_requests }) =>
      action_requests.map(() => ({ type: 'approve' })),
    )
    socket.close()
    t.match(end, { type: 'done' })
    t.strictSame(
      sent().flatMap(({ tool_calls, reasoning_content = null }) => (tool_calls ? [reasoning_content] : [])),
      [null, 'Spare.'],
    )
    await setFallbacks([])
  },
)

t.test('A fallback that does not see pictures is asked without them', async (t) => {
  const spare = await addSpare({ input: ['text'] })
  await setFallbacks([spare])
  fake.next(RATE_LIMITED, { text: 'I see nothing.' })
  const { frames, end } = await ask('look', {
    content: [{ type: 'text', text: 'look' }, await uploadPicture()],
  })
  t.match(end, { type: 'done' })
  t.strictSame(
    frames.flatMap(({ type, code }) => (type === 'notice' ? [code] : [])),
    ['MODEL_FALLBACK', 'PICTURES_NOT_SEEN'],
  )
  t.notMatch(JSON.stringify(sent()), /image_url/)
  await setFallbacks([])
})

t.test('A fallback that did not answer is not asked again after a pause', async (t) => {
  const spare = await addSpare()
  await setFallbacks([spare, spare.replace(':s', ':last')])
  const write = { id: 'b', name: 'write_file', arguments: { path: 'q.txt', content: 'x' } }
  fake.next(RATE_LIMITED, RATE_LIMITED, { toolCalls: [write] }, RATE_LIMITED)
  const calls = fake.requests.length
  const socket = await chat.connect()
  const { end } = await socket.ask({ text: 'write' }, ({ action_requests }) =>
    action_requests.map(() => ({ type: 'approve' })),
  )
  socket.close()
  t.match(end, { type: 'error', code: 'MODEL_RATE_LIMITED' })
  t.equal(fake.requests.length, calls + 4)
  await setFallbacks([])
})

t.test('Tasks whose calls fail at once move on to one fallback', async (t) => {
  const spare = await addSpare()
  await setFallbacks([spare, spare.replace(':s', ':last')])
  const task = { name: 'task', arguments: { instruction: 'look' } }
  fake.next({
    toolCalls: [
      { id: 'a', ...task },
      { id: 'b', ...task },
    ],
  })
  fake.script(({ body }) => (body.model === 's' ? { text: 'seen' } : RATE_LIMITED))
  const { frames, end } = await ask('both')
  t.match(end, { type: 'done' })
  t.equal(frames.filter(({ type, code }) => type === 'notice' && code === 'MODEL_FALLBACK').length, 1)
  await setFallbacks([])
})
