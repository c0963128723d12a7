import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { createHold, startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { createShareCalls } from './share-calls.ts'

const clock = createTestClock()
const chat = await startChat(t, {
  clock,
  config: { plugins: { shares: { public: true } }, http: { public_url: 'https://agents.example.com/' } },
})
const { server, agent_id, fake, threads } = chat
const { share, read, update, remove, list, open, talk } = createShareCalls(chat)
await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
const workspace = join(server.home, 'agents', agent_id)
const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })
const STRANGER = null
const DAY_SECONDS = 86_400
const unknown = await read('x'.repeat(32), ben.token)
const withoutId = ({ status, body }: typeof unknown) => ({ status, error: { ...body.error, request_id: '' } })
const cradle = server.server.runtime.cradleOf('shares')
const cleanUp = async () => {
  await cradle.shares.clean()
  await cradle.snapshots.clean()
}
const countRows = async () => ({
  shares: await server.db.collection('shares').countDocuments(),
  snapshots: await server.db.collection('share_snapshots').countDocuments(),
  messages: await server.db.collection('shared_messages').countDocuments(),
  folders: (await readdir(join(server.home, 'shares')).catch(() => [])).length,
})

t.test('A share shows the texts of the conversation as they were, and nothing internal', async (t) => {
  const thread_id = await talk({ text: 'What is 2 + 2?' }, [
    { reasoning: ['Let me count.'], text: 'It is 4.' },
  ])
  const { status, body } = await share(thread_id, { audience: 'accounts', expires_in_days: 7 })
  t.equal(status, 201)
  t.match(body, {
    url: `https://agents.example.com/shared/${body.share_id}`,
    audience: 'accounts',
    include_steps: false,
    title: 'What is 2 + 2?',
    thread_id,
    agent_id,
    views: 0,
  })
  t.ok(Buffer.from(body.share_id, 'base64url').length >= 20, 'nobody guesses 160 bits')
  t.equal(body.expires_at, body.created_at + 7 * DAY_SECONDS)
  await talk({ thread_id, text: 'And 3 + 3?' }, [{ text: 'It is 6.' }])

  const { status: seen, body: shown, headers } = await read(body.share_id, ben.token)
  t.equal(seen, 200)
  t.strictSame(Object.keys(shown).sort(), ['agent_name', 'created_at', 'messages', 'title'])
  t.strictSame(shown.title, 'What is 2 + 2?')
  t.strictSame(
    shown.messages.map(({ timestamp, ...message }: { timestamp: number }) => message),
    [
      {
        id: '1',
        role: 'user',
        content: [{ type: 'text', text: 'What is 2 + 2?' }],
        turn_id: '1',
        status: 'complete',
      },
      {
        id: '2',
        role: 'assistant',
        content: [{ type: 'text', text: 'It is 4.' }],
        turn_id: '1',
        status: 'complete',
        stop_reason: 'end',
      },
    ],
  )
  t.equal(headers.get('cache-control'), 'no-store')
  t.equal(headers.get('referrer-policy'), 'no-referrer')
  t.match(headers.get('x-robots-tag'), /noindex/)
  await read(body.share_id)
  t.match((await list(`?thread_id=${thread_id}`)).body, [{ views: 1 }], 'its own reader does not count')
})

t.test('A share shows the versions that the conversation follows', async (t) => {
  const thread_id = await talk({ text: 'Wrong question?' }, [{ text: 'Wrong answer.' }])
  const [asked] = (await chat.history(thread_id)).messages
  await talk({ thread_id, replaces: asked.id, text: 'Right question?' }, [{ text: 'Right answer.' }])
  const { share_id } = (await share(thread_id, { audience: 'accounts' })).body
  const textsOf = async () =>
    (await read(share_id)).body.messages.map(
      ({ content }: { content: { text: string }[] }) => content[0]?.text,
    )
  t.strictSame(await textsOf(), ['Right question?', 'Right answer.'])
  await threads('PUT', `/${thread_id}/path`, { body: { message_id: asked.id } })
  t.strictSame(await textsOf(), ['Right question?', 'Right answer.'], 'until it is updated')
  await update(share_id)
  t.strictSame(await textsOf(), ['Wrong question?', 'Wrong answer.'])
})

