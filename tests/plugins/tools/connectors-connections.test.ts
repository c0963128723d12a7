import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { createGuardedFetch } from '#kernel'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import { openConnection } from '../../../plugins/tools/connectors/connections/connection.ts'
import { createConnectionPool } from '../../../plugins/tools/connectors/connections/pool.ts'
import t from '../../run/file-test.ts'
import { type ChatSocket, type Decide, startChat } from '../../support/chat.ts'
import { fakeTool, type McpCall, startFakeMcp } from '../../support/fake-mcp.ts'
import { runCommand } from '../../support/kernel.ts'

const CALL_SECONDS = 3

const mcp = await startFakeMcp()
t.teardown(() => mcp.close())
const readOnly = { annotations: { readOnlyHint: true } }
mcp.tools = ['slow', 'steady', 'other'].map((name) => fakeTool(name, readOnly))
const chat = await startChat(t, {
  config: {
    plugins: {
      connectors: { allow_hosts: ['127.0.0.1'], call_seconds: CALL_SECONDS, connect_seconds: 10 },
      // The programs are in folders that a sandbox hides.
      shell: { sandbox: 'off' },
    },
  },
})
const { server, fake, agent_id } = chat
const socket = await chat.connect()
/** Makes a connector with a server or program of its own, the only one of the agent. */
const connect = async (name: string, config: object = { url: mcp.url }, kind = 'mcp') => {
  const connector = await server.call('POST', '/connectors', { name, kind, config })
  t.equal(connector.status, 'ready', JSON.stringify(connector.error))
  await server.call('PUT', `/agents/${agent_id}/connectors`, { connectors: [{ id: connector.id }] })
}
const connectProgram = async (name: string, source: string) => {
  const file = join(server.home, `${name}.mjs`)
  writeFileSync(file, source)
  await connect(name, { command: process.execPath, args: [file] }, 'mcp_stdio')
}
/** Opens a connection of its own. */
const openHere = (url: string, fetch = globalThis.fetch) =>
  openConnection(
    { transport: 'http', url },
    {
      fetch,
      home: server.home,
      processes: undefined as never,
      version: '1',
      connect_seconds: 30,
      call_seconds: 30,
      max_call_seconds: 600,
      onGreeting: () => undefined,
      onLog: () => undefined,
      redact: (text) => text,
      onToolsChanged: () => undefined,
    },
  )

/** A program with these tools, whose calls the body of a function answers. */
const programOf = (tools: string[], onCall: string) => `
  import { createInterface } from 'node:readline'
  const write = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const answers = new Map()
  let asked = 0
  const ask = (method, params) => new Promise((resolve) => {
    const id = 'ask-' + (asked += 1)
    answers.set(id, resolve)
    write({ id, method, params })
  })
  const onCall = async ({ name, arguments: args }) => { ${onCall} }
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method, params, result } = JSON.parse(line)
    if (method === undefined) return answers.get(id)?.(result)
    if (method === 'initialize') write({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } } })
    if (method === 'ping') write({ id, result: {} })
    if (method === 'tools/list') write({ id, result: { tools: ${JSON.stringify(tools)}.map((name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })) } })
    if (method === 'tools/call') write({ id, result: { content: [{ type: 'text', text: String(await onCall(params)) }] } })
  })`
