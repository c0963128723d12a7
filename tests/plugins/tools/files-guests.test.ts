import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { openPromise } from 'yauzl'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { createHold, startChat } from '../../support/chat.ts'
import type { TestReply } from '../../support/server.ts'

// Asynchronous, as a blocking call would make connections look idle.
const run = promisify(execFile)
const chat = await startChat(t)
const { agent_id, fake, server } = chat
const workspace = join(server.home, 'agents', agent_id)
await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
await writeFile(join(workspace, 'owner.txt'), 'of the owner')
await mkdir(join(workspace, 'private'))
await writeFile(join(workspace, 'private/plan.txt'), 'of the owner')

const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })
const admin = server.admin
type Person = { token: string }

const files = `/agents/${agent_id}/files`
const call = (who: Person, method: string, path: string, body?: unknown) =>
  server.request(method, `${files}${path}`, { token: who.token, body })
const get = (who: Person, path: string) => call(who, 'GET', `/content?path=${encodeURIComponent(path)}`)
const list = async (who: Person, query = 'recursive=true'): Promise<string[]> => {
  const { status, body } = await call(who, 'GET', `?${query}`)
  return status === 200 ? body.map(({ path }: { path: string }) => path) : [`${status}`]
}
const linkTo = (who: Person, path: string, expires_in_seconds = 60) =>
  call(who, 'POST', '/link', { path, expires_in_seconds })
const open = async (url: string) => {
  const response = await fetch(`${server.url}${url}`)
  return { status: response.status, text: await response.text(), headers: response.headers }
}
async function upload(who: Person, filename: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob(['sent']), filename)
  const { body } = await server.request('POST', `/agents/${agent_id}/upload`, {
    token: who.token,
    body: form,
  })
  return body.path
}
/** A turn in which the agent writes a file. */
async function haveWritten(who: Person, path: string, thread_id?: string) {
  const socket = await chat.connect({ token: who.token })
  const toolCalls = [{ id: 'call_1', name: 'write_file', arguments: { path, content: 'made' } }]
  fake.next({ toolCalls }, { text: 'done' })
  return socket.ask({ text: 'write', ...(thread_id && { thread_id }) })
}
const withoutId = ({ status, body }: TestReply) => ({ status, error: { ...body.error, request_id: '' } })

t.test(
  'A guest reads what their own threads have made and what they have sent, and nothing else',
  async (t) => {
    t.strictSame(await list(ann), [], 'before anything was said')
    await haveWritten(ann, 'reports/für Ann.md')
    await haveWritten(admin, 'reports/owners.md')
    const sent = await upload(ann, 'question.txt')
    const theirs = await upload(ben, 'of ben.txt')

    t.match(await get(ann, 'reports/für Ann.md'), { status: 200, body: 'made' })
    t.match(await get(ann, `/${sent}`), { status: 200, body: 'sent' })
    t.strictSame(await list(ann), ['inbound', sent, 'reports', 'reports/für Ann.md'])
    t.strictSame(await list(ann, ''), ['inbound', 'reports'])
    t.strictSame(await list(ann, 'path=reports'), ['reports/für Ann.md'])
    t.strictSame(await list(ben), ['inbound', theirs])
    t.ok((await list(admin)).includes('private/plan.txt'))

    const missing = withoutId(await get(ann, 'nothing/there.txt'))
    t.match(missing, { status: 404, error: { code: 'NOT_FOUND' } })
    const hidden = [
      'owner.txt',
      'private/plan.txt',
      'reports/owners.md',
      theirs,
      'private',
      '../x',
      'AGENTS.md',
      'reports',
    ]
    for (const path of hidden) {
      t.strictSame(withoutId(await get(ann, path)), missing, `content of ${path}`)
      t.strictSame(withoutId(await linkTo(ann, path)), missing, `link to ${path}`)
      t.strictSame(withoutId(await call(ann, 'GET', `/archive?path=${path}`)), missing, `archive of ${path}`)
    }
    for (const path of ['private', 'nowhere', '..', 'private/plan.txt'])
      t.strictSame(withoutId(await call(ann, 'GET', `?path=${path}`)), missing, `list of ${path}`)
    for (const [method, path, body] of [
      ['PUT', `/content?path=${encodeURIComponent(sent)}`, 'x'],
      ['DELETE', `?path=${encodeURIComponent(sent)}`],
      ['POST', '/move', { from: sent, to: 'x' }],
      ['POST', '/directories', { path: 'x' }],
    ] as const)
      t.match(
        await call(ann, method, path, body),
        { status: 403, body: { error: { code: 'FORBIDDEN' } } },
        method,
      )
  },
)

