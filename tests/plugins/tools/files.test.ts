import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { startServer, type TestReply } from '../../support/server.ts'
import { pathsIn, SECRET, startSwapping } from './workspace-calls.ts'

// Asynchronous, as a blocking call would make connections look idle.
const run = promisify(execFile)
const server = await startServer(t)
const { token } = server.admin
const outside = join(server.home, 'outside')
mkdirSync(outside)
await writeFile(join(outside, 'secret.txt'), SECRET)

let agents = 0
/** Creates an agent of the administrator with an empty workspace, and calls of its files. */
async function createAgent() {
  agents += 1
  const { body: agent } = await server.request('POST', '/agents', { body: { name: `agent-${agents}` } })
  const workspace = join(server.home, 'agents', agent.id)
  await mkdir(workspace, { recursive: true })
  const files = `/agents/${agent.id}/files`
  const q = (query: Record<string, string | number | boolean>) =>
    new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, `${files}${path}`, { body, headers })
  return {
    id: agent.id as string,
    workspace,
    call,
    list: (query: Parameters<typeof q>[0] = {}) => call('GET', `?${q(query)}`),
    put: (path: string, body: string, headers = {}) => call('PUT', `/content?${q({ path })}`, body, headers),
    remove: (path: string, more = {}) => call('DELETE', `?${q({ path, ...more })}`),
    move: (from: string, to: string, more = {}) => call('POST', '/move', { from, to, ...more }),
    /** Reads raw bytes. */
    async get(path: string, { query = {}, headers = {} }: { query?: object; headers?: object } = {}) {
      const response = await fetch(`${server.url}/api${files}/content?${q({ path, ...query })}`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      })
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, headers: response.headers, bytes, text: bytes.toString() }
    },
  }
}

const refusal = (status: number, code: string) => ({ status, body: { error: { code } } })

t.test('A file is written, read, replaced and deleted, with a name in any language', async (t) => {
  const { workspace, get, put, remove } = await createAgent()
  for (const path of [
    '报告/第一章.txt',
    'naïve café/Ünïcode.md',
    'a b & c=d #1?.txt',
    'العربية.txt',
    '🦊/fox.txt',
  ]) {
    const made = await put(path, `about ${path}`)
    t.match(
      made,
      { status: 201, body: { path, kind: 'file', size: Buffer.byteLength(`about ${path}`) } },
      path,
    )
    t.equal(await readFile(join(workspace, path), 'utf8'), `about ${path}`)
    const read = await get(path)
    t.strictSame([read.status, read.text], [200, `about ${path}`], path)
    t.equal(
      read.headers.get('etag'),
      made.headers.get('etag'),
      'one tag for what was written and what is read',
    )
    t.match(
      read.headers.get('content-disposition')!.replace(/filename="[^"]*"/, ''),
      new RegExp(`^attachment.*${/[^\x20-\x7e]/.test(path.split('/').at(-1)!) ? "filename\\*=UTF-8''" : ''}`),
    )
    const replaced = await put(`/${path}`, 'new')
    t.match(replaced, { status: 200, body: { path, size: 3 } }, 'a leading slash is ignored')
    t.not(replaced.headers.get('etag'), made.headers.get('etag'))
    t.equal((await remove(path)).status, 204)
    t.equal((await get(path)).status, 404)
    t.match(await remove(path), refusal(404, 'NOT_FOUND'))
  }
  t.match(await put('empty', ''), { status: 201, body: { size: 0 } })
  t.match(await get('empty'), { status: 200, text: '' })
})