fake.script(({ body }) => {
  const { role, content } = body.messages.at(-1)!
  return role === 'user' ? { toolCalls: JSON.parse(String(content)) } : { text: 'ok' }
})
/** Lets the model call tools at once, and returns the results. */
const callAll = async (
  names: string[],
  { through = socket, decide }: { through?: ChatSocket; decide?: Decide } = {},
) => {
  const calls = names.map((name) => ({ name, arguments: {} }))
  const { frames, end } = await through.ask({ text: JSON.stringify(calls) }, decide)
  t.equal(end.type, 'done')
  return frames.filter(({ type }) => type === 'tool_result')
}
/** A server over HTTP with server-sent events, as before streamable HTTP, with the tools `large` and `small`. */
const startOlderServer = async (onCall: (name: string) => string) => {
  let stream: ServerResponse | undefined
  const http = createServer(async (request, response) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void stream.write('event: endpoint\ndata: /messages\n\n')
    }
    if (request.url !== '/messages') return void response.writeHead(405).end()
    const { id, method, params } = (await json(request)) as {
      id?: number
      method: string
      params: { name: string }
    }
    response.writeHead(202).end()
    const tools = ['large', 'small'].map((name) => fakeTool(name, readOnly))
    const results: Record<string, () => object> = {
      initialize: () => ({
        protocolVersion: '2024-11-05',
        capabilities: { tools: {} },
        serverInfo: { name: 'older', version: '1' },
      }),
      'tools/list': () => ({ tools }),
      'tools/call': () => text(onCall(params.name)),
    }
    if (id === undefined) return
    const result = results[method]?.()
    const answer = result ? { result } : { error: { code: -32601, message: 'unknown method' } }
    stream!.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n\n`)
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`,
    close: () => {
      http.closeAllConnections()
      http.close()
    },
  }
}
const text = (words: string) => ({ content: [{ type: 'text', text: words }] })

t.test('A call that times out harms neither its siblings nor the connection, and counts once', async (t) => {
  await connect('tracker')
  let release: (() => void) | undefined
  const begun: string[] = []
  mcp.onCall = async ({ message: { params } }: McpCall) => {
    begun.push(String(params?.name))
    if (params?.name === 'slow') return new Promise(() => undefined)
    if (params?.name === 'steady') await new Promise<void>((resolve) => (release = resolve))
    return text(`${params?.name} is done`)
  }
  await callAll(['tracker__other'])
  const sessions = mcp.of('initialize').length
  const second = await chat.connect()
  const slow = callAll(Array(4).fill('tracker__slow'))
  await eventually('the calls', async () => begun.filter((name) => name === 'slow').length === 4)
  await pause((CALL_SECONDS * 1000) / 2)
  const steady = callAll(['tracker__steady'], { through: second })
  const timedOut = await slow
  for (const result of timedOut)
    t.match(result, {
      is_error: true,
      output: /failed \(timeout\): The server did not answer within 3 seconds/,
    })
  release!()
  t.match(await steady, [{ output: 'steady is done', is_error: false }])
  t.equal(mcp.of('notifications/cancelled').length, 4)
  t.match(await callAll(['tracker__other']), [{ output: 'other is done', is_error: false }])
  t.equal(mcp.of('initialize').length, sessions, 'the connection is the same')
})

t.test('A refusal of a call keeps the session, and puts no server to rest', async (t) => {
  await connect('strict')
  mcp.onCall = async ({ message }) => text(`${message.params?.name} is done`)
  await callAll(['strict__steady'])
  const sessions = mcp.of('initialize').length
  mcp.onRequest = (_, { id, method }, reply) => {
    if (method !== 'tools/call') return false
    const error = { code: -32602, message: 'no city of that name' }
    reply.writeHead(200, { 'content-type': 'application/json' })
    return Boolean(reply.end(JSON.stringify({ jsonrpc: '2.0', id, error })))
  }
  for (let calls = 0; calls < 4; calls += 1)
    t.match(await callAll(['strict__other']), [{ is_error: true, output: /no city of that name/ }])
  mcp.onRequest = undefined
  t.match(await callAll(['strict__steady']), [{ is_error: false, output: 'steady is done' }])
  t.equal(mcp.of('initialize').length, sessions)
})

t.test('A server that has forgotten its sessions gets a new one, and the call again', async (t) => {
  await connect('forgetful')
  mcp.onCall = async ({ message }) => text(`${message.params?.name} is done`)
  for (const status of [404, 400, 410]) {
    t.match(await callAll(['forgetful__steady']), [{ is_error: false }])
    let isRestarted = true
    mcp.onRequest = (headers, { method }, reply) => {
      if (method === 'initialize') isRestarted = false
      if (!isRestarted || headers['mcp-session-id'] === undefined) return false
      return Boolean(reply.writeHead(status).end('No valid session ID'))
    }
    const sessions = mcp.of('initialize').length
    const results = await callAll(['forgetful__steady'])
    t.match(results, [{ is_error: false, output: 'steady is done' }], String(status))
    t.equal(mcp.of('initialize').length, sessions + 1)
    mcp.onRequest = undefined
  }
})