t.test('Tool steps are in it only if they are asked for, and documents and thoughts never', async (t) => {
  await writeFile(join(workspace, 'secret.txt'), 'the word is xyzzy')
  const toolCalls = [{ id: 'call_1', name: 'read_file', arguments: { path: 'secret.txt' } }]
  const thread_id = await talk({ text: 'Read it.' }, [{ toolCalls }, { text: 'I did.' }])
  const without = (await share(thread_id, { audience: 'accounts' })).body
  t.notMatch(JSON.stringify((await read(without.share_id)).body), /xyzzy|read_file|call_1/)
  const withSteps = (await share(thread_id, { audience: 'accounts', include_steps: true })).body
  t.match((await read(withSteps.share_id)).body.messages, [
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'tool_use', name: 'read_file', input: { path: 'secret.txt' } }] },
    { role: 'tool', content: [{ type: 'tool_result', output: /xyzzy/ }] },
    { role: 'assistant', content: [{ type: 'text', text: 'I did.' }] },
  ])
  await update(withSteps.share_id, { include_steps: false })
  t.notMatch(JSON.stringify((await read(withSteps.share_id)).body), /xyzzy|read_file/)
})

t.test('What is remembered of a person is never in it', async (t) => {
  await server.call('POST', '/memories', { text: 'Has a wooden leg', scope: 'me' })
  const toolCalls = [
    { id: 'call_1', name: 'recall', arguments: { query: 'leg' } },
    { id: 'call_2', name: 'remember', arguments: { text: 'Has a glass eye', scope: 'me' } },
  ]
  const thread_id = await talk({ text: 'Read it.' }, [{ toolCalls }, { text: 'I did.' }])
  const stored = JSON.stringify(await chat.history(thread_id))
  t.match(stored, 'wooden leg')
  t.match(stored, 'REMEMBERED')
  const { share_id } = (await share(thread_id, { audience: 'accounts', include_steps: true })).body
  const { messages } = (await read(share_id)).body
  t.strictSame(
    messages.map(({ role }: { role: string }) => role),
    ['user', 'assistant'],
  )
  t.notMatch(JSON.stringify(messages), /wooden|glass|recall|remember/i)
})

t.test('Files are those of the moment, at addresses of their own, and no others', async (t) => {
  await mkdir(join(workspace, 'inbound'), { recursive: true })
  await writeFile(join(workspace, 'inbound/numbers.csv'), 'a,b\n1,2\n')
  await writeFile(join(workspace, 'private.txt'), 'private')
  const thread_id = await talk(
    {
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'file', path: 'inbound/numbers.csv', filename: 'numbers.csv', media_type: 'text/csv' },
        { type: 'file', path: 'missing.txt', filename: 'missing.txt', media_type: 'text/plain' },
      ],
    },
    [
      {
        toolCalls: [{ id: 'c', name: 'write_file', arguments: { path: 'out/answer.md', content: '# Yes' } }],
      },
      { text: 'See [the answer](out/answer.md).' },
    ],
  )
  const { share_id } = (await share(thread_id, { audience: 'link' })).body
  await writeFile(join(workspace, 'inbound/numbers.csv'), 'changed')
  await rm(join(workspace, 'out/answer.md'))

  const { messages } = (await read(share_id, STRANGER)).body
  const [, sent, missing] = messages[0].content
  t.match(sent, { type: 'file', path: 'inbound/numbers.csv', filename: 'numbers.csv', size: 8 })
  t.match(missing, { path: 'missing.txt', size: null, url: null })
  const file = await open(sent.url)
  t.match(file, { status: 200, text: 'a,b\n1,2\n' })
  t.match(file.headers.get('content-security-policy'), /sandbox/)
  t.match(file.headers.get('content-disposition'), /^attachment/)
  t.match(file.headers.get('x-robots-tag'), /noindex/)
  const [made] = messages.flatMap(({ artifacts = [] }: { artifacts: unknown[] }) => artifacts)
  t.match(made, { path: 'out/answer.md', filename: 'answer.md' })
  t.match(await open(made.url), { status: 200, text: '# Yes' })

  const files = `/api/shared/${share_id}/files`
  for (const name of ['private.txt', '%2e%2e%2fprivate.txt', 'fil_0', '..%2f..%2fconfig.json', '%00'])
    t.not((await open(`${files}/${name}`)).status, 200, name)
  const other = (await share(await talk({ text: 'Hi.' }, [{ text: 'Hi.' }]), { audience: 'link' })).body
  const file_id = sent.url.split('/').at(-1)
  t.equal((await open(`/api/shared/${other.share_id}/files/${file_id}`)).status, 404, 'of another share')

  await update(share_id)
  t.equal((await open(sent.url)).status, 404, 'the copy that was replaced')
  const [, changed] = (await read(share_id)).body.messages[0].content
  t.match(await open(changed.url), { status: 200, text: 'changed' })
})

