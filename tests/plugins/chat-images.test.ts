import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from '../run/file-test.ts'
import { MODEL, startChat } from '../support/chat.ts'

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

const ask = async (blocks: object[], thread_id?: string) => {
  const socket = await chat.connect()
  const turn = await socket.ask({ thread_id, content: [{ type: 'text', text: 'What is this?' }, ...blocks] })
  socket.close()
  t.equal(turn.end.type, 'done')
  return turn.thread_id
}

t.test('A model that accepts images receives those that the user sends', async (t) => {
  const pictures = [await upload('a.png', png), await upload('b.jpg', jpeg), await upload('c.webp', webp)]
  await ask(pictures)
  t.strictSame(shown(), [], 'one of which that is not known is not')
  t.match(JSON.stringify(fake.requests.at(-1)!.body.messages), /\[image in the workspace: inbound\/a\.png\]/)

  await setInput(['text', 'image'])
  const thread_id = await ask(pictures)
  t.strictSame(shown(), ['data:image/png', 'data:image/jpeg', 'data:image/webp'])
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
  await ask([await upload('text.png', Buffer.from('no picture')), large])
  t.strictSame(shown(), [])
  await ask([image('gone.png'), image('link.png'), image('../../outside.png'), image(outside)])
  t.strictSame(shown(), [])
})