t.test('A program that is busy keeps running, and one that hangs is replaced', async (t) => {
  await connectProgram(
    'clerk',
    programOf(
      ['pid', 'wait', 'hang'],
      `if (name === 'wait') await new Promise(() => undefined)
       if (name === 'hang') for (;;);
       return process.pid`,
    ),
  )
  const [first] = await callAll(['clerk__pid'])
  t.match(await callAll(['clerk__wait']), [{ is_error: true, output: /failed \(timeout\)/ }])
  t.match(await callAll(['clerk__pid']), [{ output: first!.output }])
  t.match(await callAll(['clerk__hang']), [{ is_error: true, output: /failed \(timeout\)/ }])
  const [second] = await callAll(['clerk__pid'])
  t.match(second, { is_error: false })
  t.not(second!.output, first!.output)
})

t.test('An answer that is too large is said to be so at once, whatever carries it', async (t) => {
  const SIZE = 12 * 1024 * 1024
  const tooLarge = [
    {
      is_error: true,
      output: /failed \(too large\): The server sent more than 10 MiB in one answer, which is the limit\.$/,
    },
  ]
  mcp.onCall = async ({ message: { params }, send }) => {
    if (params?.name === 'other')
      send({ method: 'notifications/message', params: { level: 'info', data: '' } })
    return params?.name === 'steady' ? text('steady is done') : text('x'.repeat(SIZE))
  }
  await connect('library')
  t.match(await callAll(['library__slow']), tooLarge, 'a JSON answer')
  t.match(await callAll(['library__other']), tooLarge, 'an event stream')
  mcp.onRequest = (_, { id, method }, reply) => {
    if (method !== 'tools/call') return false
    // The client may ask again for a stream whose events have ids.
    reply.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 1\ndata:\n\n')
    reply.write(`data: {"jsonrpc":"2.0","id":${id},"result":"`)
    const more = () => reply.destroyed || reply.write('x'.repeat(65_536), () => setImmediate(more))
    return Boolean(more()) || true
  }
  t.match(await callAll(['library__slow']), tooLarge, 'an event without end')
  mcp.onRequest = undefined
  t.match(await callAll(['library__steady']), [{ output: 'steady is done' }], 'the server is not at rest')

  const older = await startOlderServer((name) => (name === 'large' ? 'x'.repeat(SIZE) : 'done'))
  t.teardown(() => older.close())
  await connect('older', { url: older.url })
  t.match(await callAll(['older__large']), tooLarge, 'the older transport')
  t.match(await callAll(['older__small']), [{ output: 'done' }])

  await connectProgram(
    'press',
    programOf(['large', 'small'], `return name === 'large' ? 'x'.repeat(${SIZE}) : 'done'`),
  )
  t.match(await callAll(['press__large']), tooLarge, 'a program')
  t.match(await callAll(['press__small']), [{ output: 'done' }])
})

