import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { MODEL, startChat, textOf } from '../../support/chat.ts'

const chat = await startChat(t)
const { fake, server } = chat
const workspace = join(server.home, 'agents', chat.agent_id)

const png = Buffer.from('89504e470d0a1a0a', 'hex')
const jpeg = Buffer.from('ffd8ffe0', 'hex')
const webp = Buffer.from('RIFF\n\n\r\nWEBPVP8 ', 'latin1')

async function upload(filename: string, bytes: Buffer): Promise<object> {
  const form = new FormData()
  form.append('file', new Blob([bytes]), filename)
  const { body } = await server.request('POST', `/agents/${chat.agent_id}/upload`, { body: form })
  return { type: 'image', path: body.path, filename: body.filename, media_type: body.media_type }
}

const setInput = async (input: string[] | undefined) => {
  const { body: providers } = await server.request('GET', '/admin/providers')
  const { id } = providers.find(({ name }: { name: string }) => `${name}:m` === MODEL)
  await server.request('PATCH', `/admin/providers/${id}`, {
    body: { models: [{ id: 'm', name: 'M', input }] },
  })
}

/** The images in the last request, as data URLs cut after their type. */
const shown = () =>
  fake.requests
    .at(-1)!
    .body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === 'image_url')
    .map(({ image_url }) => (image_url as { url: string }).url.split(';')[0])

const turnWith = async (blocks: object[], thread_id?: string) => {
  const socket = await chat.connect()
  const turn = await socket.ask({ thread_id, content: [{ type: 'text', text: 'What is this?' }, ...blocks] })
  socket.close()
  t.equal(turn.end.type, 'done')
  const notices = turn.frames.filter(({ type }) => type === 'notice')
  return { thread_id: turn.thread_id, notices, reply: textOf(turn.frames) }
}
const ask = async (blocks: object[], thread_id?: string) => (await turnWith(blocks, thread_id)).thread_id

t.test('A model that accepts images receives those that the user sends', async (t) => {
  const pictures = [await upload('a.png', png), await upload('b.jpg', jpeg), await upload('c.webp', webp)]
  const all = ['data:image/png', 'data:image/jpeg', 'data:image/webp']
  await ask(pictures)
  t.strictSame(shown(), all, 'so does one of which it is not known')

  await setInput(['text'])
  const blind = await turnWith(pictures)
  t.strictSame(shown(), [])
  t.match(JSON.stringify(fake.requests.at(-1)!.body.messages), /\[image in the workspace: inbound\/a\.png\]/)
  t.match(blind.notices, [{ code: 'PICTURES_NOT_SEEN', details: { model: MODEL } }], 'the person knows it')

  await setInput(['text', 'image'])
  const thread_id = await ask(pictures)
  t.strictSame(shown(), all)
  t.match(
    JSON.stringify(fake.requests.at(-1)!.body.messages),
    /inbound\/a\.png/,
    'the path is sent as well, for tools',
  )
  await ask([], thread_id)
  t.equal(shown().length, 3, 'they are shown again while the conversation goes on')
  const more = await Promise.all(['d', 'e'].map((name) => upload(`${name}.png`, png)))
  await ask(more, thread_id)
  t.strictSame(
    shown(),
    ['data:image/jpeg', 'data:image/webp', 'data:image/png', 'data:image/png'],
    'the newest four',
  )
})

t.test('A file that is not an image, too large, missing or outside is only named', async (t) => {
  const outside = join(server.home, 'outside.png')
  await writeFile(outside, png)
  await symlink(outside, join(workspace, 'link.png'))
  const image = (path: string) => ({ type: 'image', path, filename: 'x.png', media_type: 'image/png' })
  const large = await upload('large.png', Buffer.concat([png, Buffer.alloc(4 * 1024 * 1024)]))
  const { notices, thread_id } = await turnWith([await upload('text.png', Buffer.from('no picture')), large])
  t.strictSame(shown(), [])
  t.match(notices, [
    { code: 'PICTURE_TOO_LARGE', message: /^large\.png exceeds the 4\.0 MiB limit/ },
    { code: 'PICTURE_UNREADABLE', message: /^text\.png cannot be read/ },
  ])
  const { body: history } = await chat.threads('GET', `/${thread_id}/history`)
  t.match(history.messages.at(-1).notices, [{ code: 'PICTURE_TOO_LARGE' }, { code: 'PICTURE_UNREADABLE' }])
  const missing = await turnWith([
    image('gone.png'),
    image('link.png'),
    image('../../outside.png'),
    image(outside),
  ])
  t.strictSame(shown(), [])
  t.equal(missing.notices.length, 4)
})

t.test('A refused picture is left out, and the model is remembered to take none', async (t) => {
  await setInput(['text', 'image'])
  const picture = await upload('r.png', png)
  const learned = async () => {
    const { body } = await server.request('GET', '/admin/providers', { headers: { 'accept-language': 'zh' } })
    return body.find(({ name }: { name: string }) => `${name}:m` === MODEL)
  }
  const refuse = (message: string) => fake.next({ status: 400, error: { message } })

  refuse('Image exceeds 5 MB maximum')
  const damaged = await turnWith([picture])
  t.match(damaged.notices, [{ code: 'PICTURES_NOT_SEEN' }])
  t.strictSame((await learned()).learned, [], 'the refusal of one picture says nothing of others')

  const requestCount = fake.requests.length
  refuse('unknown variant `image_url`, expected `text`')
  const refused = await turnWith([picture])
  t.equal(fake.requests.length, requestCount + 2, 'the call is repeated once')
  t.match(refused.notices, [{ code: 'PICTURES_NOT_SEEN' }])
  t.match((await learned()).learned, [
    { model: 'm', changes: [{ name: 'without_pictures', label: '不发送图片' }] },
  ])

  const listed = async () =>
    (await server.request('GET', '/models')).body.find((row: { id: string }) => row.id === MODEL)
  t.strictSame((await listed()).input, ['text'], 'the list of models says so, too')

  const later = await turnWith([picture])
  t.equal(fake.requests.length, requestCount + 3, 'later ones are not sent')
  t.match(later.notices, [{ code: 'PICTURES_NOT_SEEN' }])

  const { id } = await learned()
  const patch = (body: object) => server.request('PATCH', `/admin/providers/${id}`, { body })
  t.strictSame((await patch({ learned: [] })).body.learned, [])
  await ask([picture])
  t.strictSame(shown(), ['data:image/png'], 'until it is forgotten')

  refuse('This model does not support image input')
  await ask([picture])
  await setInput(['text', 'image'])
  t.strictSame((await learned()).learned, [], 'an entry by hand wins')
  t.equal((await patch({ learned: [{}] })).status, 422)
})
