import { PIXEL } from '../../../plugin-api/testing/media-samples.ts'
import t from '../../run/file-test.ts'
import { startChat, textOf } from '../../support/chat.ts'
import { answerJson, MEDIA_MODELS, startFakeMedia, useMedia } from '../../support/fake-media.ts'

const chat = await startChat(t)
const { server, fake, agent_id } = chat
const media = await startFakeMedia(t)
const socket = await chat.connect()

const draw = (args: object) => ({ toolCalls: [{ id: 'call_1', name: 'generate_image', arguments: args }] })
const toolNames = () =>
  ((fake.requests.at(-1)!.body.tools ?? []) as { function: { name: string } }[]).map(
    ({ function: tool }) => tool.name,
  )

/** Has the agent draw, and returns what the reader saw and the model received. */
async function ask(args: object, token?: string) {
  fake.next(draw(args), { text: 'Here it is.' })
  const reader = token ? await chat.connect({ token }) : socket
  const { frames, end } = await reader.ask({ text: 'Draw something' })
  const attachments = frames.filter(({ type }) => type === 'attachment')
  const result = frames.find(({ type }) => type === 'tool_result')
  return { end, attachments, result: result?.output as string, is_error: result?.is_error, frames }
}
const readFile = (path: string, token?: string) =>
  fetch(`${server.url}/api/agents/${agent_id}/files/content?path=${encodeURIComponent(path)}`, {
    headers: { authorization: `Bearer ${token ?? server.admin.token}` },
  })

t.test('no agent has the tool while no image model is chosen', async (t) => {
  await socket.ask({ text: 'hello' })
  t.notOk(toolNames().includes('generate_image'))
  await useMedia(server, media.url)
  await socket.ask({ text: 'hello' })
  t.ok(toolNames().includes('generate_image'), 'agents have it from the next turn on')
})

t.test('a picture is drawn, saved under a name of its own, and shown', async (t) => {
  const prompt = 'A red bicycle: in the rain, at night!'
  const first = await ask({ prompt, size: '1024x1024' })
  t.match(media.requests.at(-1), {
    path: '/images/generations',
    fields: { model: 'draw', prompt, size: '1024x1024', n: 1 },
  })
  const path = 'inbound/a-red-bicycle-in-the-rain-at-night.png'
  t.match(first.attachments, [{ path, media_type: 'image/png' }])
  t.equal(first.result, `The user sees the picture. It is saved as "${path}".`)
  t.equal(textOf(first.frames), 'Here it is.')
  t.equal(Buffer.from(await (await readFile(path)).arrayBuffer()).toString('base64'), PIXEL)
  t.match(JSON.stringify(fake.requests.at(-1)!.body.messages), /image_url/, 'the model sees it, too')

  const second = await ask({ prompt })
  t.match(second.attachments, [{ path: 'inbound/a-red-bicycle-in-the-rain-at-night-2.png' }])
  t.notOk('size' in media.requests.at(-1)!.fields, 'the model chooses the size')
  t.match((await ask({ prompt: '画一只猫' })).attachments, [{ path: 'inbound/画一只猫.png' }])
  t.match((await ask({ prompt: '../../etc/passwd' })).attachments, [{ path: 'inbound/etc-passwd.png' }])
  t.match((await ask({ prompt: '!!!' })).attachments, [{ path: 'inbound/picture.png' }])
})

t.test('a picture of the workspace is changed, and nothing else is read', async (t) => {
  const path = 'inbound/画一只猫.png'
  const { attachments } = await ask({ prompt: 'Make it blue', input_path: path })
  t.match(attachments, [{ path: 'inbound/make-it-blue.png' }])
  const request = media.requests.at(-1)!
  t.equal(request.path, '/images/edits')
  t.equal(Buffer.from(request.fields.image.bytes).toString('base64'), PIXEL)

  const count = media.requests.length
  const upload = new FormData()
  upload.set('file', new File(['no picture'], 'words.png', { type: 'image/png' }))
  const headers = { authorization: `Bearer ${server.admin.token}` }
  await fetch(`${server.url}/api/agents/${agent_id}/upload`, { method: 'POST', headers, body: upload })
  const refusals: [input_path: string, words: RegExp][] = [
    ['inbound/words.png', /is not a PNG, JPEG, WebP or GIF picture/],
    ['inbound/missing.png', /cannot be read/],
    ['../../config.json', /cannot be read/],
    ['/etc/hostname', /cannot be read/],
  ]
  for (const [input_path, words] of refusals) {
    const { result, is_error } = await ask({ prompt: 'Make it blue', input_path })
    t.equal(is_error, true, input_path)
    t.match(result, words)
  }
  t.equal(media.requests.length, count, 'no upstream was asked')
})