t.test('An answer with too many levels or values is not parsed, whatever carries it', async (t) => {
  const results: Record<string, string> = {
    slow: `{"content":[],"structuredContent":${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}}`,
    other: `{"content":[${'{},'.repeat(3_000_000)}{}]}`,
    steady: `{"content":[${'{"type":"x"},'.repeat(20_000)}{"type":"x"}]}`,
  }
  const refusals: Record<string, RegExp> = {
    slow: /failed \(too large\): The server sent an answer that is not read: it has more than 64 levels\.$/,
    other:
      /failed \(too large\): The server sent an answer that is not read: it has more than 50000 values\.$/,
    steady: /\[no output\]/,
  }
  const toMessages = (answer: string) => `[${'{"jsonrpc":"2.0","method":"a"},'.repeat(2000)}${answer}]`
  await connect('digger')
  for (const type of ['application/json', 'text/event-stream']) {
    mcp.onRequest = (_, { id, method, params }, reply) => {
      if (method !== 'tools/call') return false
      const answer = `{"jsonrpc":"2.0","id":${id},"result":${results[String(params?.name)]}}`
      reply.writeHead(200, { 'content-type': type })
      return Boolean(reply.end(type === 'application/json' ? answer : `: "\ndata: ${answer}\n\n`))
    }
    for (const [name, output] of Object.entries(refusals))
      t.match(await callAll([`digger__${name}`]), [{ output }], `${name} as ${type}`)
  }
  mcp.onRequest = (_, { id, method }, reply) => {
    if (method !== 'tools/call') return false
    reply.writeHead(200, { 'content-type': 'application/json' })
    return Boolean(reply.end(toMessages(`{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`)))
  }
  t.match(await callAll(['digger__steady']), [
    { output: /failed \(too large\): The server sent more than 1000 messages at once\.$/ },
  ])
  mcp.onRequest = undefined

  await connectProgram(
    'borer',
    programOf(
      ['deep', 'fine'],
      `if (name === 'fine') return 'done'
       process.stdout.write('['.repeat(4_000_000) + '\\n')`,
    ),
  )
  t.match(await callAll(['borer__deep']), [{ output: refusals.slow }], 'a program')
  t.match(await callAll(['borer__fine']), [{ output: 'done' }])
})

t.test('Few calls of a turn work at the same time, and all are carried out', async (t) => {
  await connect('crowd')
  let working = 0
  let most = 0
  mcp.onCall = async () => {
    working += 1
    most = Math.max(most, working)
    await new Promise((resolve) => setTimeout(resolve, 20))
    working -= 1
    return text('done')
  }
  const results = await callAll(Array.from({ length: 20 }, () => 'crowd__steady'))
  t.ok(most <= 4, `${most} at once`)
  t.strictSame(
    results.map(({ output }) => output),
    Array.from({ length: 20 }, () => 'done'),
  )
})

t.test('The sources of a result are counted', async (t) => {
  await connect('former')
  const link = (index: number) => ({ type: 'resource_link', name: 'page', uri: `page:${index}` })
  mcp.onCall = async () => ({ content: Array.from({ length: 1000 }, (_, index) => link(index)) })
  const [frame] = await callAll(['former__steady'])
  t.match(frame, { output: /page:999/, sources: { length: 100 } })
})

t.test('A reply that ends without an answer fails the call at once', async (t) => {
  await connect('brief')
  mcp.onRequest = (_, { method }, reply) => {
    if (method !== 'tools/call') return false
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    return Boolean(reply.end('event: message\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'))
  }
  t.match(await callAll(['brief__steady']), [
    { is_error: true, output: /failed \(unreachable\): The server ended its reply before it had answered/ },
  ])
  mcp.onRequest = undefined
})

