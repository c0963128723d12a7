import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../kernel/loading/package.ts'
import t from './run/file-test.ts'
import { isLong, roundRobin } from './run/tier.ts'
import { expectedAnswer } from './support/route-access.ts'
import {
  type AnsweredCall,
  callersOf,
  createCalls,
  createSampler,
  listRoutes,
  type SampledCall,
  type ServedRoute,
} from './support/route-calls.ts'
import { createCanaries, urlFieldsOf } from './support/route-canaries.ts'
import { startCast } from './support/route-cast.ts'
import { readPages } from './support/server.ts'

const cast = await startCast(t)
const { server, anonymous, plain, holders, administrator } = cast
const calls = createCalls(t, cast)
const canaries = createCanaries(calls.secret)
const routes = listRoutes(cast)
const samplesOf = createSampler(cast, routes)
const answers: { from: string; text: string }[] = []

/** The routes with a mutating method that write no row; each declares a reason. */
const UNAUDITED = [
  'POST /admin/providers/:id/test',
  'POST /admin/providers/probe',
  'POST /admin/web-search/test',
  'POST /agents/:id/channels/:cid/test',
  'POST /agents/:id/channels/:kind/qrcode/poll',
  'POST /agents/:id/channels/probe',
  'POST /agents/:id/chat/polish',
  'POST /agents/:id/cron/preview',
  'POST /agents/:id/publish-expert/preview',
  'POST /agents/:id/read',
  'POST /agents/:id/threads/:thread_id/read',
  'POST /auth/invite/validate',
  'POST /auth/me/push/focus',
  'POST /auth/oauth/bind/start',
  'POST /auth/oauth/providers/:kind/preview',
  'POST /auth/oauth/providers/:kind/test',
  'POST /auth/oauth/start',
  'POST /auth/oidc/config/test',
  'POST /auth/oidc/start',
  'POST /auth/passkeys/options',
  'POST /auth/passkeys/sign-in/options',
  'POST /auth/refresh',
  'POST /auth/set-password/validate',
  'POST /connectors/:id/test',
  'POST /connectors/probe',
  'POST /hooks/:channel_id',
  'POST /hooks/triggers/:trigger_id',
  'POST /knowledge-bases/search',
  'POST /managed/begin',
  'POST /managed/compare',
  'POST /managed/end',
  'POST /mcp',
  'POST /providers/:id/test',
  'POST /providers/probe',
  'POST /speech',
  'POST /transcriptions',
  'POST /v1/chat/completions',
  'POST /v1/responses',
]

/** Returns the action of a route's rows and the field with the target's name; undefined if it writes no rows. */
const auditOf = ({ audit }: ServedRoute) => {
  if (typeof audit === 'string') return { action: audit, target: 'id' }
  return audit && 'action' in audit ? audit : undefined
}

/** Returns the parameters of a path, without those that are secrets. */
const listRecorded = ({ params: schema }: ServedRoute, params: Record<string, string>) => {
  const described = (schema?.properties ?? {}) as Record<string, { writeOnly?: boolean }>
  return Object.entries(params).flatMap(([name, value]) => (described[name]?.writeOnly ? [] : [value]))
}

/** A call, and the fields that its row must have in addition to the fields of every row. */
interface Expectation {
  reply: AnsweredCall
  actor: string | null
  target: string | null
  payload?: object
}

interface AuditRow {
  action: string
  request_id: string
  payload: unknown
}

/** Finds the first caller and object with this reply. */
const choose = (
  { route, sample }: Pick<SampledCall, 'route' | 'sample'>,
  callers: SampledCall['caller'][],
  isWanted: (answer: string) => boolean,
): SampledCall | undefined =>
  callers
    .flatMap((caller) =>
      Object.keys(sample.on?.answers ?? { '': '' }).map((name) => ({ caller, object: name || undefined })),
    )
    .filter(({ caller, object }) => isWanted(expectedAnswer(sample, caller, object)))
    .map((chosen) => ({ route, sample, ...chosen }))[0]

const isOk = (answer: string) => answer === 'ok'

/** Chooses a caller with access and as few rights as possible. */
const chooseAllowed = (call: Pick<SampledCall, 'route' | 'sample'>) =>
  choose(call, call.sample.who === 'public' ? [anonymous] : [plain, ...holders, administrator], isOk)

