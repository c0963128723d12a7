import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Pool } from 'undici'
import t from './run/file-test.ts'
import { amount, chooseSeed } from './run/tier.ts'
import { collectGarbage } from './support/garbage.ts'
import { createChance } from './support/random.ts'
import {
  createRequestFuzzer,
  type FuzzedOperation,
  framesOf,
  operationsOf,
} from './support/request-fuzzer.ts'
import { isLetIn } from './support/route-access.ts'
import { createCalls, createSampler, listRoutes } from './support/route-calls.ts'
import { type Account, arrange, startCast } from './support/route-cast.ts'
import { connectSocket } from './support/socket.ts'

/** The requests and frames of each of the three roles. */
const REQUESTS = amount({ short: 100, long: 3334 })
const FRAMES = amount({ short: 50, long: 600 })
/** The most bytes that the resident memory may grow. */
const MAX_GROWTH = 300 * 1024 * 1024
const REPLY_MS = 60_000

const seed = chooseSeed(7)
const chance = createChance(seed)
const cast = await startCast(t, {
  requests_per_minute: 10_000_000,
  requests_burst: 10_000_000,
  frames_per_second: 100_000,
  frames_burst: 100_000,
})
const { server } = cast
const calls = createCalls(t, cast)
const routes = new Map(listRoutes(cast).map((route) => [route.name, route]))
const samplesOf = createSampler(cast, [...routes.values()])
const { body: openapi } = await server.request('GET', '/openapi.json')
const { body: asyncapi } = await server.request('GET', '/asyncapi.json')
const operations = operationsOf(openapi)
const fuzzer = createRequestFuzzer([openapi, asyncapi], chance, cast.upstream)
const pool = new Pool(server.url, { headersTimeout: REPLY_MS, bodyTimeout: REPLY_MS })
t.teardown(() => pool.destroy())

/** Nobody but the victim may read the first, and nobody at all may read the second. */
const PRIVATE = 'canary-private-5d1f'
const SECRET = 'canary-secret-9b3e'

const victim = await cast.createAccount({ label: 'the victim' })
const hidden = await arrange(server, victim, [
  'POST',
  '/agents',
  { name: `${PRIVATE}-agent`, description: PRIVATE, system_prompt: PRIVATE },
])
const shared = await arrange(server, victim, ['POST', '/agents', { name: 'open to all', is_shared: true }])
const notes = join(server.home, 'agents', hidden.id, 'notes.txt')
await writeFile(notes, PRIVATE)
const { thread_id } = await arrange(server, victim, [
  'POST',
  `/agents/${shared.id}/threads`,
  { title: PRIVATE },
])
await arrange(server, victim, [
  'POST',
  '/providers',
  { name: `${PRIVATE}-models`, kind: 'openai-compatible', base_url: cast.upstream, api_key: SECRET },
])

/** Lists everything that is stored about the victim. */
async function readStored(): Promise<Map<string, string>> {
  const stored = new Map<string, string>()
  for (const { collectionName } of await server.db.collections())
    for (const row of await server.db.collection(collectionName).find().toArray()) {
      const text = JSON.stringify(row)
      if ([victim.id, hidden.id, thread_id].some((id) => text.includes(id)))
        stored.set(`${collectionName} ${row._id}`, text)
    }
  stored.set('notes', await readFile(notes, 'utf8'))
  return stored
}

/** Returns a signed-in account: another one of the same class if this one can no longer sign in. */
async function renew(account: Account): Promise<Account> {
  const { status } = await server.request('GET', '/auth/me', { token: account.token })
  if (status === 200) return account
  const { label, permissions } = account
  return cast.createAccount({ label, permissions, ...(account.role && { role: account.role }) })
}

/** Chooses what a request names: things of the caller, of others, or missing ones; and a body that fits. */
async function seedOf({ name, path }: FuzzedOperation, caller: Account, isGuest: boolean) {
  if (chance.chance(0.25)) {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter!)
    const id: string = path.startsWith('/users/') ? victim.username : isGuest ? shared.id : hidden.id
    const params: Record<string, string> = { id, thread_id }
    return { params: Object.fromEntries(names.map((parameter) => [parameter, params[parameter] ?? id])) }
  }
  const route = routes.get(name)
  const samples = route ? samplesOf(route).filter((sample) => isLetIn(sample, caller)) : []
  if (!route || samples.length === 0) return { params: {} }
  const sample = chance.pick(samples)
  const classes = Object.keys(sample.on?.answers ?? {})
  const open = classes.filter((object) => object.includes('shared'))
  const object = classes.length > 0 ? chance.pick(isGuest && open.length > 0 ? open : classes) : undefined
  const call = { route, sample, caller, ...(object !== undefined && { object }) }
  const params = await calls.paramsOf(call)
  return { params, body: chance.chance(0.6) ? await calls.bodyOf(call) : undefined }
}

/** Returns what the log has about the request of a reply. */
const logOf = (text: string): string => {
  const { request_id } = JSON.parse(text).error
  return server
    .logged()
    .split('\n')
    .filter((line) => line.includes(request_id))
    .join('\n')
}

type Outcome = { status: number; text: string }