t.test('A guest of an agent shares their own threads, and none of the files of others', async (t) => {
  await writeFile(join(workspace, 'owners.txt'), 'of the owner')
  await symlink(join(workspace, 'owners.txt'), join(workspace, 'link.txt'))
  const mine = await talk({ text: 'Mine.' }, [{ text: 'Yes.' }])
  t.match(await share(mine, { audience: 'accounts' }, { token: ann.token }), {
    status: 404,
    body: { error: { code: 'THREAD_NOT_FOUND' } },
  })
  const block = (path: string) => ({ type: 'file', path, filename: path, media_type: 'text/plain' })
  const theirs = await talk(
    { content: [{ type: 'text', text: 'Look.' }, block('owners.txt'), block('link.txt')] },
    [{ text: 'Yes.' }],
    { token: ann.token },
  )
  t.equal((await share(theirs, { audience: 'accounts' })).status, 404, 'not even the owner of the agent')
  const { status, body } = await share(theirs, { audience: 'accounts' }, { token: ann.token })
  t.equal(status, 201)
  const [, named, linked] = (await read(body.share_id, ann.token)).body.messages[0].content
  t.match([named, linked], [{ url: null }, { url: null }])
  for (const call of [update(body.share_id), remove(body.share_id)])
    t.match(await call, { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  t.equal((await list(`?thread_id=${theirs}`)).body.length, 0)

  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: false } })
  t.match(await update(body.share_id, {}, ann.token), {
    status: 404,
    body: { error: { code: 'AGENT_NOT_FOUND' } },
  })
  t.equal((await remove(body.share_id, ann.token)).status, 204)
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
})

t.test('Strangers open links only, and cannot tell what expired from what never existed', async (t) => {
  const thread_id = await talk({ text: 'Hello.' }, [{ text: 'Hello!' }])
  const forAccounts = (await share(thread_id, { audience: 'accounts' })).body
  const forAll = (await share(thread_id, { audience: 'link', expires_in_days: 1 })).body
  t.match(await read(forAccounts.share_id, STRANGER), {
    status: 401,
    body: { error: { code: 'AUTH_FAILED' } },
  })
  t.equal((await read(forAccounts.share_id, ben.token)).status, 200)
  t.equal((await read(forAll.share_id, STRANGER)).status, 200)
  t.equal((await read(forAll.share_id, 'forged.to.ken')).status, 401, 'a wrong token is no stranger')

  clock.advance(DAY_SECONDS)
  const admin = await server.login(server.admin.username, server.admin.password)
  const expired = [await read(forAll.share_id, STRANGER), await read(forAll.share_id, admin)]
  t.notOk(JSON.stringify((await list('', admin)).body).includes(forAll.share_id))
  t.equal((await update(forAll.share_id, { expires_in_days: 5 }, admin)).status, 404)
  await remove(forAccounts.share_id, admin)
  for (const gone of [
    ...expired,
    await read(forAccounts.share_id, admin),
    await read('-'.repeat(32), STRANGER),
  ])
    t.strictSame(withoutId(gone), withoutId(unknown))
  await cleanUp()
  t.equal(await server.db.collection('shares').countDocuments({ _id: forAll.share_id as never }), 0)
  server.admin.token = admin
  ann.token = await server.login(ann.username, ann.password)
  ben.token = await server.login(ben.username, ben.password)
})

