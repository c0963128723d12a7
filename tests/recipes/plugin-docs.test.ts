import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from '../run/file-test.ts'
import { isLong } from '../run/tier.ts'
import { startChat } from '../support/chat.ts'
import { runCompiler } from '../support/compiler.ts'
import { createEnvironment, runCommand } from '../support/kernel.ts'
import { DOCUMENT, listMembers, TABLES, type TableName, withTables } from '../support/plugin-tables.ts'
import { readDocument, readRecipe } from '../support/readme.ts'
import { createHome, installPlugin } from '../support/server.ts'
import { readEvents } from '../support/sse.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const PLACEHOLDER = '    // The parts that follow on this page.\n'

const text = readDocument(DOCUMENT)
const database = { url: await createDatabaseUrl(t) }
const home = createHome(t, { database })

/** Saves an example of the document as it says, or what is given. */
function save(path: string, source = readRecipe(path, DOCUMENT)): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, source)
  return file
}

/** In `npm test`, the declarations of the libraries are checked by the packages that `svc plugin new` writes alone. */
const COMPILER_OPTIONS = isLong ? [] : ['--skipLibCheck']

/** Compiles a folder; its packages are those that the document has people install. */
async function compile(folder: string): Promise<void> {
  save(`${folder}/package.json`, '{ "type": "module", "main": "dist/index.js" }')
  save(`${folder}/tsconfig.json`, readRecipe('plugins/bookmarks/tsconfig.json', DOCUMENT))
  save(`${folder}/src/index.ts`)
  mkdirSync(join(home, folder, 'node_modules'))
  for (const name of ['@types', '@ai-sdk'])
    symlinkSync(join(MODULES, name), join(home, folder, 'node_modules', name))
  const errors = await runCompiler(['-p', join(home, folder), ...COMPILER_OPTIONS])
  if (errors !== '') throw new Error(`the example ${folder} does not compile:\n${errors}`)
}

t.test('the tables of the document are those of the sources', async (t) => {
  for (const table of Object.keys(TABLES) as TableName[])
    for (const { name, meaning } of listMembers(table))
      t.not(meaning, '', `write a doc comment for "${name}" of the interface ${table}`)
  t.equal(text, withTables(text), 'run "npm run docs"')
})

for (const folder of ['plugins/notes', 'plugins/notes-extras', 'plugins/stars', 'channels/pigeon']) {
  save(`${folder}/package.json`, '{ "type": "module" }')
  save(`${folder}/index.js`)
}
save('plugins/notes/console/page.js')
save('plugins/stars/console/star.js')
save('plugins/notes/web/help.html', '<!doctype html><title>Notes</title>')
const notes = readRecipe('plugins/notes/index.js', DOCUMENT)
const calls = readRecipe('notes/setup', DOCUMENT)
save(
  'plugins/notes/index.js',
  notes.replace(PLACEHOLDER, () => calls),
)
// Links the server's own package so that they can import it.
await runCommand(home, ['plugins'])
save('plugins/bookmarks/src/index.test.ts')
save('providers/skylark/src/index.test.ts')
await Promise.all(['plugins/bookmarks', 'providers/aviary', 'providers/skylark'].map(compile))
/** The tests of the document run beside the others. */
const runTests = (folder: string) =>
  promisify(execFile)(process.execPath, ['--test', join(home, folder, 'dist/')], {
    env: createEnvironment(home, {}),
  }).catch(({ stdout }) => stdout)
const tested = runTests('plugins/bookmarks')
const skylarkTested = tested.then(() => runTests('providers/skylark'))

const HOOK_KEY = 'a key of the hook'
const config = { notes: { required: true, hook_key: HOOK_KEY, max_notes: 6 }, bookmarks: { required: true } }
save('config.json', JSON.stringify({ database, plugins: config }))
const { server, fake, agent_id, connect } = await startChat(t, { home })
const { request, admin } = server
const add = (note: string, token = admin.token) => request('POST', '/notes', { token, body: { text: note } })

t.test('packages are found, and switched off, as the documents say', async (t) => {
  const packages = createHome(t)
  const manifest = readRecipe('node_modules/svc-channel-pigeon/package.json', DOCUMENT)
  const install = (name: string) => {
    installPlugin(packages, name, readRecipe('channels/pigeon/index.js', DOCUMENT), 'node_modules')
    writeFileSync(join(packages, 'node_modules', name, 'package.json'), manifest)
  }
  const listed = async (config: string) => {
    writeFileSync(join(packages, 'config.json'), config)
    const { stdout, stderr } = await runCommand(packages, ['plugins', '--json'])
    t.equal(stderr, '')
    return (JSON.parse(stdout) as { name: string }[]).find(({ name }) => name.startsWith('svc-'))
  }
  install('svc-channel-irc')
  t.match(await listed(readRecipe('config.json', 'docs/operators.md')), {
    status: 'ok',
    version: '1.0.0',
    extends: [{ point: 'channels.kinds', name: 'pigeon' }],
  })
  install('svc-channel-pigeon')
  installPlugin(packages, 'notes', notes)
  t.match(await listed(readRecipe('config.json', DOCUMENT)), { status: 'off', error: 'switched off' })
})

