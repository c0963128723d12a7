import t from '../../run/file-test.ts'
import { MODEL, startChat } from '../../support/chat.ts'
import { createFakeAnthropic } from '../../support/fake-anthropic.ts'
import { BUDGET_MODEL } from '../../support/fake-anthropic-rules.ts'
import { createFakeGoogle } from '../../support/fake-google.ts'
import { fakeTool, startFakeMcp } from '../../support/fake-mcp.ts'

const mcp = await startFakeMcp()
t.teardown(() => mcp.close())
mcp.tools = [fakeTool('look', { annotations: { readOnlyHint: true } }), fakeTool('touch')]
const chat = await startChat(t, { config: { plugins: { connectors: { allow_hosts: ['127.0.0.1'] } } } })
const { server, fake, agent_id } = chat
const socket = await chat.connect()
const { id } = await server.call('POST', '/connectors', {
  name: 'eye',
  kind: 'mcp',
  config: { url: mcp.url },
})
await server.call('PUT', `/agents/${agent_id}/connectors`, {
  connectors: [{ id, tools: { look: { approval: 'allow' } } }],
})

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const image = { type: 'image', data: pixel, mimeType: 'image/png' }
const show = (...content: object[]) => {
  mcp.onCall = async () => ({ content })
}
const call = (number: number, name = 'eye__look') => ({ id: `call_${number}`, name, arguments: {} })

type Message = { role: string; content: unknown }
const lastMessages = () => fake.requests.at(-1)!.body.messages as unknown as Message[]
const picturesIn = ({ content }: Message) =>
  Array.isArray(content)
    ? content.filter(({ type }) => type === 'image_url').map(({ image_url }) => image_url.url)
    : []
const shown = () => lastMessages().flatMap(picturesIn)
const picture = `data:image/png;base64,${pixel}`

t.test('A model sees the pictures of results, after all results of its calls', async (t) => {
  show({ type: 'text', text: 'It is here:' }, image)
  fake.next({ toolCalls: [call(1), call(2)] }, { text: 'I see.' }, { text: 'Later.' })
  const { thread_id, end, frames } = await socket.ask({ text: 'Look twice' })
  t.equal(end.type, 'done')
  const results = lastMessages().slice(-4)
  t.strictSame(
    results.map(({ role }) => role),
    ['assistant', 'tool', 'tool', 'user'],
  )
  t.match(results[1]!.content, /^It is here:\n\[file: inbound\/look.*\.png\]$/)
  t.strictSame(picturesIn(results[3]!), [picture, picture])
  t.strictSame(shown().length, 2)
  const attachments = frames.filter(({ type }) => type === 'attachment')
  for (const { path } of attachments)
    t.ok(JSON.stringify(results[3]).includes(`[image in the workspace: ${path}]`))
  t.notOk('for_model' in attachments[0]!, 'it is no part of the frame')

  await socket.ask({ thread_id, text: 'And now?' })
  t.strictSame(shown(), [], 'the next turn does not repeat them')
  t.match(JSON.stringify(lastMessages()), /\[file: inbound/)
})

t.test('A long turn shows the newest pictures', async (t) => {
  show(image)
  const steps = [1, 2, 3, 4, 5, 6]
  fake.next(...steps.map((step) => ({ toolCalls: [call(step)] })), { text: 'ok' })
  await socket.ask({ text: 'Look often' })
  t.equal(shown().length, 4)
  const last = lastMessages().filter(({ role }) => role === 'user')
  t.strictSame(
    last.slice(-6).map((message) => picturesIn(message).length),
    [0, 0, 1, 1, 1, 1],
  )
})

t.test('A turn that paused shows the pictures from before as well', async (t) => {
  show(image)
  fake.next({ toolCalls: [call(1), call(2, 'eye__touch')] }, { text: 'ok' })
  const requestCount = fake.requests.length
  await socket.ask({ text: 'Look and touch' }, () => [{ type: 'approve' }])
  t.equal(fake.requests.length, requestCount + 2)
  t.strictSame(shown(), [picture, picture])
})

t.test('Other files, sound and broken pictures are only named', async (t) => {
  show(
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'a://b', blob: 'AAAA', mimeType: 'application/pdf' } },
  )
  fake.next({ toolCalls: [call(1)] }, { text: 'ok' })
  await socket.ask({ text: 'Look' })
  t.strictSame(lastMessages().at(-1)!.role, 'tool')
})

t.test('A model that takes no pictures reads their paths, also after a refusal', async (t) => {
  const setInput = async (input: string[] | undefined) => {
    const providers = await server.call('GET', '/admin/providers')
    const provider = providers.find(({ name }: { name: string }) => `${name}:m` === MODEL)
    await server.call('PATCH', `/admin/providers/${provider.id}`, { models: [{ id: 'm', name: 'M', input }] })
  }
  show(image)
  await setInput(['text'])
  fake.next({ toolCalls: [call(1)] }, { text: 'ok' })
  await socket.ask({ text: 'Look' })
  t.equal(lastMessages().at(-1)!.role, 'tool')
  t.match(lastMessages().at(-1)!.content, /^\[file: inbound/)

  await setInput(undefined)
  const refusal = { status: 400, error: { message: 'This model does not support image input.' } }
  fake.next({ toolCalls: [call(1)] }, refusal, { text: 'ok' })
  const { end, frames } = await socket.ask({ text: 'Look' })
  t.equal(end.type, 'done')
  t.strictSame(shown(), [])
  t.match(
    frames.filter(({ type }) => type === 'notice'),
    [{ code: 'PICTURES_NOT_SEEN' }],
  )
  fake.next({ toolCalls: [call(1)] }, { text: 'ok' })
  await socket.ask({ text: 'Look' })
  t.equal(lastMessages().at(-1)!.role, 'tool', 'the refusal is remembered')
})

t.test('Claude and Gemini see them, too', async (t) => {
  show({ type: 'text', text: 'Here.' }, image)
  const vendors = [
    {
      kind: 'anthropic',
      model: BUDGET_MODEL,
      upstream: await createFakeAnthropic({ apiKey: 'a-key' }),
      pictures: (body: { messages: { content: { type: string; source?: { data: string } }[] }[] }) =>
        body.messages.at(-1)!.content.flatMap(({ type, source }) => (type === 'image' ? [source!.data] : [])),
    },
    {
      kind: 'google',
      model: 'gemini-2.5-flash',
      upstream: await createFakeGoogle({ key: 'a-key' }),
      pictures: (body: { contents: { parts: { inlineData?: { data: string } }[] }[] }) =>
        body.contents.at(-1)!.parts.flatMap(({ inlineData }) => (inlineData ? [inlineData.data] : [])),
    },
  ]
  for (const { kind, model, upstream, pictures } of vendors) {
    t.teardown(() => upstream.close())
    await server.call('POST', '/admin/providers', {
      ...{ name: kind, kind, base_url: upstream.url, api_key: 'a-key', models: [{ id: model }] },
    })
    upstream.queue({ toolCalls: [{ id: 'toolu_1', name: 'eye__look', input: {} }] }, { text: ['ok'] })
    const { end } = await socket.ask({ text: 'Look', model: `${kind}:${model}` })
    t.match(end, { type: 'done' }, kind)
    t.strictSame(pictures(upstream.requests.at(-1)!.body), [pixel], kind)
  }
})