t.test('Content that a browser might run is never shown inline', async (t) => {
  const { get, put } = await createAgent()
  const shown = {
    'a.png': 'image/png',
    'a.jpg': 'image/jpeg',
    'a.webp': 'image/webp',
    'a.pdf': 'application/pdf',
  }
  const alsoShown = {
    'a.txt': 'text/plain; charset=utf-8',
    'a.mp3': 'audio/mpeg',
    'a.ts': 'text/plain; charset=utf-8',
  }
  const saved = {
    'a.svg': 'image/svg+xml',
    'a.html': 'text/html; charset=utf-8',
    'a.xml': 'application/xml',
  }
  const alsoSaved = {
    'a.js': 'application/octet-stream',
    'a.mjs': 'application/octet-stream',
    'a.css': 'application/octet-stream',
    'a.wasm': 'application/octet-stream',
    html: 'application/octet-stream',
    'a.mp4': 'video/mp4',
  }
  for (const [path, type] of Object.entries({ ...shown, ...alsoShown, ...saved, ...alsoSaved })) {
    await put(path, '<script>alert(1)</script>')
    for (const inline of [false, true]) {
      const { headers } = await get(path, { query: { inline } })
      const isShown = inline && (path in shown || path in alsoShown)
      t.match(headers.get('content-disposition'), isShown ? /^inline;/ : /^attachment;/, `${path} ${inline}`)
      t.equal(headers.get('content-type'), type, path)
      t.equal(headers.get('x-content-type-options'), 'nosniff')
      t.equal(headers.get('content-security-policy'), 'sandbox')
    }
  }
})

t.test('Parts of a file are sent, and nothing to clients that have it', async (t) => {
  const { get, put } = await createAgent()
  const bytes = 'x'.repeat(100_000)
  const etag = (await put('large.bin', `head${bytes}tail`)).headers.get('etag')!
  const part = await get('large.bin', { headers: { range: 'bytes=-4' } })
  t.strictSame([part.status, part.text], [206, 'tail'])
  t.equal(part.headers.get('content-range'), 'bytes 100004-100007/100008')
  t.equal((await get('large.bin', { headers: { range: 'bytes=100008-' } })).status, 416)
  t.equal((await get('large.bin', { headers: { 'if-none-match': etag } })).status, 304)
  t.equal((await get('large.bin', { headers: { range: 'bytes=0-3', 'if-range': etag } })).text, 'head')
  await put('large.bin', `HEAD${bytes}TAIL`)
  const whole = await get('large.bin', { headers: { range: 'bytes=0-3', 'if-range': etag } })
  t.strictSame([whole.status, whole.bytes.length], [200, 100_008], 'a part of what it was no longer is')
  t.equal((await get('large.bin', { headers: { 'if-none-match': etag } })).status, 200)
})

t.test('A conditional request replaces only the known version of a file', async (t) => {
  const { workspace, get, put } = await createAgent()
  const failed = refusal(412, 'PRECONDITION_FAILED')
  t.match(await put('a', '1', { 'if-match': '*' }), failed, 'there is nothing yet')
  const first = await put('a', '1', { 'if-none-match': '*' })
  t.equal(first.status, 201)
  t.match(await put('a', '2', { 'if-none-match': '*' }), failed)
  const etag = first.headers.get('etag')!
  const second = await put('a', '2', { 'if-match': etag })
  t.equal(second.status, 200)
  t.match(await put('a', '3', { 'if-match': etag }), failed, 'a change of somebody else is not lost')
  t.match(await put('a', '3', { 'if-match': `W/${second.headers.get('etag')}` }), failed)
  t.match(await put('a', '3', { 'if-none-match': `W/${second.headers.get('etag')}` }), failed)
  t.equal((await put('a', '3', { 'if-match': `"x", ${second.headers.get('etag')}` })).status, 200)
  t.equal((await get('a')).text, '3')

  const made = await Promise.all(
    Array.from({ length: 8 }, (_, n) => put('new', `number ${n}`, { 'if-none-match': '*' })),
  )
  t.strictSame(
    made.map(({ status }) => status).sort(),
    [201, ...Array(7).fill(412)],
    'one of those who want it new makes it',
  )
  const together = await Promise.all(Array.from({ length: 8 }, (_, n) => put('b', `${n}`.repeat(100_000))))
  t.strictSame([...new Set(together.map(({ status }) => status))].sort(), [200, 201])
  t.match((await get('b')).text, /^(\d)\1{99999}$/, 'each is written as a whole')
  await chmod(join(workspace, 'b'), 0o640)
  await put('b', 'x')
  t.equal((await stat(join(workspace, 'b'))).mode & 0o777, 0o640, 'who may read it stays')
  t.match(await put('a', 'x', { 'content-range': 'bytes 0-0/5' }), refusal(409, 'FILE_UNUSABLE'))
  t.strictSame(await readdir(join(server.home, 'uploads')), [], 'nothing is left of what was refused')
})