t.test('the page of the document is listed and served', async (t) => {
  const { slots } = (await request('GET', '/console', { token: null })).body
  const module = '/console-slots/notes/console/page.js'
  t.match(
    slots.filter(({ plugin }: { plugin: string }) => plugin === 'notes'),
    [{ slot: 'pages', path: '/notes', label: { en: 'Notes', zh: '笔记' }, module }],
  )
  const read = async (path: string) => (await fetch(`${server.url}${path}`)).text()
  t.equal(await read(module), readRecipe('plugins/notes/console/page.js', DOCUMENT))
  t.match(await read('/notes-help/'), '<title>Notes</title>')
})

t.test('a button that calls a route is a plugin of at most 40 lines', async (t) => {
  const parts = ['plugins/stars/index.js', 'plugins/stars/console/star.js']
  const lines = parts.flatMap((path) => readRecipe(path, DOCUMENT).split('\n')).filter(Boolean)
  t.ok(lines.length <= 40, `${lines.length} lines`)
  const { slots } = (await request('GET', '/console', { token: null })).body
  const { module } = slots.find(({ plugin }: { plugin: string }) => plugin === 'stars')
  t.equal((await fetch(`${server.url}${module}`)).status, 200)
  const star = (body: object) => request('POST', '/stars', { body })
  t.equal((await star({ message_id: 'm1' })).status, 204)
  t.equal((await star({ message_id: 'm1' })).status, 204, 'again')
  t.equal((await star({})).status, 422)
})

t.test('what the document builds is loaded as it says', async (t) => {
  const { stdout } = await runCommand(home, ['plugins', '--json'])
  const rows: { name: string; status: string }[] = JSON.parse(stdout)
  for (const name of ['notes', 'notes-extras', 'stars', 'bookmarks', 'pigeon', 'aviary', 'skylark'])
    t.match(
      rows.find((row) => row.name === name),
      { status: 'ok', error: null },
      name,
    )
  const { body: health } = await request('GET', '/health')
  t.match(health, { status: 'ok', plugins: { notes: 'ok', 'notes-extras': 'ok', bookmarks: 'ok' } })
  const { stdout: findings } = await runCommand(home, ['doctor', '--json'])
  t.match(
    JSON.parse(findings).find(({ check }: { check: string }) => check === 'notes'),
    { ok: true, detail: 'at most 6 for each account' },
  )
  const { stdout: settings } = await runCommand(home, ['config'])
  t.notMatch(settings, HOOK_KEY)
  const { body: document } = await request('GET', '/openapi.json')
  t.match(document.paths['/notes/{id}'].get, { summary: 'Get a note', tags: ['notes'] })
  const { body: kinds } = await request('GET', '/channels/kinds')
  t.ok(kinds.some(({ kind }: { kind: string }) => kind === 'pigeon'))
})

t.test('the routes, the guard, the errors and the command of the document work', async (t) => {
  const ann = await server.createUser({ username: 'ann' })
  const bob = await server.createUser({ username: 'bob' })
  const made = await add('buy milk', ann.token)
  t.match(made, { status: 201, body: { text: 'buy milk' } })
  const path = `/notes/${made.body.id}`
  t.strictSame((await request('GET', path, { token: ann.token })).body, made.body)
  t.match(await request('GET', path, { token: bob.token }), {
    status: 404,
    body: { error: { code: 'NOTE_NOT_FOUND', message: `There is no note ${made.body.id}.` } },
  })
  t.match(await add('x'.repeat(1001), ann.token), { status: 422 })
  const linked = await add('see https://example.org', ann.token)
  t.match(linked, { status: 422, body: { error: { code: 'LINK_IN_NOTE' } } })
  for (const note of ['two', 'three', 'four', 'five', 'six']) await add(note, ann.token)
  t.match(await add('seven', ann.token), { status: 409, body: { error: { code: 'TOO_MANY_NOTES' } } })

  const first = await request('GET', '/notes?limit=4', { token: ann.token })
  t.equal(first.body.length, 4)
  const next = /^<(\?[^>]*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1]
  const second = await request('GET', `/notes${next}`, { token: ann.token })
  t.strictSame(
    second.body.map(({ text }: { text: string }) => text),
    ['five', 'six'],
  )
  t.match(await runCommand(home, ['notes', 'count', 'ann']), { code: 0, stdout: 'ann has 6 notes\n' })
  t.match(await runCommand(home, ['notes', 'count', 'nobody']), {
    code: 1,
    stderr: 'svc: The account nobody does not exist. (NO_SUCH_ACCOUNT)\n',
  })

  t.match(await request('DELETE', path, { token: ann.token }), { status: 204, body: '' })
  const audit = await server.db.collection('audit_log').find({ actor: 'ann' }).sort({ _id: 1 }).toArray()
  t.match(audit[0], { action: 'note.add', target: made.body.id, status: 201, payload: '{"text":"buy milk"}' })
  t.match(audit.at(-1), { action: 'note.delete', target: made.body.id, status: 204 })
  await request('DELETE', '/users/ann')
  t.equal(await server.db.collection('notes').countDocuments({ user_id: ann.id }), 0)
})

