import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PACKAGE_ROOT } from '../../../kernel/loading/package.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { noBubblewrap } from '../../support/bubblewrap.ts'
import { startChat } from '../../support/chat.ts'
import { startFakeMcp } from '../../support/fake-mcp.ts'
import { createRandom } from '../../support/random.ts'
import { startServer } from '../../support/server.ts'

const chat = await startChat(t, {
  config: {
    plugins: {
      connectors: { call_seconds: 5, connect_seconds: 10, allow_hosts: ['127.0.0.1'] },
      // The programs are in folders that a sandbox hides.
      shell: { sandbox: 'off' },
    },
  },
})
const { server, fake, agent_id } = chat
const socket = await chat.connect()
const call = (method: string, path: string, body?: unknown) => server.request(method, path, { body })
const modules = join(PACKAGE_ROOT, 'tests/node_modules/@modelcontextprotocol')
const program = (name: string, args: string[], env: Record<string, string> = {}) =>
  call('POST', '/connectors', {
    name,
    kind: 'mcp_stdio',
    config: { command: process.execPath, args, env },
  })
/** Lets the model call a tool once, with approval, and returns the result. */
const callOnce = async (name: string, args: object = {}) => {
  fake.next({ toolCalls: [{ name, arguments: args }] }, { text: 'ok' })
  const { frames, end } = await socket.ask({ text: 'go' }, () => [{ type: 'approve' }])
  t.equal(end.type, 'done')
  return frames.find(({ type }) => type === 'tool_result')!
}
const findFreePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}
const give = (ids: string[]) =>
  call('PUT', `/agents/${agent_id}/connectors`, { connectors: ids.map((id) => ({ id })) })

t.test('The official servers run as programs', { skip: onlyLong }, async (t) => {
  const { body: all } = await program('all', [join(modules, 'server-everything/dist/index.js'), 'stdio'])
  t.match(all, { status: 'ready', auth: 'none', error: null })
  await give([all.id])
  t.match(await callOnce('all__echo', { message: 'hello' }), { output: /hello/, is_error: false })
  t.match(await callOnce('all__get-sum', { a: 2, b: 40 }), { output: /42/ })
  t.match(await callOnce('all__get-sum', { a: 'two' }), { is_error: true })
  t.match((await callOnce('all__get-tiny-image')).output, /\[file: .*png\]/)
  t.match((await callOnce('all__get-resource-links', { count: 2 })).sources, [
    { type: 'resource', connector: 'all' },
  ])

  const folder = join(server.home, 'connectors')
  const { body: files } = await program('files', [join(modules, 'server-filesystem/dist/index.js'), folder])
  t.match(files, { status: 'ready' })
  await give([files.id])
  t.match(await callOnce('files__list_directory', { path: folder }), { is_error: false, output: /con_/ })
  t.match(await callOnce('files__read_text_file', { path: '/etc/passwd' }), { is_error: true })
})

t.test('A server that knows only the older transport is reached as well', async (t) => {
  const port = await findFreePort()
  const env = { ...process.env, PORT: String(port) }
  const older = spawn(process.execPath, [join(modules, 'server-everything/dist/index.js'), 'sse'], { env })
  t.teardown(() => older.kill())
  for await (const line of createInterface(older.stderr)) if (line.startsWith('Server is running')) break
  const config = { url: `http://127.0.0.1:${port}/sse` }
  const { body } = await call('POST', '/connectors', { name: 'older', kind: 'mcp', config })
  t.match(body, { status: 'ready', error: null })
  await give([body.id])
  t.match(await callOnce('older__echo', { message: 'hello' }), { output: /hello/, is_error: false })
  t.match(await callOnce('older__get-sum', { a: 2, b: 40 }), { output: /42/ })
  t.equal((await call('DELETE', `/connectors/${body.id}`)).status, 204)
})

