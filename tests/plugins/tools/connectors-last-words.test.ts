import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import { findLastWords } from '../../../plugins/tools/connectors/connections/program.ts'
import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'

const server = await startServer(t, {
  config: { plugins: { connectors: { connect_seconds: 10 }, shell: { sandbox: 'off' } } },
})
const file = join(server.home, 'program.mjs')
const probe = async (config: object) =>
  (await server.request('POST', '/connectors/probe', { body: { kind: 'mcp_stdio', config } })).body
const run = (source: string, env: Record<string, string> = {}) => {
  writeFileSync(file, source)
  return probe({ command: process.execPath, args: [file], env })
}

/** The ends of programs, and what people read about them. */
const ends: Record<string, [string[], string]> = {
  'an exit code': [['-c', 'exit 3'], 'The program ended with the exit code 3.'],
  'the last line': [
    ['-c', 'echo starting >&2; echo the key is missing >&2; exit 1'],
    'The program ended with the exit code 1. Its last words: the key is missing',
  ],
  'an unknown command': [
    ['-c', 'exec 2>&1; nosuchcommand 1>&2'],
    'The program ended with the exit code 127. Its last words: ',
  ],
  'words on the other output': [
    ['-c', 'echo usage: server KEY; exit 2'],
    'The program ended with the exit code 2. Its last words: usage: server KEY',
  ],
  'a signal': [
    ['-c', 'echo out of memory >&2; kill -9 $$'],
    'The program was ended by the signal SIGKILL. Its last words: out of memory',
  ],
  'no permission': [['-c', 'exec /etc/passwd'], 'The program ended with the exit code 126. Its last words: '],
  'a secret': [
    ['-c', 'echo no account for $API_KEY >&2; exit 1'],
    'The program ended with the exit code 1. Its last words: no account for ••••-key',
  ],
}

t.test('The last words of a program that ends at once are its error', async (t) => {
  for (const [name, [args, words]] of Object.entries(ends)) {
    const { ok, detail } = await probe({ command: '/bin/sh', args, env: { API_KEY: 'canary-of-the-key' } })
    t.equal(ok, false, name)
    t.ok(detail.startsWith(words), `${name}: ${detail}`)
  }
  writeFileSync(join(server.home, 'closed'), 'no program', { mode: 0o644 })
  t.match(await probe({ command: join(server.home, 'closed') }), {
    reason: 'program',
    detail: /may not be executed\.$/,
  })
  t.match(await probe({ command: 'no-such-program-here' }), { reason: 'program', detail: /was not found/ })
  const { body } = await server.request('POST', '/connectors', {
    body: {
      name: 'ending',
      kind: 'mcp_stdio',
      config: { command: '/bin/sh', args: ends['the last line']![0] },
    },
  })
  t.match(body, { status: 'failed', error: ends['the last line']![1] })
})

/** The logs of programs of several languages, and the line of each that says why the program ended. */
const logs: [string, string][] = [
  [
    'Traceback (most recent call last):\n  File "/srv/server.py", line 3, in <module>\n    import mcp\nModuleNotFoundError: No module named \'mcp\'\n',
    "ModuleNotFoundError: No module named 'mcp'",
  ],
  [
    "file:///srv/a.mjs:1\nthrow new Error('no settings')\n      ^\n\nError: no settings\n    at file:///srv/a.mjs:1:7\n    at node:internal/main:1\n\nNode.js v20.19.0\n",
    'Error: no settings',
  ],
  [
    "thread 'main' panicked at src/main.rs:4:10:\nno token\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
    "thread 'main' panicked at src/main.rs:4:10: no token",
  ],
  [
    'panic: no token\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:8 +0x1d\nexit status 2\n',
    'panic: no token',
  ],
  [
    "npm error code E404\nnpm error 404  'no-such-server@*' is not in this registry.\nnpm error A complete log of this run can be found in: /home/x/.npm/_logs/debug.log\n",
    "npm error 404  'no-such-server@*' is not in this registry.",
  ],
  [
    'Exception in thread "main" java.lang.IllegalStateException: no token\n\tat Main.main(Main.java:3)\n\t... 12 more\n',
    'Exception in thread "main" java.lang.IllegalStateException: no token',
  ],
  ['Error: no token\r\n\r\n', 'Error: no token'],
  ['   only indented\n', 'only indented'],
  [`${'x'.repeat(1000)}\n`, 'x'.repeat(300)],
]

t.test('The line of a log that says why a program ended is found', async (t) => {
  for (const [log, words] of logs) t.equal(findLastWords(log), words)
  t.equal(findLastWords('\n---\n'), undefined)
})

/** Ways in which programs write messages, and lines that are none. */
const speakers: Record<string, string> = {
  'a greeting first': `console.log('Welcome!'); console.log('{"level":"info","msg":"listening"}'); start()`,
  'both line ends': `end = '\\r\\n'; start()`,
  'a byte order mark': `process.stdout.write('\\uFEFF'); start()`,
  'empty lines': `end = '\\n\\n  \\n'; start()`,
  'words between messages': `before = 'debug: answering\\n'; start()`,
  'many words before each message': `before = 'debug\\n'.repeat(90); start()`,
  'a byte at a time': `slow = true; start()`,
  'ids that are texts': `toId = String; start()`,
  'no ids': `toId = () => null; start()`,
  'a batch': `wrap = (message) => [message]; start()`,
  'an error beside the result': `wrap = (message) => ({ ...message, error: null }); start()`,
  'notes that are null': `wrap = (message) => ({ ...message, result: { ...message.result, _meta: null } }); start()`,
  'a result to the letter of no version': `initialized = { capabilities: { tools: [] }, serverInfo: null }; start()`,
}
const speaker = (beginning: string) => `
  import { writeSync } from 'node:fs'
  import { createInterface } from 'node:readline'
  let end = '\\n', before = '', slow = false, toId = (id) => id, wrap = (message) => message
  let initialized = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
  const write = (text) => slow ? [...Buffer.from(text)].forEach((byte) => writeSync(1, Buffer.of(byte))) : process.stdout.write(text)
  const answer = (id, result) => write(before + JSON.stringify(wrap({ jsonrpc: '2.0', id: toId(id), result })) + end)
  const start = () => createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (method === 'initialize') answer(id, initialized)
    if (method === 'tools/list') answer(id, { tools: [{ name: 'work', inputSchema: { type: 'object' } }] })
  })
  ${beginning}`

t.test('A program is understood whatever it writes beside its messages', async (t) => {
  for (const [name, beginning] of Object.entries(speakers))
    t.match(await run(speaker(beginning)), { ok: true, tools: [{ name: 'work' }] }, name)
  const { body } = await server.request('POST', '/connectors', {
    body: { name: 'chatty', kind: 'mcp_stdio', config: { command: process.execPath, args: [file] } },
  })
  writeFileSync(file, speaker(speakers['a greeting first']!))
  await server.request('POST', `/connectors/${body.id}/test`)
  await eventually('the greeting in the log', async () => {
    const { log } = (await server.request('GET', `/connectors/${body.id}/log`)).body
    return /Welcome!\n.*listening/.test(log)
  })
})
