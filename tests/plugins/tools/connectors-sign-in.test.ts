import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { type SeenTurn, startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { startFakeMcp } from '../../support/fake-mcp.ts'
import { runCommand } from '../../support/kernel.ts'
import { startOAuthIssuer } from '../../support/oauth-issuer.ts'
import { SSO_PUBLIC_URL } from '../../support/oidc-client.ts'

const mcp = await startFakeMcp()
t.teardown(() => mcp.close())
const issuer = await startOAuthIssuer(() => mcp.url)
t.teardown(() => issuer.close())
const tokens: string[] = []
const ERRORS: Record<number, string> = { 401: 'invalid_token', 403: 'insufficient_scope' }
/** The scopes that a call of a tool requires. */
let required: string[] = []
/** True if the server requires them also of a caller that has them. */
let isStubborn = false
/** Replies to requests for the metadata in place of the server. */
let describe: ((reply: ServerResponse) => unknown) | undefined
mcp.onRequest = async ({ authorization }, { method }, reply, path) => {
  const { origin } = new URL(mcp.url)
  if (path === '/metadata.json' && describe) {
    describe(reply)
    return true
  }
  if (path === '/metadata.json') {
    const body = { resource: mcp.url, authorization_servers: [issuer.url], scopes_supported: ['mcp:write'] }
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    return true
  }
  const token = authorization?.replace('Bearer ', '') ?? ''
  const accessToken = await issuer.provider.AccessToken.find(token)
  const refuse = (status: number, scope: string) => {
    const challenge = `Bearer error="x", scope="${scope}", resource_metadata="${origin}/metadata.json"`
    reply.writeHead(status, { 'www-authenticate': challenge.replace('x', ERRORS[status]!) }).end()
    return true
  }
  if (accessToken?.aud === mcp.url) {
    if (method === 'tools/call' && (isStubborn || required.some((scope) => !accessToken.scopes.has(scope))))
      return refuse(403, required.join(' '))
    if (tokens.at(-1) !== token) tokens.push(token)
    return false
  }
  return refuse(401, 'mcp:tools')
}
const clock = createTestClock()
const chat = await startChat(t, {
  clock,
  config: {
    http: { public_url: SSO_PUBLIC_URL },
    plugins: { connectors: { allow_hosts: ['127.0.0.1'], connect_seconds: 5 } },
  },
})
const { server, fake, agent_id } = chat
const admin = server.admin.token
const call = (method: string, path: string, body?: unknown, token = admin) =>
  server.request(method, path, { body, token })
/** Sends a browser to the callback; returns the status and the address of the redirect. */
const comeBack = async (back: URL, headers: Record<string, string> = {}) => {
  const response = await fetch(`${server.url}${back.pathname}${back.search}`, { redirect: 'manual', headers })
  return { status: response.status, location: response.headers.get('location'), text: await response.text() }
}
const made = await call('POST', '/connectors', { name: 'forge', kind: 'mcp', config: { url: mcp.url } })
const { id } = made.body
const path = `/connectors/${id}`
let cookie = ''
/** The newest access token of the administrator. */
let adminToken = ''
const begin = async (token = admin) => {
  const reply = await call('POST', `${path}/authorize`, {}, token)
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
  cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? ''
  return reply.body.authorization_url as string
}

t.test('A connector that needs a sign-in says so, and has tools after it', async (t) => {
  t.match(made.body, { status: 'unauthorized', tools: [], has_credentials: false, auth: 'oauth' })
  const address = new URL(await begin())
  t.match(Object.fromEntries(address.searchParams), {
    response_type: 'code',
    code_challenge_method: 'S256',
    resource: mcp.url,
    redirect_uri: `${SSO_PUBLIC_URL}/api/connectors/oauth/callback`,
    scope: 'mcp:tools',
  })
  const back = await issuer.visit(address.href)
  t.equal(back.origin, SSO_PUBLIC_URL)
  t.match(await comeBack(back, { cookie }), { status: 302, location: `${SSO_PUBLIC_URL}/connectors` })
  t.match((await call('GET', path)).body, {
    status: 'ready',
    has_credentials: true,
    tools: [{ name: 'look' }, { name: 'change' }],
  })
  t.match(await comeBack(back, { cookie }), { location: /connector_error=expired/ }, 'a state works once')
  const svc = (command: string) =>
    runCommand(
      server.home,
      ['connector', command, 'forge', '--url', server.url, '--username', server.admin.username],
      { env: { SVC_PASSWORD: server.admin.password } },
    )
  t.match(await svc('login'), { code: 0, stdout: /a browser:\nhttp:.*code_challenge=/ })
  const stored = JSON.stringify(await server.db.collection('connector_credentials').find().toArray())
  t.notOk(stored.includes(tokens.at(-1)!))
  t.notOk(server.logged().includes(tokens.at(-1)!))
})

t.test('Another browser must confirm for which account it signs in', async (t) => {
  const back = await issuer.visit(await begin())
  const page = await comeBack(back)
  t.match(page, { status: 200, text: /account <b>admin<\/b>/ })
  const link = /href="([^"]+)"/.exec(page.text)![1]!.replaceAll('&#38;', '&')
  t.match(await comeBack(new URL(link, back)), { status: 302, location: `${SSO_PUBLIC_URL}/connectors` })
})

