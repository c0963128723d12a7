import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../run/file-test.ts'
import { readPages, startServer } from '../../support/server.ts'

const WORKSPACE = 100_000
const ACCOUNT = 150_000

const server = await startServer(t, {
  config: { limits: { workspace_bytes: WORKSPACE, account_bytes: ACCOUNT } },
})
const ann = await server.createUser({ username: 'ann' })
const { token } = ann
const request = (method: string, path: string, options: object = {}) =>
  server.request(method, path, { token, ...options })
for (const { id } of (await request('GET', '/agents')).body) await request('DELETE', `/agents/${id}`)

/** Creates an agent of Ann with files of these sizes by path. */
async function createAgent(name: string, sizes: Record<string, number>): Promise<string> {
  const { body: agent } = await request('POST', '/agents', { body: { name } })
  const workspace = join(server.home, 'agents', agent.id)
  rmSync(workspace, { recursive: true, force: true })
  mkdirSync(workspace)
  for (const [path, size] of Object.entries(sizes)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), '')
    truncateSync(join(workspace, path), size)
  }
  return agent.id
}

const rowsOf = (body: { path: string; size: number }[]) => body.map(({ path, size }) => [path, size])
const listLargest = async (id: string, query = '') =>
  readPages(server, `/agents/${id}/files?recursive=true&sort=size${query}`, { token })

t.test('Files are listed with the largest first, page by page', async (t) => {
  const id = await createAgent('many', {
    'b/small.txt': 10,
    'a.bin': 500,
    'b/c/d/large.bin': 9_000,
    'empty.txt': 0,
    'same-2': 77,
    'b/same-1': 77,
    'same-1': 77,
    '汉字 &?.txt': 300,
  })
  symlinkSync('/etc/passwd', join(server.home, 'agents', id, 'link'))
  const expected = [
    ['b/c/d/large.bin', 9_000],
    ['a.bin', 500],
    ['汉字 &?.txt', 300],
    ['b/same-1', 77],
    ['same-1', 77],
    ['same-2', 77],
    ['b/small.txt', 10],
    ['empty.txt', 0],
  ]
  for (const limit of [1, 2, 3, 8, 100]) {
    const pages = await listLargest(id, `&limit=${limit}`)
    t.strictSame(
      pages.flatMap(({ body }) => rowsOf(body)),
      expected,
      `pages of ${limit}`,
    )
    t.equal(pages.length, Math.ceil(8 / limit))
  }
  const [first] = await listLargest(id)
  t.match(first!.body[1], { kind: 'file', media_type: 'application/octet-stream', updated_at: Number })

  const inFolder = (await listLargest(id, '&path=/b'))[0]!.body
  t.strictSame(rowsOf(inFolder), [
    ['b/c/d/large.bin', 9_000],
    ['b/same-1', 77],
    ['b/small.txt', 10],
  ])
  const flat = (await request('GET', `/agents/${id}/files?sort=size&path=b`)).body
  t.strictSame(rowsOf(flat), rowsOf(inFolder).slice(1), 'only the files of the folder itself')

  const next = (await request('GET', `/agents/${id}/files?recursive=true&sort=size&limit=2`)).headers
  await request('DELETE', `/agents/${id}/files?path=a.bin`)
  const [, query] = /<(\?.+)>/.exec(next.get('link')!)!
  const { body: second } = await request('GET', `/agents/${id}/files${query}`)
  t.strictSame(rowsOf(second), expected.slice(2, 4), 'a deletion does not shift the next page')

  const byName = (await request('GET', `/agents/${id}/files?recursive=true&limit=2`)).headers.get('link')!
  const [, cursor] = /cursor=([^&>]+)/.exec(byName)!
  for (const wrong of [`sort=size&cursor=${cursor}`, 'sort=size&cursor=WyIxIiwiYSJd', 'sort=age'])
    t.equal((await request('GET', `/agents/${id}/files?${wrong}`)).status, 422, wrong)
  t.equal((await request('GET', `/agents/${id}/files?sort=size&path=no`)).status, 404)
  t.equal((await request('GET', `/agents/${id}/files?sort=size&path=../..`)).status, 422)
})

t.test('A thousand files in one folder come in order', async (t) => {
  const sizes = Array.from({ length: 1000 }, (_, n) => [`f/${n % 10}/${n}`, (n * 7919) % 1000] as const)
  const id = await createAgent('thousand', Object.fromEntries(sizes))
  const rows = (await listLargest(id, '&limit=200')).flatMap(({ body }) => rowsOf(body))
  const ordered = sizes.toSorted(([a, sizeA], [b, sizeB]) => sizeB - sizeA || (a < b ? -1 : 1))
  t.strictSame(rows, ordered)
  await request('DELETE', `/agents/${id}`)
})

t.test('Guests see their own files only, and delete none', async (t) => {
  const id = await createAgent('shared', { 'mine.bin': 100, 'inbound/other.txt': 50 })
  await request('PATCH', `/agents/${id}`, { body: { is_shared: true } })
  const guest = await server.createUser({ username: 'ben' })
  const form = new FormData()
  form.append('file', new Blob(['hello']), 'sent.txt')
  await server.request('POST', `/agents/${id}/upload`, { token: guest.token, body: form })
  const list = await server.request('GET', `/agents/${id}/files?recursive=true&sort=size`, {
    token: guest.token,
  })
  t.strictSame(rowsOf(list.body), [['inbound/sent.txt', 5]])
  const removal = `/agents/${id}/files?path=inbound/sent.txt`
  t.equal((await server.request('DELETE', removal, { token: guest.token })).status, 403)
  await request('DELETE', `/agents/${id}`)
})

t.test('The sizes of all own workspaces are shown, and are right at once after a deletion', async (t) => {
  for (const { id } of (await request('GET', '/agents')).body) await request('DELETE', `/agents/${id}`)
  const large = await createAgent('large', { 'a.bin': 40_000, 'd/b.bin': 20_000, 'd/e/c.bin': 10_000 })
  const small = await createAgent('small', { 'a.bin': 6_000 })
  const read = async () => (await request('GET', '/workspaces')).body
  const used = async () => (await request('GET', '/auth/me')).body.limits.account_bytes.used
  t.strictSame(await read(), {
    bytes: 76_000,
    max_bytes: ACCOUNT,
    max_workspace_bytes: WORKSPACE,
    workspaces: [
      { agent_id: large, name: 'large', bytes: 70_000 },
      { agent_id: small, name: 'small', bytes: 6_000 },
    ],
  })
  t.equal(await used(), 76_000)

  for (const [path, left] of [
    ['a.bin', 36_000],
    ['d&recursive=true', 6_000],
  ] as const) {
    await request('DELETE', `/agents/${large}/files?path=${path}`)
    t.equal(await used(), left)
    t.equal((await read()).bytes, left)
  }
  t.match((await read()).workspaces, [{ name: 'small' }, { name: 'large', bytes: 0 }])
  t.strictSame((await server.request('GET', '/workspaces', { token: ann.token })).body, await read())
  const { body: others } = await server.request('GET', '/workspaces')
  t.notOk(others.workspaces.some(({ agent_id }: { agent_id: string }) => [large, small].includes(agent_id)))
  t.equal((await server.request('GET', '/workspaces', { token: null })).status, 401)

  const put = await request('PUT', `/agents/${small}/files/content?path=b`, {
    body: 'x'.repeat(WORKSPACE),
  })
  t.match(put.body.error, {
    code: 'LIMIT_REACHED',
    details: { limit: 'workspace_bytes', max: WORKSPACE, agent_id: small },
  })
})
