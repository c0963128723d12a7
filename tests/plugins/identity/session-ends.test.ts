import t from '../../run/file-test.ts'
import { chatUrl, connectChat, createHold, range } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { runCommand } from '../../support/kernel.ts'
import { ADMIN } from '../../support/server.ts'
import { type EventReader, readEvents } from '../../support/sse.ts'
import { approve, punch, startPress } from '../conversations/approval-calls.ts'

const TOKEN_SECONDS = 600

const clock = createTestClock()
const chat = await startPress(t, {
  clock,
  config: { plugins: { auth: { access_token_ttl_seconds: TOKEN_SECONDS } } },
})
const { server, agent_id, fake } = chat
await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
const { body: agent } = await server.request('GET', `/agents/${agent_id}`)

interface Ending {
  token: string
  /** Ends the session or the API key of the token. */
  end(): Promise<unknown>
}

// Made beforehand, because the session of the administrator ends with the time that passes.
const users = await Promise.all(
  range(1, 12).map((number) => server.createUser({ username: `guest${number}` })),
)
const signIn = async () => {
  const user = users.pop()!
  return { ...user, token: await server.login(user.username, user.password) }
}
/** Sends a request of the administrator, who signs in for it. */
const administer = async (status: number, method: string, path: string, body?: object) =>
  expectStatus(status, method, path, { token: await server.login('admin', ADMIN.password), body })

const expectStatus = async (status: number, ...request: Parameters<typeof server.request>) => {
  const reply = await server.request(...request)
  if (reply.status !== status) throw new Error(`${request[1]} answered ${JSON.stringify(reply)}`)
  return reply.body
}

/** Opens one connection of each kind, and waits until each has something to say; `release` lets their turns end. */
async function openAll(token: string) {
  const { hold, release } = createHold()
  t.teardown(release)
  const held = { text: ['first ', 'last'], hold, holdAfter: 1 }
  const follow = async (path: string, body?: unknown) => {
    const post = body !== undefined && { method: 'POST', body }
    const reader = await readEvents(t, `${server.url}${path}`, { token, ...post })
    if (reader.status !== 200) throw new Error(`${path} answered ${JSON.stringify(reader.body)}`)
    return reader
  }

  const { thread_id, pending } = await chat.pauseTurn([{ toolCalls: [punch('a', 'mark')] }], { token })
  const socket = await connectChat(t, chatUrl(server.url, agent_id, token))
  await socket.settle()
  const events = await follow('/api/events')
  await events.until(({ type }) => type === 'reset')
  const thread = `/api/agents/${agent_id}/threads/${thread_id}`
  const trajectory = await follow(`${thread}/trajectory/stream?after_seq=0`)
  await trajectory.until(() => true)
  fake.next(held)
  const { pending_id } = pending
  const resumed = await follow(`/api/agents/${agent_id}/chat/hitl/resume`, {
    thread_id,
    pending_id,
    decisions: [approve],
  })
  await resumed.until(({ type }) => type === 'content')
  fake.next(held)
  const model = agent_id
  const message = { role: 'user', content: 'Go.' }
  const completion = await follow('/api/v1/chat/completions', { model, messages: [message], stream: true })
  await completion.until(({ choices }) => choices?.[0]?.delta.content === 'first ')
  fake.next(held)
  const response = await follow('/api/v1/responses', { model, input: 'Go.', stream: true })
  await response.until(({ type }) => type === 'response.output_text.delta')
  fake.next(held)
  const requestsBefore = fake.requests.length
  const call = await readEvents(t, `${server.url}/api/mcp`, {
    method: 'POST',
    token,
    headers: { accept: 'application/json, text/event-stream' },
    body: {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: await toolName(token), arguments: { message: 'Go.' } },
    },
  })
  while (fake.requests.length === requestsBefore) await new Promise((resolve) => setTimeout(resolve, 10))
  return { release, socket, streams: { events, trajectory, resumed, completion, response, call } }
}

async function toolName(token: string): Promise<string> {
  const reader = await readEvents(t, `${server.url}/api/mcp`, {
    method: 'POST',
    token,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  })
  const [listed] = await reader.rest()
  return listed!.result.tools.find(({ name }: { name: string }) => name.includes(agent.name)).name
}

/** Returns the code of the error with which a stream ended. */
async function lastCode(reader: EventReader): Promise<unknown> {
  const last = (await reader.rest()).at(-1)
  return last?.error?.data?.code ?? last?.error?.code ?? last?.code
}