t.test('bad arguments are refused before anything is paid for', async (t) => {
  const count = media.requests.length
  for (const args of [
    { prompt: '' },
    { prompt: ' \n' },
    { prompt: 'x'.repeat(8001) },
    { prompt: 'x', size: 'large' },
    { prompt: 'x', size: '0x10' },
    { prompt: 'x', size: '99999x10' },
    { size: '10x10' },
  ])
    t.equal((await ask(args)).is_error, true, JSON.stringify(args).slice(0, 40))
  t.equal(media.requests.length, count)
})

t.test('a failure of the upstream tells the model why', async (t) => {
  const error = { message: 'Your request was rejected by the safety system.', type: 'x', code: 'y' }
  media.answer(() => answerJson({ error }, 400))
  const refused = await ask({ prompt: 'Something forbidden' })
  t.match(refused, { is_error: true, result: /failed.*The provider says: .*safety system/ })
  media.answer(() => answerJson({ data: [{ b64_json: Buffer.from('no picture').toString('base64') }] }))
  t.match(await ask({ prompt: 'A picture' }), { is_error: true, result: /returned nothing usable/ })
  t.equal((await ask({ prompt: 'A picture' })).end.type, 'done', 'the turn continues')
  media.answer(() => undefined)
})

t.test('the owner of an agent switches the tool off, or has its calls approved', async (t) => {
  await server.call('PATCH', `/agents/${agent_id}/tool-settings/generate_image`, { enabled: false })
  await socket.ask({ text: 'hello' })
  t.notOk(toolNames().includes('generate_image'))
  await server.call('PATCH', `/agents/${agent_id}/tool-settings/generate_image`, { enabled: true })
  await server.call('PATCH', `/agents/${agent_id}`, { config: { tools_with_approval: ['generate_image'] } })
  const count = media.requests.length
  fake.next(draw({ prompt: 'A cat' }), { text: 'No cat.' })
  const { frames } = await socket.ask({ text: 'Draw' }, () => [{ type: 'reject' }])
  t.match(
    frames.find(({ type }) => type === 'tool_result'),
    { is_error: true },
  )
  t.equal(media.requests.length, count)
  await server.call('PATCH', `/agents/${agent_id}`, { config: {} })
})

t.test('a guest pays for the pictures that they ask for, and others do not see them', async (t) => {
  const [ann, bob] = [
    await server.createUser({ username: 'ann' }),
    await server.createUser({ username: 'bob' }),
  ]
  await server.call('PATCH', `/agents/${agent_id}`, { is_shared: true })
  const { attachments } = await ask({ prompt: 'A secret map' }, ann.token)
  const { path } = attachments[0]!
  t.equal((await readFile(path, ann.token)).status, 200)
  t.equal((await readFile(path, bob.token)).status, 404)
  const usage = await server.call('GET', '/usage/summary', undefined, ann.token)
  t.match(usage, { totals: { model_calls: 3 } }, 'two steps of the turn, and a picture')
})

t.test('when the model is taken away within a turn, the agent says whom to ask', async (t) => {
  media.answer(async () => {
    await server.call('PUT', '/models/defaults', { image: null })
    return undefined
  })
  fake.next(draw({ prompt: 'A cat' }), draw({ prompt: 'A dog' }), { text: 'Sorry.' })
  const { frames } = await socket.ask({ text: 'Draw' })
  t.match(
    frames.filter(({ type }) => type === 'tool_result'),
    [{ is_error: false }, { is_error: true, output: /An administrator can choose one/ }],
  )
  media.answer(() => undefined)
  await server.call('PUT', '/models/defaults', MEDIA_MODELS)
})
