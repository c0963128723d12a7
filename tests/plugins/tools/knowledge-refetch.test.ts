import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { LeaseDocument } from '../../../kernel/database/lease.ts'
import { createHold, eventually } from '../../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../../run/file-test.ts'
import { createTestClock } from '../../support/clock.ts'
import { startServer } from '../../support/server.ts'
import { createKnowledgeCalls } from './knowledge-calls.ts'

const HOUR = 3600
const DAY = 24 * HOUR

const clock = createTestClock()
const config = { plugins: { knowledge: { allow_hosts: ['127.0.0.1'] } } }
const server = await startServer(t, { clock, config })
const { create, list, request, search, settled, upload } = createKnowledgeCalls(server)

const { documents, queue, refetching } = server.server.runtime.cradleOf('knowledge')

// The job of the server must not fetch in between.
await server.db
  .collection<LeaseDocument>('leases')
  .updateOne(
    { _id: 'knowledge.refetch' },
    { $set: { holder: 'another server', until: Number.MAX_SAFE_INTEGER } },
    { upsert: true },
  )

/** Fetches what is due now, as the job does each minute. */
const fetchDue = () => refetching.fetchDue(new AbortController().signal)

const pass = async (seconds: number) => {
  clock.advance(seconds)
  // The token of before has expired.
  server.admin.token = await server.login(server.admin.username, server.admin.password)
  await fetchDue()
}
const passDays = (days: number) => pass(days * DAY)

interface Page {
  text: string
  type?: string
  status?: number
  /** The headers that describe the text. */
  tags?: 'etag' | 'date' | 'none'
  robots?: string
  /** Answers instead of the page. */
  answer?(response: ServerResponse): void
}