t.test('A file of 20 MiB is accepted, and no larger one', { skip: onlyLong }, async (t) => {
  const { id, workspace } = await createAgent()
  const send = (size: number, chunked = false) =>
    fetch(`${server.url}/api/agents/${id}/files/content?path=large`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: chunked ? new Blob([new Uint8Array(size)]).stream() : new Uint8Array(size),
      ...(chunked && { duplex: 'half' }),
    } as RequestInit)
  const most = 20 * 1024 * 1024
  t.match(await (await send(most, true)).json(), { size: most })
  t.equal((await stat(join(workspace, 'large'))).size, most)
  t.equal((await send(most + 1)).status, 413)
  t.equal((await send(most + 1, true)).status, 413)
  t.strictSame(await readdir(join(server.home, 'uploads')), [])
})

t.test('A list has folders first and comes in pages', async (t) => {
  const { workspace, list } = await createAgent()
  for (const path of [
    'b/z/deep.txt',
    'b/a.txt',
    'a/x.txt',
    'A.txt',
    'empty/',
    'c.txt',
    'ü.txt',
    'b.txt',
    'a.b/y',
  ]) {
    await mkdir(join(workspace, path.endsWith('/') ? path : join(path, '..')), { recursive: true })
    if (!path.endsWith('/')) await writeFile(join(workspace, path), path)
  }
  await symlink(outside, join(workspace, 'folder-link'))
  await symlink(join(outside, 'secret.txt'), join(workspace, 'file-link'))
  await run('mkfifo', [join(workspace, 'pipe')])
  const pathsOf = ({ body }: TestReply) => body.map(({ path }: { path: string }) => path)

  const { status, body } = await list()
  t.equal(status, 200)
  t.strictSame(pathsOf({ body } as TestReply), ['a', 'a.b', 'b', 'empty', 'A.txt', 'b.txt', 'c.txt', 'ü.txt'])
  t.match(body[0], { kind: 'directory', size: null, media_type: null, updated_at: Number })
  t.match(body[5], { kind: 'file', size: 5, media_type: 'text/plain' })
  t.ok(Math.abs(body[5].updated_at - Date.now() / 1000) < 600)
  t.strictSame(pathsOf(await list({ path: '/b/' })), ['b/z', 'b/a.txt'])
  const all = [
    'a',
    'a/x.txt',
    'a.b',
    'a.b/y',
    'b',
    'b/z',
    'b/z/deep.txt',
    'b/a.txt',
    'empty',
    'A.txt',
    'b.txt',
    'c.txt',
    'ü.txt',
  ]
  t.strictSame(pathsOf(await list({ recursive: true })), all)

  const paged = async (query: object, limit: number) => {
    const seen: string[] = []
    let pages = 0
    for (
      let next: string | undefined = `?${new URLSearchParams({ ...query, limit: `${limit}` })}`;
      next;
      pages += 1
    ) {
      const page: TestReply = await list(Object.fromEntries(new URLSearchParams(next)))
      t.ok(page.body.length <= limit)
      seen.push(...pathsOf(page))
      next = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    }
    return { seen, pages }
  }
  for (const limit of [1, 2, 5])
    t.strictSame((await paged({ recursive: 'true' }, limit)).seen, all, `by ${limit}`)
  t.match(await paged({}, 4), { pages: 2 }, 'no empty page at the end')

  await mkdir(join(workspace, 'many'))
  const files = amount({ short: 450, long: 2100 })
  await run('sh', ['-c', `seq 0 ${files - 1} | xargs touch`], { cwd: join(workspace, 'many') })
  const many = Array.from({ length: files }, (_, n) => `many/${n}`).sort()
  const { seen, pages } = await paged({ path: 'many' }, 1000)
  t.strictSame([seen, pages], [many, Math.ceil(files / 200)], 'a page has at most 200')

  for (const cursor of [
    'x',
    Buffer.from('["d.."]').toString('base64url'),
    Buffer.from('[7]').toString('base64url'),
  ])
    t.match(await list({ recursive: true, cursor }), refusal(422, 'VALIDATION_FAILED'), cursor)
  t.match(await list({ path: 'nowhere' }), refusal(404, 'NOT_FOUND'))
  t.match(await list({ path: 'c.txt' }), refusal(409, 'FILE_UNUSABLE'))
  t.match(await list({ limit: 0 }), refusal(422, 'VALIDATION_FAILED'))
})