t.test('A program has an environment of its own, and what it says is kept without its secrets', async (t) => {
  const file = join(server.home, 'shy.mjs')
  writeFileSync(
    file,
    `console.error(JSON.stringify(Object.keys(process.env).sort()), process.env.API_KEY)
     setTimeout(() => process.exit(3), 100)`,
  )
  const { body } = await program('shy', [file], { API_KEY: 'canary-of-the-program' })
  t.match(body, { status: 'failed', config: { env: { API_KEY: '••••gram' } } })
  const { log } = await eventually('the log', async () => {
    const reply = await call('GET', `/connectors/${body.id}/log`)
    return reply.body.log !== '' && reply.body
  })
  t.match(log, /\["API_KEY","HOME","LANG","PATH"\]/)
  t.notMatch(log, 'canary-of-the-program')
  for (const config of [{ command: '/bin/cat' }, { args: ['another.mjs'] }])
    t.match(await call('PATCH', `/connectors/${body.id}`, { config }), {
      status: 422,
      body: { error: { details: { issues: [{ path: '/config/env/API_KEY', rule: 'address' }] } } },
    })
  t.match(await call('PUT', `/connectors/${body.id}/credentials`, { headers: { 'X-Key': 'x' } }), {
    status: 409,
    body: { error: { code: 'CONNECTOR_SIGN_IN_UNAVAILABLE' } },
  })
  const missing = await call('POST', '/connectors/probe', {
    kind: 'mcp_stdio',
    config: { command: '/nowhere/at/all' },
  })
  t.match(missing.body, { ok: false, reason: 'program', detail: /was not found/ })
})

t.test('The error of a program names what the sandbox hides from it', { skip: noBubblewrap }, async (t) => {
  const enclosed = await startServer(t, {
    config: {
      plugins: { shell: { enabled: true, sandbox: 'required' }, connectors: { connect_seconds: 10 } },
    },
  })
  const file = join(enclosed.home, 'hidden.mjs')
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 })
  const notShown = `the sandbox does not show "${file}": its folder has to be listed in plugins.shell.sandbox_folders`
  const probe = async (config: object) => {
    const { body } = await enclosed.request('POST', '/connectors/probe', {
      body: { kind: 'mcp_stdio', config },
    })
    return body
  }
  t.match(await probe({ command: file }), {
    ok: false,
    reason: 'program',
    detail: `The program "${file}" cannot be run: ${notShown}.`,
  })
  const { detail } = await probe({ command: process.execPath, args: [file] })
  t.ok(detail.startsWith(`The program ended with the exit code 1: ${notShown}. Its last words:`), detail)
})

