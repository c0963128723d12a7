import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '../run/file-test.ts'
import { bareConfig, createHome, pluginSource, runCommand, spawnCommand } from '../support/kernel.ts'
import { installPlugin } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

const tool = pluginSource(
  'tool',
  `
  host.collection('notes')
  host.routes([{ method: 'GET', path: '/notes/:id', summary: 'Read', guard: 'public', response: { 200: {} }, handler() {} }])
  host.socket({ path: '/notes/ws', summary: 'Watch', guard: 'public', receive: {}, send: {}, handler() {} })
  host.on('note.added', ({ text }, { collections }) => collections.notes.insertOne({ text }))
  const command = (name, run, more) => host.command({ name, summary: 'Do ' + name, run, ...more })
  command('say', ({ args, options, stdout }) => void stdout.write(JSON.stringify({ args, options }) + '\\n'), {
    arguments: [{ name: 'first', summary: 'f', required: true }, { name: 'rest...', summary: 's' }],
    options: [{ flags: '--loud', summary: 'l' }, { flags: '--to <name>', summary: 't' }],
    database: false,
  })
  command('note add', async ({ args, stdout }, { events, collections }) => {
    await events.emit('note.added', { text: args[0] })
    stdout.write(String(await collections.notes.countDocuments()))
  }, { arguments: [{ name: 'text', summary: 't', required: true }] })
  command('note fail', () => { throw host.error('NOTE_LOST', { name: 'mine' }) }, { database: false })
  const named = { arguments: [{ name: 'name', summary: 'n' }], database: false }
  const lose = () => { throw host.error('NOT_FOUND') }
  command('note lose', lose, named)
  command('note list', () => {}, { database: false })
  command('page lose', lose, named)
  command('note spoil', () => {
    throw host.error('VALIDATION_FAILED', { issues: [{ path: '/text', rule: 'minLength', message: 'must not be empty' }] })
  }, { database: false })
  command('note break', () => { throw new Error('torn apart', { cause: new Error('by the wind') }) }, { database: false })
  command('note drop', () => { throw 'just text' }, { database: false })
  command('count', async ({ options, stdout }, { collections }) =>
    void stdout.write(options.here ? String(await collections.notes.countDocuments()) : 'elsewhere'), {
    options: [{ flags: '--here', summary: 'h' }],
    usesDatabase: ({ options }) => options.here === true,
  })
  command('note peek', (input, { collections }) => void collections.notes, { database: false })
  command('note log', (input, { log }) => { log.info('quietly'); log.warn('loudly'); return 7 }, { database: false })`,
  `errors: { NOTE_LOST: { status: 404, message: { en: 'The note {name} is lost.', zh: '笔记 {name} 丢失了。' } } },
   events: ['note.added'],`,
)

function prepare(t: Test, config: Parameters<typeof bareConfig>[0] = {}): string {
  const home = createHome(t, bareConfig(config))
  installPlugin(home, 'tool', tool)
  return home
}

t.test('svc prints its help and version, and refuses unknown commands and options', async (t) => {
  const home = prepare(t)
  const { code, stdout } = await runCommand(home, ['help'])
  t.equal(code, 0)
  for (const words of [
    /^Usage: svc /,
    /serve .*Run the server/,
    /doctor/,
    /say .*Do say/,
    /note +add, fail, lose, list, spoil/m,
  ])
    t.match(stdout, words)
  t.match(await runCommand(home, ['help', 'note']), { code: 0, stdout: /add <text> +Do note add/ })
  const shown = await runCommand(home, ['--version'])
  t.equal(shown.code, 0)
  t.match(shown.stdout.replace(version, 'VERSION'), /^VERSION \([0-9a-f]{8,}(-dirty)?\)\n$/)
  t.match(await runCommand(home, []), { code: 1, stderr: /^Usage: svc / })
  t.match(await runCommand(home, ['nothing']), {
    code: 1,
    stderr: /unknown command 'nothing'.*svc help shows all/s,
  })
  t.notOk(existsSync(join(home, 'db')), 'none of these commands needs a database')
})

t.test('svc config prints a table, or JSON with --json', async (t) => {
  const home = prepare(t)
  const { code, stdout, stderr } = await runCommand(home, ['config'], { env: { SVC_PORT: '99' } })
  t.same([code, stderr], [0, ''])
  const lines = stdout.trimEnd().split('\n')
  t.match(lines[1], /^http\.port +99 +env SVC_PORT +SVC_PORT$/)
  t.match(lines[2], /^http\.public_url +- +default +SVC_PUBLIC_URL$/)
  t.ok(lines.some((line) => /^http\.cors_origins +\[\] +default/.test(line)))
  t.ok(lines.some((line) => /^plugins\.tool\.enabled +true +default +$/.test(line)))
  t.equal(
    new Set(lines.map((line) => line.search(/(?<= )(default|env|config)/))).size,
    1,
    'columns are aligned',
  )
  t.notOk(existsSync(join(home, 'db')))
})

const findRow = (rows: { name: string }[], wanted: string) => rows.find(({ name }) => name === wanted)