async function send(operation: FuzzedOperation, caller: Account, isGuest: boolean) {
  const request = fuzzer.create(operation, await seedOf(operation, caller, isGuest))
  const headers = { ...request.headers, authorization: `Bearer ${caller.token}` }
  const reply = await pool.request({ ...request, headers } as never)
  const isEndless = operation.isStream && operation.method === 'GET' && reply.statusCode === 200
  if (isEndless) reply.body.on('error', () => undefined).destroy()
  const outcome: Outcome = { status: reply.statusCode, text: isEndless ? '' : await reply.body.text() }
  const headerText = JSON.stringify(reply.headers)
  return { request, outcome, headerText }
}

const toLine = ({ method, path, headers, body }: ReturnType<typeof fuzzer.create>) =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${String(body ?? '').slice(0, 600)}`

const roles = [
  { label: 'a plain account', role: 'user', isGuest: false },
  { label: 'a guest of a shared agent', role: 'user', isGuest: true },
  { label: 'an administrator', role: 'admin', isGuest: false },
] as const

/** Collects garbage first, which this process makes as the client, too. */
const resident = () => {
  collectGarbage()
  return process.memoryUsage().rss
}
const residentBefore = resident()

for (const { label, role, isGuest } of roles)
  t.test(`${REQUESTS} hostile requests of ${label}, seed ${seed}`, async (t) => {
    let caller = await cast.createAccount({ label, role })
    const stored = await readStored()
    const forbidden = role === 'admin' ? [SECRET] : [SECRET, PRIVATE]
    const statuses: Record<string, number> = {}
    for (let count = 0; count < REQUESTS; count += 1) {
      const operation = operations[(count * 7 + chance.int(0, 6)) % operations.length]!
      const { request, outcome, headerText } = await send(operation, caller, isGuest)
      const { status, text } = outcome
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status >= 500 && !operation.faults.includes(status))
        t.fail(`${status} ${text} to ${toLine(request)}\n${logOf(text)}`)
      const leaked = forbidden.filter((canary) => text.includes(canary) || headerText.includes(canary))
      if (leaked.length > 0) t.fail(`${operation.name} shows ${leaked}: ${toLine(request)}`)
      if (status === 401 || status === 403 || count % 100 === 0) caller = await renew(caller)
    }
    t.comment(JSON.stringify(statuses))
    if (role === 'admin') return
    const storedAfter = await readStored()
    for (const [row, text] of stored) t.equal(storedAfter.get(row), text, `${row} is unchanged`)
  })

for (const { label, role, isGuest } of roles)
  t.test(`${FRAMES} hostile frames of ${label}, seed ${seed}`, async (t) => {
    const caller = await cast.createAccount({ label, role })
    // An administrator may have deleted the victim, and the first shared agent.
    const owner = isGuest ? await cast.createAccount({ label: 'an owner' }) : caller
    const made = { name: `fuzzed by ${label}`, is_shared: isGuest }
    const agent = await arrange(server, owner, ['POST', '/agents', made])
    const own = await arrange(server, caller, ['POST', `/agents/${agent.id}/threads`])
    const url = `${server.url.replace('http', 'ws')}/api/agents/${agent.id}/chat/ws?token=${caller.token}`
    const schemas = framesOf(asyncapi)
    let socket = await connectSocket(t, url)
    let checked = 0
    const closes: Record<string, number> = {}
    const codes: Record<string, number> = {}
    const settle = async () => {
      if (socket.webSocket.readyState === socket.webSocket.OPEN) {
        socket.send({ type: 'ping' })
        await Promise.race([socket.next('pong'), socket.closed])
      }
      const frames = socket.frames.slice(checked)
      checked = socket.frames.length
      const text = JSON.stringify(frames)
      const leaked = (role === 'admin' ? [SECRET] : [SECRET, PRIVATE]).filter((canary) =>
        text.includes(canary),
      )
      t.strictSame(leaked, [], 'no frame shows what belongs to others')
      for (const { type, code, message } of frames.filter(({ type }) => type === 'error')) {
        codes[code] = (codes[code] ?? 0) + 1
        if (code === 'INTERNAL_ERROR') t.fail(`${type} ${code} ${message}`)
      }
    }
    for (let count = 0; count < FRAMES; count += 1) {
      if (socket.webSocket.readyState !== socket.webSocket.OPEN) {
        const { code } = await socket.closed
        await settle()
        checked = 0
        closes[code] = (closes[code] ?? 0) + 1
        socket = await connectSocket(t, url)
      }
      const realFields = { thread_id: chance.pick([own.thread_id, own.thread_id, thread_id]) }
      socket.send(fuzzer.createFrame(chance.pick(schemas), realFields))
      if (count % 10 === 9) await settle()
    }
    await settle()
    t.comment(JSON.stringify({ codes, closes }))
    t.notOk(closes[1011], 'no socket ended with an error of the server')
    socket.close()
  })

t.test('The server answers afterwards, and holds no more than before', async (t) => {
  t.equal((await server.request('GET', '/health/ready', { token: null })).status, 200)
  const growth = resident() - residentBefore
  t.ok(growth < MAX_GROWTH, `the resident memory grew by ${Math.round(growth / 1024 / 1024)} MiB`)
})
