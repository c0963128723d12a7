import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { BSON, MongoClient, ObjectId } from 'mongodb'
import { readId, toIdDocument } from '../../../plugins/operation/backup/collections.ts'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { createEmptyHome } from '../../support/backups.ts'
import { createHold, range, startChat } from '../../support/chat.ts'
import { runCommand } from '../../support/kernel.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'

const STREAMS = amount({ short: 3, long: 50 })
const PASSPHRASE = { SVC_BACKUP_PASSPHRASE: 'correct horse battery' }

const chat = await startChat(t)
const { server, fake, agent_id } = chat
const file = join(server.home, '..', `${server.home.split('/').at(-1)}.tar`)
t.teardown(() => rmSync(file, { force: true }))

const svc = (home: string, args: string[], env: Record<string, string> = {}) =>
  runCommand(home, args, { env: { ...PASSPHRASE, ...env } })

/** Reads what people see of a server, without what changes with each start. */
async function readAll(
  { request }: Pick<TestServer, 'request'>,
  threads: readonly string[],
  token?: string,
): Promise<Record<string, unknown>> {
  const agent = `/agents/${agent_id}`
  const paths = [
    '/users',
    '/agents',
    '/providers',
    '/models/active',
    '/knowledge-bases',
    '/projects',
    '/prompts',
    `${agent}/files?recursive=true`,
    `${agent}/files/content?path=notes/plan.md`,
    ...threads.flatMap((id) => [`${agent}/threads/${id}/history`, `${agent}/threads/${id}/trajectory`]),
  ]
  const answers = await Promise.all(paths.map((path) => request('GET', path, { token })))
  return Object.fromEntries(
    answers.map(({ status, body }, index) => [
      paths[index]!,
      JSON.parse(
        JSON.stringify({ status, body }, (key, value) =>
          /^(last_login|last_seen|tokens_used)/.test(key) ? null : value,
        ),
      ),
    ]),
  )
}

t.test('a server is backed up while turns stream, and restored as it was', async (t) => {
  await server.createUser({ username: 'ann', permissions: ['channels'] })
  await server.request('PUT', `/agents/${agent_id}/files/content?path=notes/plan.md`, {
    body: 'Plan A',
    headers: { 'content-type': 'text/plain' },
  })
  await server.request('POST', '/knowledge-bases', { body: { name: 'Laws' } })
  await server.call('POST', '/prompts', { name: 'report', text: 'Write it.' })
  symlinkSync('plan.md', join(server.home, 'agents', agent_id, 'notes', 'link.md'))
  const socket = await chat.connect()
  const { id: project_id } = await server.call('POST', '/projects', { name: 'Court' })
  const { thread_id: quiet } = await socket.ask({ project_id, text: 'hello' })
  const originalData = await readAll(server, [quiet])

  const { hold, release } = createHold()
  const text = range(1, 80).map((n) => `w${n} `)
  fake.script(() => ({ text, delayMs: 1, hold, holdAfter: 30 }))
  const busy = await Promise.all(range(1, STREAMS).map(() => chat.createThread()))
  const sent = busy.map((thread_id) => socket.say({ thread_id, text: 'stream' }))
  await socket.until((frame) => frame.content?.includes('w5 '))
  const [{ code, stdout, stderr }] = await Promise.all([
    svc(server.home, ['backup', file, '--json']),
    socket.until((frame) => frame.content?.includes('w30 ')).then(release),
  ])
  t.equal(code, 0, stderr)
  t.match(JSON.parse(stdout), { changed: [] })
  const { last_backup_at } = await server.call('GET', '/admin/overview')
  t.ok(Math.abs(last_backup_at - Date.now() / 1000) < 600)
  await Promise.all(sent.map((id) => socket.seeTurn(id)))

  const home = createEmptyHome(t)
  const url = await createDatabaseUrl(t)
  const restored = await svc(home, ['restore', file], { SVC_DATABASE_URL: url })
  t.equal(restored.code, 0, restored.stderr)
  t.match(restored.stdout, /^Restored the backup of .*: documents \d+, files \d+, secrets [1-9]\d*\.\n/)
  t.match(restored.stdout, 'database.url was removed from config.json')

  const copy = await startServer(t, { home, env: { SVC_DATABASE_URL: url } })
  t.strictSame(await readAll(copy, [quiet]), originalData)
  t.match(await copy.request('POST', '/agents', { body: { name: 'more' } }), { status: 201 })
  const verified = await svc(home, ['admin', 'audit', '--verify'], { SVC_DATABASE_URL: url })
  t.match(verified, { code: 0 }, verified.stdout)

  const whole = text.join('')
  for (const thread_id of busy) {
    const path = `/agents/${agent_id}/threads/${thread_id}`
    const { status, body } = await copy.request('GET', `${path}/history`)
    if (status === 404) continue
    const texts = body.messages.map((message: { role: string; content: unknown }) => [
      message.role,
      typeof message.content === 'string' ? message.content : JSON.stringify(message.content),
    ])
    const answers = texts
      .filter(([role]: string[]) => role === 'assistant')
      .map(([, answer]: string[]) => answer)
    for (const answer of answers) {
      const words = /w1 [w\d ]*/.exec(answer)?.[0] ?? ''
      t.ok(whole.startsWith(words), 'what is kept of an answer is its beginning')
    }
    const { body: steps } = await copy.request('GET', `${path}/trajectory?limit=200`)
    const seqs = steps.events.map(({ seq }: { seq: number }) => seq)
    t.strictSame(seqs, range(1, seqs.length), 'the ledger has no gap')
  }
  fake.script(() => ({ text: ['go on'] }))
})

