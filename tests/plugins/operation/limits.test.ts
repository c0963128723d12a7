import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'

const MOST = 2
const names = ['agents', 'threads', 'providers', 'connectors'] as const

t.test('an account has a bounded number of things of each kind, however they are made', async (t) => {
  const chat = await startChat(t, {
    config: { limits: Object.fromEntries(names.map((name) => [name, MOST])) },
    env: { SVC_ALLOW_HOSTS: '127.0.0.1' },
  })
  const { server } = chat
  const { token } = await server.createUser({ username: 'ann', permissions: ['connectors'] })
  const call = (method: string, path: string, body?: object) => server.request(method, path, { token, body })
  const [{ id: agent_id }] = (await call('GET', '/agents')).body
  const url = 'http://127.0.0.1:1/mcp'
  const model = { kind: 'openai-compatible', base_url: 'http://127.0.0.1:1/v1', models: [{ id: 'm' }] }

  const connection = await chat.connect({ agent_id, token })
  const { thread_id } = await connection.ask({ text: 'a first thread' })
  const threads = `/agents/${agent_id}/threads`
  const exported = await call('GET', `${threads}/${thread_id}/trajectory/export?format=json`)
  const form = new FormData()
  form.append('file', new Blob([JSON.stringify(exported.body)]), 'thread.json')
  const importFile = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${server.url}/api${threads}/import`, {
      method: 'POST',
      headers,
      body: form,
    })
    return { status: response.status, body: (await response.json()) as object }
  }

  const ways: Record<(typeof names)[number], (() => Promise<{ status: number; body: object }>)[]> = {
    agents: [
      () => call('POST', '/agents', { name: 'another' }),
      () => call('POST', '/agents/from-expert/data-analyst', { name: 'numbers' }),
    ],
    threads: [
      () => call('POST', threads, {}),
      () => call('POST', `${threads}/${thread_id}/fork`, { assistant_turns_from_end: 1 }),
      importFile,
    ],
    providers: [
      () => call('POST', '/providers', { name: 'one', ...model }),
      () => call('POST', '/providers', { name: 'two', ...model }),
    ],
    connectors: [
      () => call('POST', '/connectors', { name: 'one', kind: 'mcp', config: { url } }),
      () => call('POST', '/connectors', { name: 'two', kind: 'mcp', config: { url } }),
    ],
  }
  for (const name of names) {
    const used = async () => (await call('GET', '/auth/me')).body.limits[name].used
    const room = MOST - (await used())
    for (const make of ways[name].slice(0, room)) t.equal((await make()).status, 201, name)
    t.equal(await used(), MOST, name)
    for (const make of ways[name])
      t.match(await make(), {
        status: 409,
        body: { error: { code: 'LIMIT_REACHED', details: { limit: name, max: MOST } } },
      })
  }
  const said = connection.say({ text: 'a thread too many' })
  t.match(await connection.until(({ client_message_id }) => client_message_id === said), {
    type: 'error',
    code: 'LIMIT_REACHED',
    details: { limit: 'threads' },
  })
})