t.test('Files and folders are moved; folders are created, and deleted if they are empty', async (t) => {
  const { workspace, call, move, put, remove } = await createAgent()
  await put('a.txt', 'a')
  await put('b.txt', 'b')
  t.match(await move('a.txt', 'deep/down/c.png'), {
    status: 200,
    body: { path: 'deep/down/c.png', kind: 'file', size: 1, media_type: 'image/png' },
  })
  t.match(await move('a.txt', 'x'), refusal(404, 'NOT_FOUND'))
  t.match(await move('b.txt', 'deep/down/c.png'), refusal(409, 'FILE_EXISTS'))
  t.match(await move('b.txt', 'b.txt'), refusal(409, 'FILE_EXISTS'))
  t.equal((await move('b.txt', 'deep/down/c.png', { overwrite: true })).status, 200)
  t.equal(await readFile(join(workspace, 'deep/down/c.png'), 'utf8'), 'b')
  t.match(await move('deep', 'deep/inside/itself'), refusal(409, 'FILE_UNUSABLE'))
  t.match(await move('deep/down', 'up'), { status: 200, body: { path: 'up', kind: 'directory' } })

  const makeFolder = (path: string) => call('POST', '/directories', { path })
  t.match(await makeFolder('new/one'), { status: 201, body: { path: 'new/one', kind: 'directory' } })
  t.match(await makeFolder('new/one'), refusal(409, 'FILE_EXISTS'))
  t.match(await makeFolder('up/c.png/x'), refusal(409, 'FILE_UNUSABLE'))
  t.match(await move('up', 'new/one'), refusal(409, 'FILE_EXISTS'))
  t.equal((await move('up', 'new/one', { overwrite: true })).status, 200, 'an empty folder is replaced')
  t.equal((await makeFolder('up')).status, 201)
  t.match(await move('up', 'new/one', { overwrite: true }), refusal(409, 'DIRECTORY_NOT_EMPTY'))
  t.match(await move('up', 'new/one/c.png', { overwrite: true }), refusal(409, 'FILE_UNUSABLE'))

  t.match(await remove('new'), refusal(409, 'DIRECTORY_NOT_EMPTY'))
  t.equal((await remove('up')).status, 204)
  await writeFile(join(workspace, 'new/.hidden'), '')
  await symlink(outside, join(workspace, 'new/link'))
  t.equal((await remove('new', { recursive: true })).status, 204)
  t.strictSame(await pathsIn(workspace), ['deep'])
  t.strictSame(await readdir(outside), ['secret.txt'])
  for (const path of ['/', '.', 'deep/..'])
    t.match(
      await remove(path, { recursive: true }),
      refusal(409, 'FILE_UNUSABLE'),
      `${path} is the workspace`,
    )
  const deepest = Array.from({ length: 80 }, () => 'd').join('/')
  await mkdir(join(workspace, deepest), { recursive: true })
  t.equal((await remove('d', { recursive: true })).status, 204)
})