t.test('Hostile ids and choices are refused plainly', async (t) => {
  const thread_id = await talk({ text: 'Hello.' }, [{ text: 'Hello!' }])
  for (const id of [
    '%24ne',
    '[object Object]',
    '%00',
    'a'.repeat(2000),
    "' or 1=1",
    '..%2fshares',
    '{"$gt":""}',
  ])
    for (const token of [STRANGER, ben.token]) {
      const { status } = await read(encodeURI(id), token)
      t.ok(status === 404 || status === 422, `${id} ${status}`)
    }
  for (const body of [
    {},
    { audience: 'everybody' },
    { audience: 'link', expires_in_days: 0 },
    { audience: 'link', expires_in_days: 366 },
    { audience: 'link', expires_in_days: 1.5 },
    { audience: 'accounts', include_steps: 'yes' },
    { audience: 'accounts', path: '/etc' },
  ])
    t.equal((await share(thread_id, body)).status, 422, JSON.stringify(body))
  t.equal((await share('thr_missing', { audience: 'accounts' })).status, 404)
})

t.test('Nothing is shared of a conversation without an answer, nor of a turn that runs', async (t) => {
  const empty = await chat.createThread()
  t.match(await share(empty, { audience: 'accounts' }), {
    status: 409,
    body: { error: { code: 'SHARE_EMPTY' } },
  })
  const thread_id = await talk({ text: 'First.' }, [{ text: 'One.' }])
  const { hold, release } = createHold()
  fake.next({ text: 'Two.', hold })
  const socket = await chat.connect()
  const sent = socket.say({ thread_id, text: 'Second.' })
  await socket.until(({ type, client_message_id }) => type === 'turn_started' && client_message_id === sent)
  const { share_id } = (await share(thread_id, { audience: 'accounts' })).body
  release()
  await socket.seeTurn(sent)
  t.match((await read(share_id)).body.messages.length, 2)
})

t.test('A conversation that is too long is refused with a sentence', async (t) => {
  const thread_id = await talk({ text: 'Hello.' }, [{ text: 'Hello!' }])
  const [first] = await server.db.collection('messages').find({ thread_id }).sort({ position: 1 }).toArray()
  const rows = Array.from({ length: 2000 }, (_, index) => ({
    ...first!,
    _id: `msg_long_${index}` as never,
    position: index + 100,
  }))
  await server.db.collection('messages').insertMany(rows)
  await server.db.collection('threads').updateOne({ _id: thread_id as never }, { $set: { last_seq: 5000 } })
  const earlierRows = await countRows()
  t.match(await share(thread_id, { audience: 'accounts' }), {
    status: 413,
    body: { error: { code: 'SHARE_TOO_LARGE', message: /2000 messages and 4 MB/ } },
  })
  t.strictSame(await countRows(), earlierRows)
})

t.test('An account shares as many conversations as its limit allows, once for each key', async (t) => {
  const small = await startChat(t, { config: { limits: { shares: 2, shared_bytes: 10 } } })
  const calls = createShareCalls(small)
  const thread_id = await calls.talk({ text: 'Hello.' }, [{ text: 'Hello!' }])
  const headers = { 'Idempotency-Key': 'one' }
  const body = { audience: 'accounts' }
  const [first, again] = [
    await small.threads('POST', `/${thread_id}/shares`, { body, headers }),
    await small.threads('POST', `/${thread_id}/shares`, { body, headers }),
  ]
  t.equal(first.body.share_id, again.body.share_id)
  t.equal((await calls.share(thread_id, { audience: 'link' })).body.error.code, 'SHARES_NOT_PUBLIC')
  t.equal((await calls.share(thread_id, body)).status, 201)
  const refused = await calls.share(thread_id, body)
  t.match(refused, { status: 409, body: { error: { code: 'LIMIT_REACHED' } } }, 'the third')
  await calls.remove(first.body.share_id)

  await mkdir(join(small.server.home, 'agents', small.agent_id, 'inbound'), { recursive: true })
  await writeFile(join(small.server.home, 'agents', small.agent_id, 'inbound/a.txt'), '12345678901')
  const file = { type: 'file', path: 'inbound/a.txt', filename: 'a.txt', media_type: 'text/plain' }
  const withFile = await calls.talk({ content: [file] }, [{ text: 'Yes.' }])
  t.match(await calls.share(withFile, body), {
    body: { error: { code: 'LIMIT_REACHED', details: { limit: 'shared_bytes' } } },
  })
  t.strictSame(await readdir(join(small.server.home, 'shares')).catch(() => []), [])
})

