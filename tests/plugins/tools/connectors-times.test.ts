import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { fakeTool, startFakeMcp } from '../../support/fake-mcp.ts'

const mcp = await startFakeMcp()
t.teardown(() => mcp.close())
mcp.tools = [fakeTool('work', { annotations: { readOnlyHint: true } })]
const { server, fake, agent_id, connect } = await startChat(t, {
  config: {
    plugins: {
      connectors: { allow_hosts: ['127.0.0.1'], call_seconds: 1, max_call_seconds: 2 },
      shell: { sandbox: 'off' },
    },
  },
})
const socket = await connect()
const make = async (name: string, config: object, kind = 'mcp') => {
  const { body } = await server.request('POST', '/connectors', { body: { name, kind, config } })
  t.match(body, { status: 'ready' }, JSON.stringify(body))
  await server.request('PUT', `/agents/${agent_id}/connectors`, { body: { connectors: [{ id: body.id }] } })
  return body
}
const callOnce = async (name: string) => {
  fake.next({ toolCalls: [{ name: `${name}__work`, arguments: {} }] }, { text: 'ok' })
  const { frames } = await socket.ask({ text: 'go' })
  return frames.find(({ type }) => type === 'tool_result')
}
const text = (words: string) => ({ content: [{ type: 'text', text: words }] })
/** Works for so many seconds, and reports progress twice a second with these fields. */
const workFor = (seconds: number, fields: object | undefined) => {
  mcp.onCall = async ({ message, send }) => {
    const { progressToken } = message.params!._meta as { progressToken: unknown }
    for (let half = 0; half < 2 * seconds; half += 1) {
      await pause(500)
      if (fields)
        send({ method: 'notifications/progress', params: { progressToken, progress: half, ...fields } })
    }
    return text('done')
  }
}

t.test('Progress lengthens a call, whatever its form', async (t) => {
  await make('slow', { url: mcp.url })
  for (const fields of [
    {},
    { total: 10, message: 'half' },
    { progress: '1', total: '10' },
    { progress: 'some', message: null },
    { progress: null, total: null },
  ]) {
    workFor(1.5, fields)
    t.match(await callOnce('slow'), { is_error: false, output: 'done' }, JSON.stringify(fields))
  }
})

t.test('Silence ends a call, and so does progress without end', async (t) => {
  workFor(1.5, undefined)
  t.match(await callOnce('slow'), { is_error: true, output: /The server did not answer within 1 seconds\.$/ })
  workFor(4, {})
  t.match(await callOnce('slow'), {
    is_error: true,
    output: /The server reported progress, but did not answer within 2 seconds\.$/,
  })
  workFor(0, undefined)
  t.match(await callOnce('slow'), { output: 'done' }, 'the server is not at rest')
})

t.test('A connector can have a time of its own', async (t) => {
  const { id, config } = await make('patient', { url: mcp.url, call_seconds: 10 })
  t.equal(config.call_seconds, 10)
  workFor(1.5, undefined)
  t.match(await callOnce('patient'), { output: 'done' })
  const headers = { 'X-Key': 'canary-of-the-key' }
  const patch = (changes: object) =>
    server.request('PATCH', `/connectors/${id}`, { body: { config: changes } })
  t.equal((await patch({ headers })).status, 200)
  const { status, body } = await patch({ call_seconds: 1 })
  t.match(
    { status, body },
    { status: 200, body: { config: { call_seconds: 1, headers: { 'X-Key': /^•/ } } } },
  )
  t.match(await callOnce('patient'), { output: /did not answer within 1 seconds/ })
  for (const call_seconds of [0, 3601, 1.5, '60'])
    t.match(await patch({ call_seconds }), {
      status: 422,
      body: { error: { details: { issues: [{ path: '/config/call_seconds' }] } } },
    })

  const file = join(server.home, 'slow.mjs')
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline'
     const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
     createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method } = JSON.parse(line)
       if (method === 'initialize') answer(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } })
       if (method === 'tools/list') answer(id, { tools: [{ name: 'work', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] })
       if (method === 'tools/call') setTimeout(answer, 1500, id, { content: [{ type: 'text', text: 'done' }] })
     })`,
  )
  await make('program', { command: process.execPath, args: [file], call_seconds: 10 }, 'mcp_stdio')
  t.match(await callOnce('program'), { output: 'done' })
  const { body: kinds } = await server.request('GET', '/connectors/kinds')
  for (const { kind, config_schema } of kinds.items ?? kinds)
    t.match(config_schema.properties.call_seconds, { type: 'integer', minimum: 1, maximum: 3600 }, kind)
})