t.test('Naming a file in a message does not make it readable', async (t) => {
  const socket = await chat.connect({ token: ben.token })
  fake.next({ text: 'I see.' })
  const block = { type: 'file', path: 'owner.txt', filename: 'owner.txt', media_type: 'text/plain' }
  await socket.ask({ content: [{ type: 'text', text: 'look' }, block] })
  t.match(await get(ben, 'owner.txt'), { status: 404 })
  t.notOk((await list(ben)).includes('owner.txt'))
})

t.test('A file is readable while its turn still runs, and after the thread has forgotten it', async (t) => {
  const { hold, release } = createHold()
  const socket = await chat.connect({ token: ben.token })
  const toolCalls = [{ id: 'call_1', name: 'write_file', arguments: { path: 'early.md', content: 'made' } }]
  fake.next({ toolCalls }, { text: 'done', hold })
  const sent = socket.say({ text: 'write' })
  const { path } = await socket.until(({ type }) => type === 'attachment')
  t.match(await get(ben, path), { status: 200, body: 'made' })
  t.ok((await list(ben)).includes('early.md'))
  release()
  const { thread_id } = await socket.seeTurn(sent)

  const { threads } = server.server.runtime.cradleOf('chat').collections
  await threads.updateOne({ _id: thread_id }, { $set: { artifacts: [] } })
  t.match(await get(ben, 'early.md'), { status: 200 }, 'its message names it')
  const { body: fork } = await chat.threads('POST', `/${thread_id}/fork`, {
    token: ben.token,
    body: { assistant_turns_from_end: 1 },
  })
  t.match(await chat.threads('DELETE', `/${thread_id}`, { token: ben.token }), { status: 204 })
  t.match(await get(ben, 'early.md'), { status: 200 }, 'a copy of the thread goes on naming it')
  await chat.threads('DELETE', `/${fork.thread_id}`, { token: ben.token })
  t.match(await get(ben, 'early.md'), { status: 404 }, 'nothing of theirs names it any more')
})

t.test('A guest may not read another file under the name of their former file', async (t) => {
  const sent = await upload(ben, 'mine.txt')
  const moved = await upload(ben, 'moved.txt')
  await call(admin, 'PUT', `/content?path=${sent}`, 'of the owner')
  t.match(await get(ben, sent), { status: 404 })
  await call(admin, 'POST', '/move', { from: moved, to: 'inbound/elsewhere.txt' })
  await call(admin, 'PUT', `/content?path=${moved}`, 'of the owner')
  t.match(await get(ben, moved), { status: 404 })
  const removed = await upload(ben, 'removed.txt')
  await call(admin, 'POST', '/directories', { path: 'inbound2' })
  await call(admin, 'DELETE', `?path=inbound&recursive=true`)
  await mkdir(join(workspace, 'inbound'))
  await writeFile(join(workspace, removed), 'of the owner')
  t.match(await get(ben, removed), { status: 404 })

  await haveWritten(ben, 'box.txt')
  await rm(join(workspace, 'box.txt'))
  await symlink('owner.txt', join(workspace, 'box.txt'))
  t.match(await get(ben, 'box.txt'), { status: 404 }, 'a link in its place shows nothing else')
})

t.test('A link opens one file for everybody while its creator may read the file', async (t) => {
  await writeFile(join(workspace, 'linked.png'), 'picture')
  const made = await linkTo(admin, '/linked.png', 120)
  t.match(made, { status: 201, body: { url: /^\/api\/agents\/\w+\/files\/linked\?token=[\w.-]+$/ } })
  t.ok(Math.abs(made.body.expires_at - Date.now() / 1000 - 120) < 60)
  const { url } = made.body
  t.match(await open(url), { status: 200, text: 'picture' })
  t.match((await open(`${url}&inline=1`)).headers.get('content-disposition'), /^inline/)
  const part = await fetch(`${server.url}${url}`, { headers: { range: 'bytes=0-2' } })
  t.strictSame([part.status, await part.text()], [206, 'pic'])

  const invalid = { status: 403, text: /LINK_INVALID/ }
  const token = new URL(url, server.url).searchParams.get('token')!
  const other = (await server.request('POST', '/agents', { body: { name: 'other' } })).body
  for (const forged of [
    url.replace(token, `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`),
    url.replace(token, 'v1.a.b.c'),
    url.replace(token, 'x'),
    url.replace(agent_id, other.id),
    url.replace(token, server.server.runtime.cradleOf('workspace').secrets.seal('"linked.png"', 'else')),
  ])
    t.match(await open(forged), invalid, forged.slice(0, 80))
  t.match(await open(url.replace(/\?.*/, '')), { status: 422 })
  for (const seconds of [59, 3601]) t.match(await linkTo(admin, 'linked.png', seconds), { status: 422 })
  t.match(await linkTo(admin, 'nothing'), { status: 404 })
  t.match(await linkTo(admin, 'private'), { status: 409 })

  await haveWritten(ann, 'anns.md')
  const hers = (await linkTo(ann, 'anns.md')).body.url
  t.match(await open(hers), { status: 200, text: 'made' })
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: false } })
  t.match(await open(hers), { status: 404 }, 'an agent that is no longer shared with her')
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
  await server.request('PATCH', '/users/ann', { body: { enabled: false } })
  t.match(await open(hers), invalid, 'an account that is off')
  await server.request('PATCH', '/users/ann', { body: { enabled: true } })
  t.match(await open(hers), { status: 200 })

  const { fileLinks } = server.server.runtime.cradleOf('workspace')
  const facts = { agent_id, user_id: 'nobody', path: 'linked.png', expires_at: 4e9 }
  t.match(await open(fileLinks.make(facts)), invalid, 'an account that has gone')
  t.match(
    await open(fileLinks.make({ ...facts, expires_at: Math.floor(Date.now() / 1000) })),
    invalid,
    'expired',
  )
  await rm(join(workspace, 'linked.png'))
  t.match(await open(url), { status: 404 }, 'the file has gone')
  await server.request('PUT', `/agents/${other.id}/files/content?path=a.txt`, { body: 'a' })
  const { body } = await server.request('POST', `/agents/${other.id}/files/link`, {
    body: { path: 'a.txt', expires_in_seconds: 60 },
  })
  t.match(await open(body.url), { status: 200 })
  await server.request('DELETE', `/agents/${other.id}`)
  t.match(await open(body.url), { status: 404 }, 'the agent has gone')
})