/** Lists the calls of a route that only reads, by each kind of caller with access; in `npm test` by one caller. */
const readsOf = (call: Pick<SampledCall, 'route' | 'sample'>, index: number): SampledCall[] => {
  const calls = isLong
    ? callersOf(cast, call.sample.who, index).map((caller) => choose(call, [caller], isOk))
    : [chooseAllowed(call)]
  return calls.filter((call) => call !== undefined)
}

const send = async (call: SampledCall, body?: object): Promise<AnsweredCall> => {
  const reply = await calls.send(call, body)
  answers.push({ from: call.route.name, text: JSON.stringify(reply.body ?? '') })
  return reply
}

/** Sends a body with canaries in it, and returns the part that the row must show. */
const sendPlanted = async (
  { caller: standard, ...call }: SampledCall,
  kind: 'accepted' | 'refused',
  more: Record<string, unknown> = {},
): Promise<Expectation> => {
  const caller = await calls.standIn({ ...call, caller: standard })
  const { route } = call
  const plainBody = await calls.bodyOf({ ...call, caller }, kind)
  const filled = route.body && canaries.plant(route.body, plainBody!, `${kind}, ${route.name}`)
  const isMore = Object.keys(more).length > 0
  const planted = Array.isArray(filled)
    ? [...filled, ...(isMore ? [more] : [])]
    : filled && { ...filled, ...more }
  const body = planted ?? plainBody
  const reply = await send({ ...call, caller }, body)
  const made: unknown = reply.answer === 'ok' ? reply.body?.[auditOf(route)?.target ?? 'id'] : undefined
  const isValid = reply.status !== 422
  // The username at a sign-in is in the request or in the reply; a notification’s token belongs to its recipient.
  const named = (plainBody?.username ?? reply.body?.user?.username ?? calls.recipientOf(plainBody?.token)) as
    | string
    | undefined
  return {
    reply,
    actor: caller.role === null ? (isValid && named) || null : caller.username,
    target: listRecorded(route, reply.params).join('/') || (typeof made === 'string' ? made : null),
    payload:
      planted && reply.answer === 'ok'
        ? Object.fromEntries(Object.entries(planted).filter(([, value]) => !canaries.isIn(value)))
        : undefined,
  }
}

/** The calls of all routes that may write rows, in their order. */
const made: { route: ServedRoute; what: string; expectation: Expectation }[] = []
const mutating = routes.filter(({ method, audit }) => !['GET', 'SOCKET'].includes(method) || audit)

for (const [index, route] of mutating.entries())
  t.test(`${route.name} succeeds, and fails`, async (t) => {
    for (const sample of samplesOf(route)) {
      const call = { route, sample }
      const allowed = chooseAllowed(call)
      // Routes whose requests a platform signs cannot be called here.
      if (!allowed) {
        const unsigned = choose(call, [anonymous], (answer) => answer.startsWith('401'))!
        made.push({ route, what: 'unsigned', expectation: await sendPlanted(unsigned, 'accepted') })
        continue
      }
      const done = await sendPlanted(allowed, 'accepted')
      // If not: the schema of the body needs an example, or tests/support/route-bodies.ts a value.
      t.equal(done.reply.answer, 'ok', 'a call succeeds whose body is derived from its schema')
      made.push({ route, what: 'done', expectation: done })

      const refuse = async (): Promise<void> => {
        const refused =
          choose(call, [plain], (answer) => answer.startsWith('403')) ??
          choose(call, [anonymous], (answer) => answer.startsWith('401'))
        if (!refused && !sample.refused) {
          t.fail(`${route.name} refuses nobody and has no sample of a body that it refuses`)
          return
        }
        const refusal = refused
          ? await sendPlanted(refused, 'accepted')
          : await sendPlanted(allowed, 'refused')
        t.not(refusal.reply.answer, 'ok', 'a call that may not be made is refused')
        made.push({ route, what: 'refused', expectation: refusal })
      }
      const invalidate = async () => {
        const unknown = canaries.add(calls.secret(), `${route.name}, an unknown field`)
        const invalid = await sendPlanted(allowed, 'accepted', { unknown_field: unknown })
        // Clients of OpenAI's API send fields that it has gained meanwhile.
        const isOpen = route.body!.additionalProperties === true
        const answer = isOpen ? 'ok' : '422 VALIDATION_FAILED'
        t.equal(invalid.reply.answer, answer, 'an unknown field is refused')
        made.push({ route, what: 'invalid', expectation: invalid })
      }
      const miss = async () => {
        const missing = await sendPlanted({ ...allowed, object: 'missing' }, 'accepted')
        t.equal(missing.reply.status, 404)
        made.push({ route, what: 'missing', expectation: missing })
      }
      // Setting a price creates it.
      const misses = sample.on && route.name !== 'PUT /admin/prices/:model'
      const failures = [refuse, ...(route.body ? [invalidate] : []), ...(misses ? [miss] : [])]
      for (const fail of roundRobin(failures, index)) await fail()

      for (const field of route.body ? urlFieldsOf(route.body) : []) {
        const secret = canaries.add(calls.secret(), `${route.name}, credentials in ${field}`)
        const expectation = await sendPlanted(allowed, 'accepted', {
          [field]: `https://user:${secret}@example.org/`,
        })
        t.equal(expectation.reply.answer, '422 VALIDATION_FAILED', `credentials in ${field} are refused`)
        made.push({ route, what: `credentials in ${field}`, expectation })
      }
    }
  })