t.test('A thread, an account and a disabled account take their shares along', async (t) => {
  const thread_id = await talk({ text: 'Hello.' }, [{ text: 'Hello!' }])
  const { share_id } = (await share(thread_id, { audience: 'link' })).body
  const earlierRows = await countRows()
  t.equal((await threads('DELETE', `/${thread_id}`)).status, 204)
  t.equal((await read(share_id, STRANGER)).status, 404, 'at once')
  await t.resolves(cleanUp())
  t.equal((await countRows()).shares, earlierRows.shares - 1)

  const carl = await server.createUser({ username: 'carl' })
  const theirs = await talk({ text: 'Hello.' }, [{ text: 'Hello!' }], { token: carl.token })
  const shared = (await share(theirs, { audience: 'link' }, { token: carl.token })).body
  await server.request('PATCH', `/users/${carl.username}`, { body: { enabled: false } })
  t.equal((await read(shared.share_id, STRANGER)).status, 404)
  await server.request('PATCH', `/users/${carl.username}`, { body: { enabled: true } })
  t.equal((await read(shared.share_id, STRANGER)).status, 200)
  await server.request('DELETE', `/users/${carl.username}`)
  t.equal((await read(shared.share_id, STRANGER)).status, 404)
  t.equal(await server.db.collection('shares').countDocuments({ user_id: carl.id }), 0)
})

t.test('What a crash has left is found by the cleaning', async (t) => {
  const thread_id = await talk({ text: 'Hello.' }, [{ text: 'Hello!' }])
  const { share_id } = (await share(thread_id, { audience: 'link' })).body
  const clean = await countRows()
  const snapshots = server.db.collection<{ _id: string; delete_at: number | null }>('share_snapshots')
  const shares = server.db.collection<{ _id: string; snapshot_id: string }>('shares')
  const shown = (await shares.findOne({ _id: share_id }))!.snapshot_id

  t.comment('after the share was written, before its snapshot was kept')
  await snapshots.updateOne({ _id: shown }, { $set: { delete_at: 1 } })
  await cleanUp()
  t.equal((await read(share_id, STRANGER)).status, 200)
  t.equal((await snapshots.findOne({ _id: shown }))!.delete_at, null)

  t.comment('before the share shows its snapshot')
  const agent = (await server.db.collection('agents').findOne({ _id: agent_id as never }))!
  const thread = (await server.db.collection('threads').findOne({ _id: thread_id as never }))!
  const caller = { id: thread.user_id, role: 'admin' }
  const draft = await cradle.snapshots.take({
    share_id,
    thread,
    agent,
    caller,
    include_steps: false,
  } as never)
  await cleanUp()
  t.ok(await snapshots.findOne({ _id: draft }), 'it may be in the making')
  clock.advance(2 * 3600)
  await cleanUp()
  t.strictSame(await countRows(), clean)

  t.comment('after the thread was removed, before its event was handled')
  await server.db.collection('threads').updateOne({ _id: thread_id as never }, { $set: { deleted_at: 1 } })
  t.equal((await read(share_id, STRANGER)).status, 404)
  await cleanUp()
  t.equal(await shares.countDocuments({ _id: share_id }), 0)
  t.equal(await snapshots.countDocuments({ _id: shown }), 0)
  t.equal(await server.db.collection('shared_messages').countDocuments({ snapshot_id: shown }), 0)
})