t.test('A folder is packed without links', { skip: onlyLong }, async (t) => {
  const folder = join(workspace, 'pack me')
  await mkdir(join(folder, 'empty'), { recursive: true })
  await mkdir(join(folder, '内'))
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7 + (n >> 8)) & 0xff))
  await writeFile(join(folder, '内/数据.bin'), bytes)
  await writeFile(join(folder, 'nothing.txt'), '')
  await writeFile(join(folder, 'a\\b.txt'), 'backslash')
  await symlink(join(server.home, 'secret.key'), join(folder, 'key'))
  await symlink(server.home, join(folder, 'home'))
  const packed = t.testdir()
  const fetchZip = async (path: string) => {
    const response = await fetch(`${server.url}/api${files}/archive?path=${encodeURIComponent(path)}`, {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    const zip = join(packed, 'archive.zip')
    await writeFile(zip, Buffer.from(await response.arrayBuffer()))
    return { zip, headers: response.headers }
  }
  const { zip, headers } = await fetchZip('pack me')
  t.equal(headers.get('content-type'), 'application/zip')
  t.equal(headers.get('content-disposition'), 'attachment; filename="pack me.zip"')
  const contents: Record<string, Buffer> = {}
  await readZip(zip, contents)
  t.strictSame(Object.keys(contents).sort(), ['a_b.txt', 'nothing.txt', '内/数据.bin'].sort())
  t.ok(contents['内/数据.bin']!.equals(bytes))
  t.equal(contents['nothing.txt']!.length, 0)
  const whole: Record<string, Buffer> = {}
  await readZip((await fetchZip('')).zip, whole)
  t.ok(Object.keys(whole).includes('pack me/nothing.txt'))
  t.match(await call(admin, 'GET', '/archive?path=owner.txt'), { status: 409 })
  t.match(await call(admin, 'GET', '/archive?path=nowhere'), { status: 404 })

  await mkdir(join(workspace, 'crowd'))
  await run('sh', ['-c', 'seq 0 10000 | xargs touch'], { cwd: join(workspace, 'crowd') })
  t.match(await call(admin, 'GET', '/archive?path=crowd'), {
    status: 413,
    body: { error: { code: 'ARCHIVE_TOO_LARGE' } },
  })
  await rm(join(workspace, 'crowd'), { recursive: true })
})

/** Reads every file of an archive with the library for users' archives, and checks its checksums. */
async function readZip(path: string, contents: Record<string, Buffer>): Promise<void> {
  const zip = await openPromise(path)
  for await (const entry of zip.eachEntry()) {
    const pieces: Buffer[] = []
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
    const bytes = Buffer.concat(pieces)
    if (crc32(bytes) !== entry.crc32) throw new Error(`the sum of ${entry.fileName} is wrong`)
    contents[entry.fileName] = bytes
  }
  zip.close()
}

t.test('Uploads of a guest are forgotten with the guest, and with the agent', async (t) => {
  const uploads = server.db.collection('guest_uploads')
  const cal = await server.createUser({ username: 'cal' })
  await upload(cal, 'last.txt')
  t.equal(await uploads.countDocuments({ user_id: cal.id }), 1)
  await server.request('DELETE', '/users/cal')
  t.equal(await uploads.countDocuments({ user_id: cal.id }), 0)
  await upload(ben, 'last.txt')
  await server.request('DELETE', `/agents/${agent_id}`)
  t.equal(await uploads.countDocuments({}), 0)
  t.equal(await readFile(workspace, 'utf8').catch(({ code }) => code), 'ENOENT')
})