t.test('the pictures, downloads, the hook, the stream and the socket of the document work', async (t) => {
  const cat = await server.createUser({ username: 'cat' })
  const { token } = cat
  const { body: note } = await add('a picture', token)
  const path = `/notes/${note.id}/picture`
  t.match(await request('GET', path, { token }), { status: 404 })
  const put = await request('PUT', path, {
    token,
    body: 'not really',
    headers: { 'content-type': 'image/png' },
  })
  t.equal(put.status, 204)
  const got = await request('GET', path, { token, headers: { range: 'bytes=4-' } })
  t.match(got, { status: 206, body: 'really' })
  t.equal(got.headers.get('content-type'), 'image/png')

  t.equal((await request('GET', '/notes/export?format=txt', { token })).body, 'a picture\n')
  t.equal((await request('GET', '/notes/export?format=csv', { token })).body, `${note.id},"a picture"\n`)
  t.equal((await request('GET', '/notes/export?format=pdf', { token })).status, 404)

  const events = await readEvents(t, `${server.url}/api/notes/watch`, { token })
  const socket = await server.connect('/notes/ws', { token })
  socket.send({ type: 'add', text: 'by socket' })
  t.match(await socket.next('added'), { text: 'by socket', id: String })
  await events.until(({ text }) => text === 'by socket')
  const headers = { 'x-user': 'cat', 'x-key': HOOK_KEY }
  const hooked = await request('POST', '/notes/hook', { token: null, body: 'by hook', headers })
  t.match(hooked, { status: 202, body: 'stored' })
  await events.until(({ text }) => text === 'by hook')
  events.leave()
  t.equal((await request('POST', '/notes/hook', { token: null, body: 'x' })).status, 401)
  const fromPage = async (url: string) => {
    const { status, body } = await request('POST', '/notes/from-page', { token, body: { url } })
    return [status, body.error.code]
  }
  t.same(await fromPage('http://127.0.0.1:8080/'), [400, 'ADDRESS_NOT_ALLOWED'])
  t.same(await fromPage('http://127.0.0.1:9/'), [502, 'PAGE_NOT_READ'], 'a port that fetch refuses')
  const [row] = await server.db.collection('audit_log').find({ action: 'note.hook', status: 202 }).toArray()
  t.match(row, { actor: 'cat' })
})

t.test('the tool of the document saves a note once it is switched on', async (t) => {
  const settings = `/agents/${agent_id}/tool-settings/save_note`
  t.equal((await request('PATCH', settings, { body: { enabled: true } })).status, 200)
  fake.next({ toolCalls: [{ name: 'save_note', arguments: { text: 'from the agent' } }] }, { text: 'Saved.' })
  const socket = await connect()
  await socket.ask({ text: 'Remember this' })
  const { body: notes } = await request('GET', '/notes')
  t.match(notes, [{ text: 'from the agent' }])
})

t.test('the TypeScript plugin of the document works', async (t) => {
  const dan = await server.createUser({ username: 'dan', permissions: ['bookmarks'] })
  const body = { url: 'https://example.org/' }
  t.match(await request('POST', '/bookmarks', { body, token: dan.token }), { status: 201, body })
  const eve = await server.createUser({ username: 'eve' })
  t.equal((await request('POST', '/bookmarks', { body, token: eve.token })).status, 403)
  t.match(server.logged(), /"plugin":"bookmarks".*a bookmark was added/)
})

t.test('the tests of the document pass', async (t) => {
  for (const output of [await tested, await skylarkTested])
    t.match(output, { stdout: /fail 0/ }, String(output))
  const kind = readRecipe('providers/skylark/src/index.ts', DOCUMENT)
  t.equal(kind.trim().split('\n').length, 25, 'a provider kind that speaks takes 25 lines')
})

t.test('the provider kind of the document answers in a chat', async (t) => {
  const provider = { name: 'birds', kind: 'aviary', base_url: fake.url, api_key: 'k' }
  t.equal((await request('POST', '/admin/providers', { body: provider })).status, 201)
  t.equal((await request('PUT', '/models/active', { body: { model: 'birds:grey' } })).status, 200)
  fake.next({ text: 'Squawk.' })
  const socket = await connect()
  const { frames } = await socket.ask({ text: 'Pretty bird' })
  t.ok(frames.some(({ type, content }) => type === 'content' && content.includes('Squawk')))
  t.match(fake.requests.at(-1)!.body, { model: 'grey' })
})