/** Starts a site with one page, which notes how it was asked for and answered. */
async function startSite(t: Test, page: Page) {
  const requests: { status: number; tag?: string | undefined; since?: string | undefined }[] = []
  const tagOf = (text: string) => `"${createHash('sha256').update(text).digest('hex')}"`
  const site = createServer(({ url, headers }, response) => {
    if (url === '/robots.txt')
      return void response
        .writeHead(page.robots ? 200 : 404, { 'content-type': 'text/plain' })
        .end(page.robots)
    if (page.answer) return page.answer(response)
    const { text, tags = 'etag', type = 'text/plain' } = page
    const modified = new Date(text.length * 1000).toUTCString()
    const [tag, since] = [headers['if-none-match'], headers['if-modified-since']]
    const isSame = (tags === 'etag' && tag === tagOf(text)) || (tags === 'date' && since === modified)
    const status = page.status ?? (isSame ? 304 : 200)
    requests.push({ status, tag, since })
    response.writeHead(status, {
      'content-type': type,
      ...(tags === 'etag' && { etag: tagOf(text) }),
      ...(tags === 'date' && { 'last-modified': modified }),
    })
    response.end(status === 200 ? text : undefined)
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    site.close()
    site.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/page`
  const base = await create('Web')
  const body = { url, refetch_days: 7 }
  const [{ id, path }] = (await request('POST', `/${base}/documents`, body)).body
  await settled(base)
  return {
    ...{ base, id, path, url, requests },
    read: async () => (await request('GET', `/${base}/documents/${id}`)).body,
    change: (refetch_days: unknown) => request('PATCH', `/${base}/documents/${id}`, { refetch_days }),
    texts: async (query: string) =>
      (await search(query, { knowledge_base_ids: [base] })).map(({ text }) => text.trim()),
  }
}

const listFiles = () => readdir(join(server.home, 'knowledge', 'documents'))

for (const [tags, status] of [
  ['etag', 304],
  ['date', 304],
  ['none', 200],
] as const)
  t.test(`An unchanged page is asked for, and not read again: ${tags}`, async (t) => {
    const { base, id, read, requests, texts } = await startSite(t, { text: 'Penguins can swim.', tags })
    const first = await read()
    t.match(first, { status: 'ready', refetch_days: 7, fetched_at: Number, chunks: 1 })
    const [stored] = await documents.findAll([id])
    const files = await listFiles()
    await passDays(6)
    t.strictSame(requests.length, 1, 'it is not due yet')
    await passDays(1)
    t.match(requests, [{ status: 200, tag: undefined }, { status }])
    const { fetched_at, ...row } = await read()
    t.ok(fetched_at >= first.fetched_at + 7 * DAY)
    t.strictSame({ ...row, fetched_at: first.fetched_at }, first)
    const [again] = await documents.findAll([id])
    t.strictSame([again!.version, again!.indexes], [stored!.version, stored!.indexes])
    t.strictSame(await listFiles(), files, 'no file is left')
    t.strictSame(await texts('penguins'), ['Penguins can swim.'])
    await passDays(6)
    t.equal(requests.length, 2)
    await passDays(1)
    t.match(requests[2], { status }, 'the interval begins anew')
    t.equal((await list(base)).length, 1)
  })

t.test('A changed page is read again, and the former text is found until then', async (t) => {
  const page: Page = { text: 'Penguins can swim.' }
  const { base, id, read, requests, texts } = await startSite(t, page)
  const files = await listFiles()
  page.text = 'Penguins cannot fly.'
  // Another server works for the account.
  const leases = server.db.collection<LeaseDocument>('knowledge_leases')
  const [stored] = await documents.findAll([id])
  const lease = { _id: stored!.user_id, holder: '{}', until: clock.now() + 30 * DAY * 1000 }
  await eventually('the end of the former work', async () => (await leases.countDocuments()) === 0)
  await leases.insertOne(lease)
  const { updated_at } = await read()
  await passDays(7)
  t.match(await read(), { id, status: 'queued', refetch_days: 7 })
  t.strictSame(await texts('penguins'), ['Penguins can swim.'])
  await fetchDue()
  t.equal(requests.length, 2, 'it is not fetched again while it waits')
  await leases.deleteOne({ _id: lease._id })
  queue.wake()
  const row = Object.values(await settled(base))[0]
  t.match(row, { id, status: 'ready', chunks: 1 })
  t.ok(row.updated_at >= updated_at + 7 * DAY)
  t.strictSame(await texts('penguins'), ['Penguins cannot fly.'])
  await eventually('the removal of the former files', async () => (await listFiles()).length === files.length)
  await passDays(7)
  t.match(requests, [{ status: 200 }, { status: 200 }, { status: 304 }])
})

t.test('A page that cannot be fetched keeps its text, shows why and is tried again', async (t) => {
  const page: Page = { text: 'Penguins can swim.' }
  const { change, read, requests, texts } = await startSite(t, page)
  const first = await read()
  page.status = 404
  await passDays(7)
  const failed = await read()
  t.match(failed, {
    status: 'ready',
    refetch_error: { code: 'DOCUMENT_UNREACHABLE', message: /the server answered 404/ },
    fetched_at: first.fetched_at,
    error: undefined,
  })
  t.strictSame(await texts('penguins'), ['Penguins can swim.'])
  for (const [index, hours] of [1, 2, 4].entries()) {
    await pass(hours * HOUR - 60)
    t.equal(requests.length, 2 + index, `not before ${hours} hours`)
    await pass(61)
    t.equal(requests.length, 3 + index, `after ${hours} hours`)
  }
  t.match(await change(1), { status: 200, body: { refetch_days: 1 } })
  t.equal((await read()).refetch_error, undefined)
  for (let attempt = 0; attempt < 8; attempt += 1) await passDays(1)
  t.equal(requests.length, 5 + 8, 'no pause is longer than the interval')
  delete page.status
  await passDays(1)
  const { refetch_error, fetched_at } = await read()
  t.equal(refetch_error, undefined)
  t.ok(fetched_at > first.fetched_at)
})

const faults: [name: string, change: Partial<Page>, error: object][] = [
  ['robots.txt forbids it', { robots: 'User-agent: *\nDisallow: /' }, { code: 'DOCUMENT_REFUSED_BY_ROBOTS' }],
  [
    'it is a picture',
    { text: '\x89PNG\r\n\x1a\n\0', type: 'image/png' },
    { code: 'DOCUMENT_UNSUPPORTED', message: /page/ },
  ],
  [
    'it leads to a private network',
    { answer: (response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end() },
    { code: 'ADDRESS_NOT_ALLOWED' },
  ],
  [
    'it says "not modified" without being asked',
    { tags: 'none', status: 304 },
    { code: 'DOCUMENT_UNREACHABLE', message: /304/ },
  ],
  [
    'it is too large',
    { text: 'long', answer: (response) => response.end(Buffer.alloc(51 * 1024 * 1024, 'a')) },
    { code: 'DOCUMENT_TOO_LARGE' },
  ],
  ['it ends early', { answer: (response) => response.destroy() }, { code: 'DOCUMENT_UNREACHABLE' }],
]
for (const [name, change, refetch_error] of faults)
  t.test(`The former text stays if the page cannot be taken over: ${name}`, async (t) => {
    const page: Page = { text: 'Penguins can swim.', ...(change.tags && { tags: change.tags }) }
    const { read, texts } = await startSite(t, page)
    const files = await listFiles()
    Object.assign(page, change)
    await passDays(7)
    t.match(await read(), { status: 'ready', refetch_error })
    t.strictSame(await texts('penguins'), ['Penguins can swim.'])
    t.strictSame(await listFiles(), files, 'no file is left')
  })

t.test('A tag is sent to the address that it came from alone', async (t) => {
  const asked: [url: string | undefined, tag: string | undefined][] = []
  let target = '/one'
  const site = createServer(({ url, headers }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end()
    asked.push([url, headers['if-none-match']])
    if (url === '/page') return void response.writeHead(302, { location: target }).end()
    const isSame = headers['if-none-match'] === '"1"'
    response.writeHead(isSame ? 304 : 200, { etag: '"1"', 'content-type': 'text/plain' })
    response.end(isSame ? undefined : `This is ${url}.`)
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    site.close()
    site.closeAllConnections()
  })
  const base = await create('Moved')
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/page`
  await request('POST', `/${base}/documents`, { url, refetch_days: 1 })
  await settled(base)
  await passDays(1)
  target = '/two'
  await passDays(1)
  t.match(Object.values(await settled(base)), [{ status: 'ready' }])
  t.strictSame(asked, [
    ['/page', undefined],
    ['/one', undefined],
    ['/page', undefined],
    ['/one', '"1"'],
    ['/page', undefined],
    ['/two', undefined],
  ])
  t.match(await search('two', { knowledge_base_ids: [base] }), [{ text: /This is \/two/ }])
})

t.test('Fetching again is switched on and off', async (t) => {
  const { base, id, change, read, requests, url } = await startSite(t, { text: 'Penguins can swim.' })
  t.match(await change(null), { status: 200, body: { id, refetch_days: null } })
  await passDays(30)
  t.equal(requests.length, 1)
  t.match(await change(14), { status: 200, body: { refetch_days: 14 } })
  await fetchDue()
  t.equal(requests.length, 2, 'it was due already, counted from the last time')
  for (const days of [0, 366, 1.5, '7', undefined]) t.match(await change(days), { status: 422 })
  t.match(await request('POST', `/${base}/documents`, { url, refetch_days: 0 }), { status: 422 })
  await request('POST', `/${base}/documents`, { url })
  t.match(await settled(base), { [(await read()).path]: { id, refetch_days: 14 } }, 'it keeps its schedule')
  await request('POST', `/${base}/documents`, { url, refetch_days: null })
  await settled(base)
  t.match(await read(), { id, refetch_days: null })
})

t.test('Only the owner changes it, and only for an address', async (t) => {
  const { base, id, change } = await startSite(t, { text: 'Penguins can swim.' })
  const [file] = (await upload(base, [['notes.txt', 'Notes about seals.']])).body
  t.notOk('refetch_days' in file)
  t.match(await request('PATCH', `/${base}/documents/${file.id}`, { refetch_days: 7 }), {
    status: 422,
    body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path: '/refetch_days' }] } } },
  })
  await request('PATCH', `/${base}`, { is_shared: true })
  const other = await server.createUser({ username: 'other', permissions: ['knowledge_bases'] })
  const asOther = (refetch_days: number) =>
    request('PATCH', `/${base}/documents/${id}`, { refetch_days }, other.token)
  t.match(await asOther(1), { status: 403 })
  t.match(await request('PATCH', `/${base}/documents/doc_0`, { refetch_days: 7 }), { status: 404 })
  t.match(await change(7), { status: 200 })
})

t.test('A change during a fetch counts', async (t) => {
  const page: Page = { text: 'Penguins can swim.' }
  const { change, read, requests } = await startSite(t, page)
  const { hold, release } = createHold()
  let isAsked = false
  page.answer = (response) => {
    isAsked = true
    void hold.then(() => response.end('Penguins cannot fly.'))
  }
  const fetching = passDays(7)
  await eventually('the request', () => isAsked)
  await change(null)
  release()
  await fetching
  t.match(await read(), { status: 'ready', refetch_days: null })
  t.equal(requests.length, 1)
})