t.test('A failure names its cause in a sentence', async (t) => {
  const probe = async (config: object, kind = 'mcp') => {
    const { ok, reason, detail } = await server.call('POST', '/connectors/probe', { kind, config })
    t.equal(ok, false)
    return `${reason}: ${detail}`
  }
  const listen = async (listener: Server) => {
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    t.teardown(() => listener.close())
    return (listener.address() as AddressInfo).port
  }
  const gone = await startFakeMcp()
  await gone.close()
  const port = new URL(gone.url).port
  t.equal(
    await probe({ url: gone.url }),
    `unreachable: The server at 127.0.0.1, port ${port} refused the connection.`,
  )
  t.equal(
    await probe({ url: 'http://no-such-host.invalid/mcp' }),
    'unreachable: The host name "no-such-host.invalid" cannot be resolved to an address.',
  )
  const cutting = await listen(createSocketServer((peer) => peer.once('data', () => peer.destroy())))
  t.equal(
    await probe({ url: `http://127.0.0.1:${cutting}/mcp` }),
    'unreachable: The server closed the connection before it had answered.',
  )
  t.match(
    await probe({ url: mcp.url.replace('http:', 'https:') }),
    /^unreachable: No secure connection to the server is possible/,
  )
  t.equal(
    await probe({ url: 'http://127.0.0.1:6667/mcp' }),
    'unreachable: The address has a port that is reserved for another protocol.',
  )
  const guarded = createGuardedFetch({ allowHosts: [] })
  t.teardown(() => guarded.close())
  await t.rejects(openHere(mcp.url, guarded.fetch), {
    reason: 'address_not_allowed',
    message: /^The host "127.0.0.1" is in a local or private network, .* by plugins.connectors.allow_hosts.$/,
  })
  const moved = await listen(
    createServer((_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end()),
  )
  t.match(
    await probe({ url: `http://127.0.0.1:${moved}/mcp` }),
    /^protocol: The server redirects to another address/,
  )
  const page = await listen(
    createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x')),
  )
  t.match(
    await probe({ url: `http://127.0.0.1:${page}/mcp` }),
    /^protocol: The server does not answer as a server of/,
  )

  const write = (source: string) => {
    const file = join(server.home, 'ending.mjs')
    writeFileSync(file, source)
    return { command: process.execPath, args: [file], env: { API_KEY: 'canary-of-the-key' } }
  }
  const source = `console.error('first'); console.error('no entry for', process.env.API_KEY); process.exit(3)`
  t.equal(
    await probe(write(source), 'mcp_stdio'),
    'program: The program ended with the exit code 3. Its last words: no entry for ••••-key',
  )
  t.match(
    await probe(write(`throw new Error('no settings')`), 'mcp_stdio'),
    /^program: The program ended with the exit code 1\. Its last words: Error: no settings$/,
  )
  t.equal(
    await probe(write('process.exit(0)'), 'mcp_stdio'),
    'program: The program ended with the exit code 0.',
  )
  await connectProgram('mortal', programOf(['die'], `console.error('the disk is full'); process.exit(4)`))
  t.match(await callAll(['mortal__die']), [
    {
      output:
        /failed \(program\): The program ended with the exit code 4\. Its last words: the disk is full$/,
    },
  ])
})

t.test('A question of a server is asked while other calls run', async (t) => {
  const question = {
    message: 'Which branch?',
    requestedSchema: { type: 'object', properties: { branch: { type: 'string' } } },
  }
  const answer = () => [{ type: 'respond', message: 'main' }]
  let release: (() => void) | undefined
  const asked = new Promise<void>((resolve) => {
    release = resolve
  })
  mcp.onCall = async ({ message: { params }, ask }) => {
    if (params?.name === 'slow') await asked
    if (params?.name !== 'other') return text(`${params?.name} is done`)
    const { result } = await ask('elicitation/create', question)
    release!()
    return text(JSON.stringify(result))
  }
  await connect('curious')
  const second = await chat.connect()
  const slow = callAll(['curious__slow'], { through: second })
  await eventually('the call', async () => mcp.of('tools/call').at(-1)?.message.params?.name === 'slow')
  const accepted = '{"action":"accept","content":{"branch":"main"}}'
  t.match(await callAll(['curious__other'], { decide: answer }), [{ output: accepted }])
  t.match(await slow, [{ output: 'slow is done' }])

  await connectProgram(
    'shy',
    programOf(
      ['brief', 'other'],
      `if (name === 'brief') return new Promise((resolve) => setTimeout(resolve, 1000, 'done'))
       return JSON.stringify(await ask('elicitation/create', ${JSON.stringify(question)}))`,
    ),
  )
  const results = await callAll(['shy__brief', 'shy__other'], { decide: answer })
  t.strictSame(results.map(({ output }) => output).sort(), ['done', accepted].sort())
})

t.test('Questions of a program are answered when all its running calls ask', async (t) => {
  const question = (name: string) => ({
    message: `Which ${name}?`,
    requestedSchema: { type: 'object', properties: { it: { type: 'string' } } },
  })
  await connectProgram(
    'double',
    programOf(
      ['one', 'two', 'three'],
      // First three calls ask together, then two.
      `globalThis.calls = (globalThis.calls ?? 0) + 1
       const together = calls <= 3 ? 3 : 5
       while (calls < together) await new Promise((resolve) => setTimeout(resolve, 10))
       const questions = ${JSON.stringify(Object.fromEntries(['one', 'two', 'three'].map((name) => [name, question(name)])))}
       return JSON.stringify(await ask('elicitation/create', questions[name]))`,
    ),
  )
  const accepted = '{"action":"accept","content":{"it":"main"}}'
  const answer: Decide = ({ action_requests }) =>
    action_requests.map(() => ({ type: 'respond', message: 'main' }))
  const names = ['double__one', 'double__two', 'double__three']
  t.strictSame(
    (await callAll(names, { decide: answer })).map(({ output }) => output),
    [accepted, accepted, accepted],
  )

  const second = await chat.connect()
  const [first, other] = await Promise.all([
    callAll(['double__one'], { decide: answer }),
    callAll(['double__two'], { through: second, decide: answer }),
  ])
  t.strictSame(
    [...first, ...other].map(({ output }) => output).sort(),
    [accepted, '{"action":"cancel"}'],
    'nobody sees a question of another conversation',
  )
})

t.test('An odd tool is mended or left out, and the others stay', async (t) => {
  const usual = mcp.tools
  mcp.tools = [
    fakeTool('plain'),
    fakeTool('untyped', { inputSchema: { properties: { city: { type: 'string' } } } }),
    fakeTool('bare', { inputSchema: undefined, title: null, description: null, annotations: null }),
    fakeTool('result', { outputSchema: { properties: {} } }),
    fakeTool('listing', { inputSchema: { type: 'array' } }),
    fakeTool('odd', { inputSchema: { type: { toString: 1 } } }),
    fakeTool('number', { inputSchema: 7, outputSchema: 7, title: 7 }),
    fakeTool('plain'),
    { description: 'It has no name.' },
    null as never,
    7 as never,
    [] as never,
  ]
  const config = { url: mcp.url }
  const { id, status, tools, error } = await server.call('POST', '/connectors', {
    name: 'motley',
    kind: 'mcp',
    config,
  })
  const probed = await server.call('POST', '/connectors/probe', { kind: 'mcp', config })
  const tested = await server.call('POST', `/connectors/${id}/test`)
  const env = { SVC_URL: server.url, SVC_PASSWORD: server.admin.password }
  const checked = await runCommand(server.home, ['connector', 'check', 'motley'], { env })
  mcp.tools = usual
  t.equal(status, 'ready')
  t.strictSame(
    tools.map(({ name }: { name: string }) => name),
    ['plain', 'untyped', 'bare', 'result'],
  )
  const left_out = [
    'The tool "listing" is left out: the schema of its input does not describe an object.',
    'The tool "odd" is left out: the schema of its input does not describe an object.',
    'The tool "number" is left out: the schema of its input does not describe an object.',
    'The tool "plain" is left out: another one has the same name.',
    'The tool number 9 is left out: it has no name.',
    'The tool number 10 is left out: it has no name.',
    'The tool number 11 is left out: it has no name.',
    'The tool number 12 is left out: it has no name.',
  ]
  t.equal(error, [...left_out.slice(0, 5), '3 more are left out.'].join(' '))
  t.strictSame([probed.left_out, tested.left_out], [left_out, left_out])
  t.ok(checked.stdout.endsWith(`${left_out.join('\n')}\n`), checked.stdout + checked.stderr)
})

t.test('The connection that was unused for the longest time makes room for another', async (t) => {
  const pool = createConnectionPool({ idle_seconds: 60 })
  t.teardown(() => pool.close())
  const opened: number[] = []
  const use = (account: number) =>
    pool.use(
      { key: String(account), stamp: '1' },
      () => {
        opened.push(account)
        return openHere(mcp.url)
      },
      async () => undefined,
    )
  for (let account = 0; account < 256; account += 1) await use(account)
  t.equal(pool.size(), 256)
  await use(0)
  await use(256)
  await use(0)
  t.equal(opened.length, 257, 'the first connection was used again, so it is open')
  await use(1)
  t.equal(opened.at(-1), 1)
})