t.test('No path and no link leaves the workspace, for any call', async (t) => {
  const { workspace, call, get, list, move, put, remove } = await createAgent()
  await put('in.txt', 'inside')
  await symlink(outside, join(workspace, 'box'))
  await symlink(join(outside, 'secret.txt'), join(workspace, 'link.txt'))
  await symlink('in.txt', join(workspace, 'inner.txt'))
  await symlink('nowhere', join(workspace, 'broken'))
  const outs = ['../outside/secret.txt', '..', 'x/../../outside/secret.txt', 'box/secret.txt', 'link.txt']
  for (const path of outs) {
    const isLinkItself = path === 'link.txt'
    t.match((await get(path)).status, 422, `read ${path}`)
    t.match(await put(path, 'overwritten'), refusal(422, 'VALIDATION_FAILED'), `put ${path}`)
    t.match(await call('POST', '/link', { path, expires_in_seconds: 60 }), { status: 422 }, `link ${path}`)
    if (isLinkItself) continue
    t.match(await list({ path }), { status: 422 }, `list ${path}`)
    t.match(await remove(path, { recursive: true }), { status: 422 }, `delete ${path}`)
    t.match(await move(path, 'stolen'), { status: 422 }, `move ${path}`)
    t.match(await move('in.txt', path, { overwrite: true }), { status: 422 }, `move to ${path}`)
    t.match(await call('POST', '/directories', { path: `${path}/new` }), { status: 422 }, `make ${path}`)
    t.equal((await call('GET', `/archive?${new URLSearchParams({ path })}`)).status, 422, `pack ${path}`)
  }
  t.match(await put('a\u0000b', 'x'), refusal(422, 'VALIDATION_FAILED'))
  t.match(await get(outside), { status: 404 }, 'an absolute path is one of the workspace')
  t.equal((await get('inner.txt')).text, 'inside', 'a link within is followed')
  t.match(await put('inner.txt', 'changed'), { status: 200, body: { path: 'in.txt' } })
  t.match(await get('broken'), { status: 409 })
  t.match(await get('in.txt/x'), { status: 404 })
  t.match(await put('in.txt/x', ''), refusal(409, 'FILE_UNUSABLE'))
  t.match(await put('folder/', ''), refusal(409, 'FILE_UNUSABLE'))
  t.match(await put('x'.repeat(300), ''), refusal(409, 'FILE_UNUSABLE'))
  await mkdir(join(workspace, 'folder'))
  for (const path of ['folder', '/']) t.match((await get(path)).status, 409, `${path} is no file`)
  t.match(await put('folder', ''), refusal(409, 'FILE_UNUSABLE'))
  await run('mkfifo', [join(workspace, 'pipe')])
  t.match((await get('pipe')).status, 409, 'a pipe is not waited for')
  t.match(await put('pipe', ''), refusal(409, 'FILE_UNUSABLE'))
  await link(join(outside, 'secret.txt'), join(workspace, 'second-name'))
  t.match(await put('second-name', ''), refusal(409, 'FILE_UNUSABLE'), 'it has a name outside')

  t.match(await move('link.txt', 'moved-link'), refusal(409, 'FILE_UNUSABLE'))
  t.equal((await remove('link.txt')).status, 204, 'a link is removed itself')
  t.equal((await remove('box', { recursive: true })).status, 204, 'also one to a folder')
  t.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), SECRET)
  t.strictSame(await readdir(outside), ['secret.txt'])
})

t.test('While a folder is repeatedly swapped for a link, nothing gets out or in', async (t) => {
  const { workspace, call, get, list, move, put, remove } = await createAgent()
  await put('box/secret.txt', 'inside')
  const stop = startSwapping(workspace, outside)
  const statuses = new Set<number>()
  for (let round = 0; round < amount({ short: 5, long: 15 }); round += 1) {
    const { status, text } = await get('box/secret.txt')
    t.notMatch(text, SECRET)
    const changes = [
      await put('box/new.txt', 'x'),
      await put('box/secret.txt', 'inside'),
      await move('box/new.txt', 'box/other.txt', { overwrite: true }),
      await call('POST', '/directories', { path: 'box/folder' }),
      await remove('box/folder'),
      await remove('box/other.txt'),
    ]
    for (const one of [status, ...changes.map((change) => change.status)]) statuses.add(one)
    const { body } = await list({ recursive: true })
    for (const { path, size } of body) if (path === 'box/secret.txt') t.equal(size, 'inside'.length)
  }
  await stop()
  for (const status of statuses) t.ok([200, 201, 204, 404, 409, 422].includes(status), `answered ${status}`)
  t.strictSame(await readdir(outside), ['secret.txt'])
  t.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), SECRET)
})