t.test('Wrong states, issuers and refusals are turned down', async (t) => {
  const failed = async (change: (back: URL) => void) => {
    const back = await issuer.visit(await begin())
    change(back)
    return (await comeBack(back, { cookie })).location
  }
  t.match(await failed(({ searchParams }) => searchParams.set('state', 'x'.repeat(43))), /=expired/)
  t.match(await failed(({ searchParams }) => searchParams.set('iss', 'https://other.example')), /=failed/)
  t.match(await failed(({ searchParams }) => searchParams.set('code', 'x'.repeat(43))), /=failed/)
  t.match(
    await failed(({ searchParams }) => {
      searchParams.delete('code')
      searchParams.set('error', 'access_denied')
    }),
    /=refused/,
  )
  const moved = await failed(() => undefined)
  t.match(moved, /connectors$/)
  for (const redirect_after of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/.//evil.example',
    '/%2Fevil.example',
    '/%5cevil.example',
    '/%ff',
  ])
    t.match(await call('POST', `${path}/authorize`, { redirect_after }), { status: 422 }, redirect_after)
})

t.test('Metadata without end is not waited for, nor read as a whole', async (t) => {
  const failed = {
    status: 502,
    body: { error: { code: 'CONNECTOR_SIGN_IN_FAILED', details: { detail: String } } },
  }
  let sent = 0
  describe = (reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      sent += 65_536
      if (!reply.destroyed) reply.write(' '.repeat(65_536), () => setImmediate(more))
    }
    more()
  }
  t.match(await call('POST', `${path}/authorize`, {}), failed)
  t.ok(sent < 64 * 1024 * 1024, `${sent} bytes were read`)
  describe = (reply) => reply.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
  t.match(await call('POST', `${path}/authorize`, {}), failed)
  describe = undefined
})