t.test('an archive is refused if it is damaged, incomplete or opened with another passphrase', async (t) => {
  const bytes = readFileSync(file)
  const flipped = Buffer.from(bytes)
  flipped[flipped.indexOf('Plan A')]! ^= 1
  const url = await createDatabaseUrl(t)
  const cases = {
    changed: [flipped, {}, /^svc: the archive is damaged, incomplete, or was changed .* does not match\n$/],
    cut: [bytes.subarray(0, bytes.length - 20_000), {}, /^svc: the archive is damaged, incomplete, or was/],
    text: [
      Buffer.from('no archive'),
      {},
      /^svc: this is not an archive of svc backup, or its beginning is damaged/,
    ],
    empty: [Buffer.alloc(0), {}, /^svc: this is not an archive of svc backup/],
    locked: [bytes, { SVC_BACKUP_PASSPHRASE: 'wrong horse' }, /^svc: the passphrase is wrong/],
    short: [
      bytes,
      { SVC_BACKUP_PASSPHRASE: 'short' },
      /^svc: the passphrase must have at least 8 characters/,
    ],
    unasked: [bytes, { SVC_BACKUP_PASSPHRASE: '' }, /^svc: a passphrase is needed: use --passphrase-file/],
  } as const
  for (const [name, [content, env, message]] of Object.entries(cases)) {
    const home = createEmptyHome(t)
    const archive = join(createEmptyHome(t), 'archive.tar')
    writeFileSync(archive, content)
    const { code, stderr } = await svc(home, ['restore', archive], { SVC_DATABASE_URL: url, ...env })
    t.equal(code, 1, name)
    t.match(stderr, message, name)
    t.strictSame(readdirSync(home), ['runtime'], 'nothing is left behind')
  }
  const missing = await svc(createEmptyHome(t), ['restore', '/nowhere.tar'], { SVC_DATABASE_URL: url })
  t.match(missing, { code: 1, stderr: /^svc: the archive cannot be read: ENOENT: .*nowhere\.tar'\n$/ })
  const full = createEmptyHome(t)
  writeFileSync(join(full, 'mine.txt'), 'mine')
  t.match(await svc(full, ['restore', file]), { code: 1, stderr: /^svc: the home .* contains "mine.txt"/ })
})

t.test('a backup is refused at a place that is taken or inside of the home', async (t) => {
  t.match(await svc(server.home, ['backup', file]), { code: 1, stderr: /already exists/ })
  t.match(await svc(server.home, ['backup', join(server.home, 'own.tar')]), {
    code: 1,
    stderr: /must be outside/,
  })
  t.match(await svc(server.home, ['backup', '/nowhere/own.tar']), { code: 1, stderr: /does not exist/ })
  t.notOk(existsSync(`${file}.partial`))
})

t.test('an embedded database is moved to a server, and compared', { skip: onlyLong }, async (t) => {
  const home = createEmptyHome(t)
  const phrase = join(createEmptyHome(t), 'phrase')
  writeFileSync(phrase, `${PASSPHRASE.SVC_BACKUP_PASSPHRASE}\n`)
  const command = ['restore', file, '--passphrase-file', phrase]
  t.match(await svc(home, command, { SVC_BACKUP_PASSPHRASE: '' }), { code: 0, stderr: '' })
  const url = await createDatabaseUrl(t)
  const { code, stdout, stderr } = await svc(home, ['migrate-database', url, '--write-config'])
  t.equal(code, 0, stderr)
  t.match(stdout, /threads +\d+\n[\s\S]*Counts and hashes match\. config\.json names the new database/)
  t.equal(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')).database.url, url)
  const client = new MongoClient(url)
  t.equal(await client.db().collection('users').countDocuments(), 2)
  await client.close()
  t.match(await svc(home, ['migrate-database', url]), { code: 1, stderr: /address of the current database/ })
  t.match(await svc(home, ['migrate-database', 'http://x']), { code: 1, stderr: /must begin with mongodb/ })
  const { db } = server
  const other = await createDatabaseUrl(t)
  t.match(await svc(server.home, ['migrate-database', other]), {
    code: 1,
    stderr: /^svc: stop the server first/,
  })
  t.ok(await db.collection('users').findOne({}))
})

const FIXTURES = fileURLToPath(new URL('../../../../tests/fixtures/backups/', import.meta.url))

for (const name of readdirSync(FIXTURES))
  t.test(`this version opens the data of ${name}`, async (t) => {
    const home = createEmptyHome(t)
    const archive = join(createEmptyHome(t), 'archive.tar')
    writeFileSync(archive, gunzipSync(readFileSync(join(FIXTURES, name))))
    const env = { SVC_DATABASE_URL: await createDatabaseUrl(t), SVC_BACKUP_PASSPHRASE: 'fixture passphrase' }
    const { code, stderr } = await svc(home, ['restore', archive], env)
    t.equal(code, 0, stderr)
    const copy = await startServer(t, { home, env })
    const { body: agents } = await copy.request('GET', '/agents')
    const agent = `/agents/${agents[0].id}`
    const { body: threads } = await copy.request('GET', `${agent}/threads`)
    const { body: history } = await copy.request('GET', `${agent}/threads/${threads[0].thread_id}/history`)
    t.match(history.messages, [{ role: 'user' }, { role: 'assistant' }])
    t.match(await copy.request('GET', `${agent}/files/content?path=plan.md`), { status: 200, body: 'Plan A' })
    t.match((await copy.request('GET', '/users')).body, [{ username: 'admin' }, { username: 'ann' }])
    t.match((await copy.request('GET', `${agent}/cron`)).body, [{ name: 'daily', enabled: true }])
    t.match((await copy.request('GET', '/knowledge-bases')).body, [{ name: 'Laws' }])
    const { body: providers } = await copy.request('GET', '/providers')
    const vendor = providers.find((provider: { name: string }) => provider.name === 'vendor')
    t.match(vendor, { has_api_key: true, kind: 'openai-compatible' })
    t.match(await svc(home, ['admin', 'audit', '--verify'], env), { code: 0 })
  })

t.test('ids of documents that were deleted while a backup ran keep their types', async (t) => {
  const ids = ['thr_1', '', '线程', 7, 2.5, new ObjectId(), new Date(0), true, null, { a: 1, b: 'x' }]
  for (const _id of ids) {
    const id = readId(Buffer.from(BSON.serialize({ _id, text: 'more' })))
    t.strictSame(BSON.deserialize(toIdDocument(id)), { _id }, JSON.stringify(_id))
  }
})