t.test('A program that dies is started again for the next call, and ends with its connector', async (t) => {
  const file = join(server.home, 'mortal.mjs')
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline'
     import { spawn } from 'node:child_process'
     const child = spawn('sleep', ['600'])
     const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
     console.log('Welcome!')
     createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method, params } = JSON.parse(line)
       if (method === 'initialize') send(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'm', version: '1' } })
       if (method === 'tools/list') send(id, { tools: ['pid', 'die'].map((name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })) })
       if (method !== 'tools/call') return
       if (params.name === 'die') process.exit(1)
       send(id, { content: [{ type: 'text', text: process.pid + ' ' + child.pid }] })
     })`,
  )
  const { body } = await program('mortal', [file])
  t.match(body, { status: 'ready' })
  await give([body.id])
  const first = (await callOnce('mortal__pid')).output
  t.equal((await callOnce('mortal__pid')).output, first, 'it is shared')
  t.match(await callOnce('mortal__die'), { is_error: true, output: /failed \(program\)/ })
  const second = (await callOnce('mortal__pid')).output as string
  t.not(second, first)
  await call('DELETE', `/connectors/${body.id}`)
  const isRunning = (pid: string) => {
    try {
      return process.kill(Number(pid), 0)
    } catch {
      return false
    }
  }
  await eventually('the end of the group', async () => !second.split(' ').some(isRunning))
})

/** A server that waits only briefly for programs. */
const hasty = await startServer(t, {
  config: {
    plugins: {
      connectors: { connect_seconds: 1, allow_hosts: ['127.0.0.1'] },
      shell: { sandbox: 'off' },
    },
  },
})

t.test('No message of a server crashes or hangs this one', async (t) => {
  const mcp = await startFakeMcp()
  t.teardown(() => mcp.close())
  const random = createRandom(7)
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!
  const odd = [
    null,
    [],
    {},
    '',
    'x'.repeat(100_000),
    -1,
    1e308,
    true,
    { $ref: '#' },
    [[[[]]]],
    '\u0000',
    '\ud800',
  ]
  const make = (id: unknown): string => {
    const result = {
      tools: pick([odd, [{ name: pick(odd), inputSchema: pick(odd) }], pick(odd)]),
      content: pick([
        pick(odd),
        [{ type: pick(['text', 'image', 'resource', 'x']), text: pick(odd), data: pick(odd) }],
      ]),
      nextCursor: pick(odd),
      protocolVersion: pick([...odd, '2025-06-18']),
      capabilities: pick(odd),
      serverInfo: pick(odd),
    }
    const message = pick<unknown>([
      { jsonrpc: '2.0', id, result },
      { jsonrpc: '2.0', id, result: pick(odd) },
      { jsonrpc: '2.0', id, error: pick([...odd, { code: pick(odd), message: pick(odd) }]) },
      { jsonrpc: pick(odd), id: pick(odd), method: pick(odd), params: pick(odd) },
      pick(odd),
    ])
    const text = JSON.stringify(message)
    return random() < 0.3 ? text.slice(0, Math.floor(random() * text.length)) : text
  }
  const body = { kind: 'mcp', config: { url: mcp.url } }
  const probe = () => hasty.request('POST', '/connectors/probe', { body })
  mcp.onRequest = (_, { id, method }, reply) => {
    if (random() < 0.4 && method === 'initialize') return false
    const type = pick(['application/json', 'text/event-stream', 'text/event-stream', 'text/html'])
    const text = make(id)
    reply.writeHead(pick([200, 200, 200, 202, 204, 500]), { 'content-type': type })
    reply.end(type === 'text/event-stream' ? `event: message\ndata: ${text}\n\n` : text)
    return true
  }
  // A reply without the id of its request is waited for in vain, so that many rounds run at once.
  for (let rounds = 0; rounds < amount({ short: 16, long: 500 }); rounds += 16)
    for (const { status, body } of await Promise.all(Array.from({ length: 16 }, probe))) {
      t.equal(status, 200)
      t.type(body.ok, 'boolean')
    }
  mcp.onRequest = undefined
  t.match((await probe()).body, { ok: true })
})

t.test('No line of a program crashes this server, nor fills its memory', async (t) => {
  const file = join(server.home, 'babbler.mjs')
  writeFileSync(
    file,
    `const [mode] = process.argv.slice(2)
     const line = mode === 'endless' ? 'x'.repeat(65536) : { lines: 'nonsense\\n', messages: '{"jsonrpc":"2.0","id":9,"result":{}}\\n', nulls: 'null\\n[]\\n{}\\n' }[mode]
     const more = () => process.stdout.write(line.repeat(mode === 'endless' ? 1 : 100), () => setImmediate(more))
     process.stdout.on('error', () => process.exit())
     more()`,
  )
  const initialBytes = process.memoryUsage.rss()
  const modes = ['endless', 'lines', 'messages', 'nulls'].slice(0, amount({ short: 1, long: 4 }))
  for (const mode of modes) {
    const config = { command: process.execPath, args: [file, mode] }
    const { status, body } = await hasty.request('POST', '/connectors/probe', {
      body: { kind: 'mcp_stdio', config },
    })
    t.match({ status, body }, { status: 200, body: { ok: false, reason: String } }, mode)
  }
  const grown = (process.memoryUsage.rss() - initialBytes) / 1024 / 1024
  t.ok(grown < 256, `${grown.toFixed()} MiB more`)
})