// Commands have a clock of their own, so those that move the clock of the server come last.
const endings: Record<string, () => Promise<Ending>> = {
  'a logout': async () => {
    const { token } = await signIn()
    return { token, end: () => expectStatus(204, 'POST', '/auth/logout', { token }) }
  },
  'another session': async () => {
    const { username, password, token } = await signIn()
    const other = await server.login(username, password)
    const sessions = await expectStatus(200, 'GET', '/auth/sessions', { token })
    const { id } = sessions.find(({ current }: { current: boolean }) => current)
    return { token, end: () => expectStatus(204, 'DELETE', `/auth/sessions/${id}`, { token: other }) }
  },
  'a change of the password in another session': async () => {
    const { username, password, token } = await signIn()
    const other = await server.login(username, password)
    const body = { old_password: password, new_password: 'another-secret-2' }
    return { token, end: () => expectStatus(204, 'POST', '/auth/change-password', { token: other, body }) }
  },
  'a reset of the password': async () => {
    const { username, token } = await signIn()
    const body = { new_password: 'another-secret-3' }
    return { token, end: () => administer(204, 'POST', `/users/${username}/reset-password`, body) }
  },
  'a command that resets the password': async () => {
    const { username, token } = await signIn()
    return { token, end: () => command('user', 'passwd', username) }
  },
  'disabling the account': async () => {
    const { username, token } = await signIn()
    return { token, end: () => administer(200, 'PATCH', `/users/${username}`, { enabled: false }) }
  },
  'deleting the account': async () => {
    const { username, token } = await signIn()
    return { token, end: () => administer(204, 'DELETE', `/users/${username}`) }
  },
  'deleting an API key': async () => {
    const { token } = await signIn()
    const body = { name: 'k', scopes: ['chat', 'read'] }
    const { key, id } = await expectStatus(201, 'POST', '/auth/api-keys', { token, body })
    return { token: key, end: () => expectStatus(204, 'DELETE', `/auth/api-keys/${id}`, { token }) }
  },
  'a rotation of the secret': async () => {
    const { token } = await signIn()
    return { token, end: () => command('admin', 'rotate-jwt-secret') }
  },
  'the end of its time': async () => {
    const { token } = await signIn()
    return { token, end: async () => clock.advance(TOKEN_SECONDS) }
  },
  'the end of an API key’s time': async () => {
    const { token } = await signIn()
    const body = { name: 'k', scopes: ['chat', 'read'], expires_in_days: 1 }
    const { key } = await expectStatus(201, 'POST', '/auth/api-keys', { token, body })
    return { token: key, end: async () => clock.advance(86_400) }
  },
}

async function command(...args: string[]): Promise<void> {
  const { url } = server.server.runtime.blueprint.config.values.database
  const { code, stderr } = await runCommand(server.home, args, { env: { SVC_DATABASE_URL: url! } })
  if (code !== 0) throw new Error(stderr)
}

for (const [name, prepare] of Object.entries(endings))
  t.test(`${name} ends every kind of connection`, async (t) => {
    const { token, end } = await prepare()
    const { socket, streams } = await openAll(token)
    await end()
    t.strictSame(await socket.closed, { code: 4401, reason: 'session ended' })
    const codes: Record<string, unknown> = {}
    for (const [kind, reader] of Object.entries(streams)) codes[kind] = await lastCode(reader)
    const expected = Object.fromEntries(Object.keys(streams).map((kind) => [kind, 'SESSION_ENDED']))
    t.strictSame(codes, expected)
  })

t.test('a renewed session keeps its connections when its account changes', async (t) => {
  const { username, token } = await signIn()
  const { socket, streams, release } = await openAll(token)
  clock.advance(TOKEN_SECONDS * 0.8)
  const { headers } = await server.request('GET', '/auth/me', { token })
  const renewed = headers.get('x-access-token')!
  clock.advance(TOKEN_SECONDS * 0.5)
  t.equal((await server.request('GET', '/auth/me', { token })).status, 401, 'the first token has expired')
  const body = { display_name: 'Somebody else' }
  await expectStatus(200, 'PATCH', '/auth/me', { token: renewed, body })
  await administer(200, 'PATCH', `/users/${username}`, { token_quota: 1_000_000 })
  // Longer than the interval of the checks.
  await new Promise((resolve) => setTimeout(resolve, 2500))
  t.equal((await socket.ask({ text: 'still there?' })).end.type, 'done')
  release()
  for (const [kind, reader] of Object.entries(streams)) {
    if (kind === 'events' || kind === 'trajectory') {
      reader.leave()
      continue
    }
    const last = await lastCode(reader).catch((error) => error.message)
    t.match(last, kind === 'completion' ? '[DONE]' : undefined, `${kind} ends by itself`)
  }
})