t.test('A reader continues the conversation with an agent of their own, files included', async (t) => {
  await writeFile(join(workspace, 'inbound/report.txt'), 'three pages')
  const thread_id = await talk(
    {
      content: [
        { type: 'text', text: 'Sum it up.' },
        { type: 'file', path: 'inbound/report.txt', filename: 'report.txt', media_type: 'text/plain' },
        { type: 'file', path: 'gone.txt', filename: 'gone.txt', media_type: 'text/plain' },
      ],
    },
    [
      { toolCalls: [{ id: 'c', name: 'write_file', arguments: { path: 'out/sum.md', content: '# Sum' } }] },
      { text: 'See [the sum](out/sum.md).' },
    ],
  )
  const { share_id } = (await share(thread_id, { audience: 'accounts', include_steps: true })).body
  const own = (await server.request('POST', '/agents', { token: ben.token, body: { name: 'bens' } })).body
  const proceed = (agent: string, token: string | null) =>
    server.request('POST', `/shared/${share_id}/continue`, { body: { agent_id: agent }, token })
  t.equal((await proceed(own.id, STRANGER)).status, 401)
  t.equal((await proceed('missing', ben.token)).status, 404)
  const { status, body } = await proceed(own.id, ben.token)
  t.equal(status, 201)
  t.match(body, { agent_id: own.id, files_left_out: ['gone.txt'] })
  const options = { token: ben.token, agent_id: own.id }
  const { messages } = await chat.history(body.thread_id, '', options)
  t.match(messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Sum it up.' },
        { type: 'file', path: 'inbound/report.txt' },
        { type: 'text', text: '[File not copied: gone.txt]' },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', name: 'write_file' }] },
    { role: 'tool', content: [{ type: 'tool_result' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'See [the sum](inbound/sum.md).' }] },
  ])
  const copy = await server.request('GET', `/agents/${own.id}/files/content?path=inbound%2Fsum.md`, options)
  t.match(copy, { status: 200, body: '# Sum' })
  fake.next({ text: 'Gladly.' })
  const socket = await chat.connect(options)
  t.match(await socket.ask({ thread_id: body.thread_id, text: 'Go on.' }), { end: { type: 'done' } })
  const theirs = await server.request('POST', `/shared/${share_id}/continue`, {
    body: { agent_id: agent_id },
    token: ann.token,
  })
  t.equal(theirs.status, 201, 'with an agent that is shared with them')
})

t.test('Audit rows name the thread and never the secret address', async (t) => {
  const thread_id = await talk({ text: 'Hello.' }, [{ text: 'Hello!' }])
  const { share_id } = (await share(thread_id, { audience: 'accounts' })).body
  await update(share_id)
  await server.request('POST', `/shared/${share_id}/continue`, { body: { agent_id } })
  await remove(share_id)
  const { body: newest } = await server.request('GET', '/admin/audit-log?limit=10')
  const rows: { action: string }[] = newest
    .filter(({ action }: { action: string }) => action.startsWith('share.'))
    .slice(0, 4)
  t.strictSame(rows.map(({ action }) => action).sort(), [
    'share.continue',
    'share.create',
    'share.delete',
    'share.update',
  ])
  t.notOk(JSON.stringify(rows).includes(share_id))
  t.match(JSON.stringify(rows.find(({ action }) => action === 'share.delete')), thread_id)
})

t.test('Links end for strangers when the server stops allowing them', async (t) => {
  const thread_id = await talk({ text: 'Hello.' }, [{ text: 'Hello!' }])
  const { share_id } = (await share(thread_id, { audience: 'link' })).body
  t.strictSame((await server.request('GET', '/shares/settings')).body, { public: true })
  const cradleConfig = cradle.config as { public: boolean }
  t.teardown(() => {
    cradleConfig.public = true
  })
  cradleConfig.public = false
  t.strictSame((await server.request('GET', '/shares/settings')).body, { public: false })
  t.strictSame(withoutId(await read(share_id, STRANGER)), withoutId(unknown))
  t.equal((await read(share_id, ben.token)).status, 200)
  t.match(await share(thread_id, { audience: 'link' }), {
    status: 403,
    body: { error: { code: 'SHARES_NOT_PUBLIC' } },
  })
})