/** An import writes a row for each account besides its own. */
const isImport = (row: object | undefined) => (row as { action?: string })?.action === 'user.import'

t.test('Each call has written one row, or none if its route is not audited', async (t) => {
  const written: AuditRow[] = (await readPages(server, '/admin/audit-log?limit=200')).flatMap(
    ({ body }) => body,
  )
  for (const { route, what, expectation } of made) {
    const { reply, actor, target, payload } = expectation
    const call = `${what}, ${route.name}`
    const audit = auditOf(route)
    const rows = written.filter(
      ({ request_id, action }) =>
        request_id === reply.request_id && !(action === 'user.create' && isImport(audit)),
    )
    if (!audit) {
      t.same(rows, [], `no row, ${call}`)
      continue
    }
    const { action } = audit
    const { status, ip, request_id } = reply
    t.equal(rows.length, 1, `one row, ${call}`)
    t.hasStrict(rows[0], { action, actor, target, status, ip, request_id }, call)
    if (payload && Object.keys(payload).length > 0) t.hasStrict(rows[0]?.payload, payload, `payload, ${call}`)
  }
})

t.test('The routes that write no row are known', (t) => {
  const unaudited = routes.filter((route) => !['GET', 'SOCKET'].includes(route.method) && !auditOf(route))
  t.strictSame(unaudited.map(({ name }) => name).sort(), UNAUDITED)
  t.end()
})

t.test('The console has a text for each action', (t) => {
  const file = join(PACKAGE_ROOT, 'plugins/reach/console/web/i18n/en/did.json')
  const texts: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'))
  const actions = routes.flatMap((route) => auditOf(route)?.action ?? [])
  t.strictSame([...new Set(actions)].filter((action) => !Object.hasOwn(texts, action)).sort(), [])
  t.end()
})

t.test('No call has two rows', async (t) => {
  const rows = await server.db.collection('audit_log').find().toArray()
  const imports = new Set(rows.flatMap((row) => (isImport(row) ? [row.request_id] : [])))
  const others = rows.filter((row) => isImport(row) || !imports.has(row.request_id))
  t.equal(new Set(others.map(({ request_id }) => request_id)).size, others.length)
})

t.test('No secret is in a reply or stored in clear text anywhere', async (t) => {
  for (const [index, route] of routes.entries())
    for (const sample of ['GET', 'SOCKET'].includes(route.method) ? samplesOf(route) : [])
      for (const call of readsOf({ route, sample }, index))
        t.equal((await send(call)).answer, 'ok', `${route.name} by ${call.caller.label}`)
  for (const { username, token } of [plain, ...holders, administrator])
    canaries.add(token!, `the token of ${username}`)

  for (const { from, text } of answers)
    t.same(canaries.find(text, { onlySecret: true }), [], `the answer of ${from}`)
  t.same(canaries.find(server.logged(), { onlySecret: false }), [], 'the log')
  for (const { name } of await server.db.listCollections().toArray()) {
    const stored = JSON.stringify(await server.db.collection(name).find().toArray())
    t.same(canaries.find(stored, { onlySecret: name !== 'audit_log' }), [], `the collection ${name}`)
  }
})