t.test('A server at an allowed address leads to no other', async (t) => {
  let asked = 0
  const inner = createServer((_, response) => {
    asked += 1
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  t.teardown(() => inner.close())
  await once(inner, 'listening')
  const hidden = `http://localhost:${(inner.address() as AddressInfo).port}`
  const failed = { status: 502, body: { error: { code: 'CONNECTOR_SIGN_IN_FAILED' } } }
  describe = (reply) => reply.writeHead(302, { location: hidden }).end()
  t.match(await call('POST', `${path}/authorize`, {}), failed)
  const metadata = JSON.stringify({ resource: mcp.url, authorization_servers: [hidden] })
  describe = (reply) => reply.writeHead(200, { 'content-type': 'application/json' }).end(metadata)
  t.match(await call('POST', `${path}/authorize`, {}), failed)
  describe = undefined
  t.equal(asked, 0)
})

t.test('A client that somebody has entered signs in, and is bound to its authorization server', async (t) => {
  const registered = await fetch(`${issuer.url}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [`${SSO_PUBLIC_URL}/api/connectors/oauth/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  })
  const { client_id, client_secret } = (await registered.json()) as Record<string, string>
  const warnings = t.capture(console, 'warn')
  const config = { url: mcp.url, client_id, client_secret }
  const { body } = await call('POST', '/connectors', { name: 'entered', kind: 'mcp', config })
  const signIn = await call('POST', `/connectors/${body.id}/authorize`, {})
  const back = await issuer.visit(signIn.body.authorization_url)
  t.equal(new URL(signIn.body.authorization_url).searchParams.get('client_id'), client_id)
  await comeBack(back, { cookie: signIn.headers.get('set-cookie')!.split(';')[0]! })
  t.match((await call('GET', `/connectors/${body.id}`)).body, { status: 'ready', has_credentials: true })
  t.strictSame(warnings(), [], 'the library finds nothing missing')
  await call('DELETE', `/connectors/${body.id}`)
})

t.test('Refused tokens are refreshed once, with rotation', async (t) => {
  await call('PUT', `/agents/${agent_id}/connectors`, { connectors: [{ id }] })
  const socket = await chat.connect()
  const use = { toolCalls: [1, 2, 3].map((n) => ({ id: `c${n}`, name: 'forge__look', arguments: {} })) }
  fake.next({ toolCalls: [{ name: 'forge__look', arguments: {} }] }, { text: 'ok' })
  await socket.ask({ text: 'go' })
  const old = tokens.at(-1)!
  await (await issuer.provider.AccessToken.find(old))!.destroy()
  const initialTokens = issuer.tokens
  fake.next(use, { text: 'ok' })
  const { frames } = await socket.ask({ text: 'go' })
  const results = frames.filter(({ type }) => type === 'tool_result')
  t.strictSame(
    results.map(({ is_error }) => is_error),
    [false, false, false],
  )
  t.not(tokens.at(-1), old)
  adminToken = tokens.at(-1)!
  t.equal(issuer.tokens, initialTokens + 1)
})

t.test('An outage of the authorization server fails a call, and the next one works', async (t) => {
  const socket = await chat.connect()
  const ask = async () => {
    fake.next({ toolCalls: [{ name: 'forge__look', arguments: {} }] }, { text: 'ok' })
    const { frames } = await socket.ask({ text: 'go' })
    return frames.find(({ type }) => type === 'tool_result')
  }
  await (await issuer.provider.AccessToken.find(tokens.at(-1)!))!.destroy()
  issuer.isDown = true
  for (const round of [1, 2, 3, 4])
    t.match(
      await ask(),
      { is_error: true, output: /unavailable.*authorization server.*503/ },
      `call ${round}`,
    )
  t.match((await call('GET', path)).body, { has_credentials: true })
  issuer.isDown = false
  t.match(await ask(), { is_error: false }, 'and no rest is due')
  adminToken = tokens.at(-1)!
})

t.test('A turn pauses once for a sign-in with further scopes, if a call requires them', async (t) => {
  const socket = await chat.connect()
  const use = { toolCalls: [{ name: 'forge__look', arguments: {} }] }
  fake.next(use, { text: 'ok' })
  required = ['mcp:write']
  const sent = socket.say({ text: 'go' })
  const { action_requests } = await socket.seePause(sent)
  const { authorization_url } = action_requests[0].authorization_required
  const asked = new URL(authorization_url).searchParams.get('scope')?.split(' ')
  t.match(new Set(asked), new Set(['mcp:tools', 'mcp:write']))
  t.match((await call('GET', path)).body, { has_credentials: true }, 'the former sign-in remains')
  const back = await issuer.visit(authorization_url)
  back.searchParams.set('confirm', 'yes')
  t.match(await comeBack(back), { location: /connectors$/ })
  const resultOf = ({ frames }: SeenTurn) => frames.find(({ type }) => type === 'tool_result')
  t.match(resultOf(await socket.seeTurn(sent)), { is_error: false })
  adminToken = tokens.at(-1)!

  isStubborn = true
  fake.next(use, { text: 'ok' })
  const refused = resultOf(await socket.ask({ text: 'go' }))
  t.match(refused, { is_error: true, output: /forbidden.*mcp:write/ }, 'no scope is asked for twice')
  isStubborn = false
  required = []
})

t.test('A turn pauses for a sign-in and continues by itself, also after a restart', async (t) => {
  await call('PATCH', `/agents/${agent_id}`, { is_shared: true })
  const eve = await server.createUser({ username: 'eve' })
  const hers = await chat.connect({ token: eve.token })
  const ask = async () => {
    fake.next({ toolCalls: [{ name: 'forge__look', arguments: {} }] }, { text: 'ok' })
    const sent = hers.say({ text: 'go' })
    const pause = await hers.seePause(sent)
    const [request] = pause.action_requests
    t.match(request, { authorization_required: { connector_id: id, name: 'forge' } })
    return { sent, thread_id: pause.thread_id, url: request.authorization_required.authorization_url }
  }
  issuer.person = 'eve'
  const { sent, url } = await ask()
  const back = await issuer.visit(url)
  back.searchParams.set('confirm', 'yes')
  t.match(await comeBack(back), { status: 302 })
  t.match((await hers.seeTurn(sent)).end, { type: 'done', stop_reason: 'end' })
  const owner = (await issuer.provider.AccessToken.find(tokens.at(-1)!))!.accountId
  t.equal(owner, 'eve', 'her own tokens are used')

  await issuer.revoke(tokens.at(-1)!)
  const { thread_id, url: again } = await ask()
  // The page of the server is opened the next day, an hour before the turn would end.
  clock.advance(23 * 3600)
  t.match((await call('GET', path, undefined, eve.token)).status, 404)
  await server.restart()
  const signedIn = await issuer.visit(again)
  signedIn.searchParams.set('confirm', 'yes')
  t.match(await comeBack(signedIn), { status: 302 })
  await eventually('the end of the turn', async () => {
    const { messages } = await chat.history(thread_id, '', { token: eve.token })
    return messages.at(-1).role === 'assistant' && messages.at(-1).status === 'complete'
  })

  const isValid = async (token: string) => (await issuer.provider.AccessToken.find(token)) !== undefined
  const [eves, admins] = [tokens.at(-1)!, adminToken]
  t.ok((await isValid(eves)) && (await isValid(admins)))
  t.equal((await call('DELETE', `${path}/credentials`, undefined, eve.token)).status, 204)
  t.notOk(await isValid(eves), 'signing out ends the sign-in at the server')
  t.ok(await isValid(admins), 'and no other')
  const pending = await issuer.visit(await begin())
  const count = tokens.length
  const moved = await call('PATCH', path, { config: { url: `${mcp.url}/another` } })
  t.match(moved, { status: 200, body: { status: 'unauthorized', has_credentials: false } })
  t.equal(tokens.length, count, 'no token is sent to another resource')
  t.notOk(await isValid(admins), 'a change of the address ends all sign-ins')
  t.match(await comeBack(pending, { cookie }), { location: /=expired/ })
  t.equal((await call('DELETE', path)).status, 204)
})