t.test('svc plugins lists every plugin, its contributions, and the reason if it is left out', async (t) => {
  const home = prepare(t)
  const { code, stdout } = await runCommand(home, ['plugins'])
  t.equal(code, 0)
  t.match(stdout, /^name +version +source +status +provides, or why it does not load$/m)
  t.match(
    stdout,
    /^tool +1\.0\.0 +.*\/plugins\/tool +ok +1 collection, 1 route, 1 socket, 12 commands, 1 event$/m,
  )
  t.match(stdout, /^auth +\S+ +built-in +off +switched off$/m)

  const whole = createHome(t, { plugins: { terminal: { enabled: false } } })
  installPlugin(whole, 'tool', tool)
  const listed = await runCommand(whole, ['plugins', '--json'])
  const rows: { name: string }[] = JSON.parse(listed.stdout)
  t.match(findRow(rows, 'tool'), {
    version: '1.0.0',
    source: join(whole, 'plugins/tool'),
    enabled: true,
    depends: [],
    start_ms: null,
    status: 'ok',
    provides: [],
    declares: { collections: ['notes'], routes: ['GET /notes/:id'], sockets: ['/notes/ws'] },
  })
  t.match(findRow(rows, 'auth'), {
    enabled: true,
    source: 'built-in',
    provides: [],
    declares: { guards: [] },
  })
  t.match(findRow(rows, 'terminal'), { enabled: false, status: 'off', error: 'switched off', provides: [] })
  t.match(findRow(rows, 'telegram'), { extends: [{ point: 'channels.kinds', name: 'telegram' }] })
  t.match(findRow(rows, 'channels'), { points: { 'channels.kinds': [] } })
  const { stdout: table } = await runCommand(whole, ['plugins'])
  t.match(table, /^providers\.kinds +.*demo/m)
  t.notMatch(table, /^telegram /m, 'built-in kinds are listed only as entries of their extension point')
})

t.test('a plugin command receives its arguments and options', async (t) => {
  const home = prepare(t)
  const said = await runCommand(home, ['say', 'a b', '--loud', '--to', 'ann'])
  t.same([said.code, said.stderr], [0, ''])
  t.same(JSON.parse(said.stdout), { args: ['a b'], options: { loud: true, to: 'ann' } })
  const { stdout } = await runCommand(home, ['say', 'a', 'b', 'c'])
  t.same(JSON.parse(stdout).args, ['a', 'b', 'c'], 'the last argument takes all the rest')
  t.notOk(existsSync(join(home, 'db')), 'the database was not opened, because the command does not use it')
})

t.test('a command that uses the database can write to it and emit events to all plugins', async (t) => {
  const home = prepare(t, { database: { url: await createDatabaseUrl(t) } })
  t.match(await runCommand(home, ['note', 'add', 'x']), { code: 0, stdout: '1', stderr: '' })
  t.match(await runCommand(home, ['note', 'peek']), {
    code: 1,
    stderr: /plugin "tool" asks for the collection "notes" in a command without a database/,
  })
})

t.test('a command decides by its input if it uses the database', async (t) => {
  const home = prepare(t, { database: { url: await createDatabaseUrl(t) } })
  t.match(await runCommand(home, ['count', '--here']), { code: 0, stdout: '0', stderr: '' })
  const unreachable = prepare(t, { database: { url: 'mongodb://127.0.0.1:1/svc' } })
  t.match(await runCommand(unreachable, ['count']), { code: 0, stdout: 'elsewhere', stderr: '' })
})

t.test('a declared error of a command is printed in the language of the terminal', async (t) => {
  const home = prepare(t)
  const cases: [env: Record<string, string>, stderr: string][] = [
    [{ LANG: 'zh_CN.UTF-8' }, 'svc: 笔记 mine 丢失了。 (NOTE_LOST)\n'],
    [{ LANG: 'zh_CN.UTF-8', LC_ALL: 'C.UTF-8' }, 'svc: The note mine is lost. (NOTE_LOST)\n'],
  ]
  for (const [env, stderr] of cases)
    t.match(await runCommand(home, ['note', 'fail'], { env }), { code: 1, stdout: '', stderr })
  const lost = [
    [['note', 'lose', 'x'], 'svc: The name "x" does not exist. "svc note list" shows those that do.\n'],
    [['page', 'lose', 'x'], 'svc: The name "x" does not exist.\n'],
    [['page', 'lose'], 'svc: Not found. (NOT_FOUND)\n'],
  ] as const
  for (const [args, stderr] of lost) t.match(await runCommand(home, [...args]), { code: 1, stderr })
  const { stderr } = await runCommand(home, ['note', 'spoil'])
  t.equal(stderr, 'svc: Some fields are not valid. /text must not be empty. (VALIDATION_FAILED)\n')
})

t.test('an unexpected error of a command is printed with its stack', async (t) => {
  const home = prepare(t)
  t.match(await runCommand(home, ['note', 'break']), {
    code: 1,
    stderr: /^svc: Error: torn apart\n +at [\s\S]*by the wind/,
  })
  t.match(await runCommand(home, ['note', 'drop']), { code: 1, stderr: /^svc: 'just text'\n$/ })
})

t.test('commands log warnings unless the configuration sets another level', async (t) => {
  const home = prepare(t)
  for (const [env, quietly, loudly] of [
    [{ SVC_LOG_LEVEL: '' }, false, true],
    [{ SVC_LOG_LEVEL: 'info' }, true, true],
  ] as const) {
    const { code, stderr } = await spawnCommand(home, ['note', 'log'], { env })
    t.equal(code, 7, 'the exit code of the command')
    t.equal(stderr.includes('quietly'), quietly)
    t.equal(stderr.includes('loudly'), loudly)
  }
})

t.test(
  'every command reports an invalid configuration in one sentence, and with a stack if requested',
  async (t) => {
    const home = createHome(t, { http: { prot: 1 } })
    const sentence = 'svc: the configuration has no key "http.prot"; did you mean "http.port"?\n'
    for (const args of [['serve'], ['help']])
      t.same(await runCommand(home, args), { code: 1, stdout: '', stderr: sentence })
    t.match(await runCommand(home, ['doctor']), { code: 1, stdout: /FAIL +configuration/ }, 'it needs none')
    const { stderr } = await runCommand(home, ['config'], { env: { SVC_LOG_LEVEL: 'debug' } })
    t.match(stderr, /did you mean "http\.port"\?\n +at /)
  },
)
