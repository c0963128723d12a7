import t from './run/file-test.ts'
import { amount, isLong, roundRobin } from './run/tier.ts'
import type { PathObjects } from './support/path-objects.ts'
import { type Answer, exceptionNames, expectedAnswer, isLetIn } from './support/route-access.ts'
import {
  type AnsweredCall,
  callersOf,
  createCalls,
  createSampler,
  listRoutes,
  type SampledCall,
} from './support/route-calls.ts'
import { startCast } from './support/route-cast.ts'

const cast = await startCast(t)
const { anonymous, plain, holders, createAccount } = cast
const calls = createCalls(t, cast)
const routes = listRoutes(cast)
const samplesOf = createSampler(cast, routes)

const disabled = await createAccount({ label: 'a user who is disabled' })
await cast.disable(disabled)
const disabledAdministrator = await createAccount({
  label: 'an administrator who is disabled',
  role: 'admin',
})
await cast.disable(disabledAdministrator)
const signature = plain.token!.split('.')[2]!
const forged = {
  ...plain,
  label: 'a user with a forged token',
  token: plain.token!.replace(signature, [...signature].reverse().join('')),
}
const bound = await createAccount({
  label: 'a user who must change the password',
  must_change_password: true,
})
const shutOut: [SampledCall['caller'], Answer][] = [
  [disabled, '403 USER_DISABLED'],
  [disabledAdministrator, '403 USER_DISABLED'],
  [forged, '401 AUTH_FAILED'],
]

const sent = async (call: SampledCall): Promise<AnsweredCall> => {
  const caller = await calls.standIn(call)
  return calls.send({ ...call, caller }, await calls.bodyOf({ ...call, caller }))
}

/**
 * Lists the classes of objects that the user tries. In `npm test`, one of those with the same answer is tried, and a
 * missing one on one route of two.
 */
const classesOf = (on: PathObjects | undefined, index: number): readonly (string | undefined)[] => {
  if (!on) return [undefined]
  const classes = Object.keys(on.answers)
  if (isLong) return classes
  const [missing, existing] = [true, false].map((isMissing) =>
    classes.filter((name) => name.startsWith('missing') === isMissing),
  )
  const answers = new Set(existing!.map((name) => String(on.answers[name])))
  const oneOfEach = [...answers].flatMap((answer) =>
    roundRobin(
      existing!.filter((name) => String(on.answers[name]) === answer),
      index,
    ),
  )
  return index % 2 === 0 ? [...oneOfEach, ...roundRobin(missing!, index / 2)] : oneOfEach
}

/** An error without its id, and without the names that the caller has sent in the path. */
const withoutId = ({ params, body: { error } }: AnsweredCall) => {
  const names = Object.values(params)
  const message = names.reduce((text: string, name) => text.replaceAll(name, '…'), error.message)
  const details = Object.entries(error.details).filter(([, value]) => !names.includes(value as string))
  return { ...error, message, details, request_id: undefined }
}

/** The further fields of errors in the form of OpenAI's API. */
const openaiFields = (path: string) => (path.startsWith('/v1/') ? ['param', 'type'] : [])

for (const [index, route] of routes.entries())
  t.test(`${route.name} answers every caller as the table says`, async (t) => {
    for (const sample of samplesOf(route)) {
      const { who, on, open, query } = sample
      // A refused call uses nothing up, so the next call may name the same object.
      const call = (caller: SampledCall['caller'], expected: Answer, object?: string) => {
        const spends = expected === 'ok' ? sample.spends : undefined
        return sent({ route, sample: { ...sample, spends }, caller, object })
      }
      for (const caller of who === 'public' ? [anonymous, plain] : callersOf(cast, who, index)) {
        const notFound = new Map<Answer, AnsweredCall>()
        const objects = on ? Object.keys(on.answers) : [undefined]
        const isRefused = !isLetIn(sample, caller)
        // A holder of other permissions only is treated like any user.
        const isAnother = caller !== plain && holders.includes(caller) && !caller.permissions.includes(who)
        const ends = isRefused || isAnother ? [...new Set([objects[0], objects.at(-1)])] : undefined
        const tried = caller === plain && !ends ? classesOf(on, index) : roundRobin(ends ?? objects, index)
        for (const object of tried) {
          const expected = expectedAnswer(sample, caller, object)
          const reply = await call(caller, expected, object)
          const title = caller.label + (object ? `, ${on!.kind} ${object}` : '') + query
          t.equal(reply.answer, expected, title)
          if (expected === 'ok' || reply.answer !== expected) continue
          const { error } = reply.body
          t.match(error, { message: /\S/, details: Object, request_id: reply.request_id }, `error, ${title}`)
          const fields = ['code', 'details', 'message', 'request_id', ...openaiFields(route.path)]
          t.same(Object.keys(error).sort(), fields.sort())
          if (reply.status === 403 && who !== 'admin' && !isLetIn(sample, caller))
            t.equal(error.details.permission, who, 'the missing permission is named')
          if (reply.status !== 404) continue
          const first = notFound.get(expected) ?? reply
          notFound.set(expected, first)
          t.same(withoutId(reply), withoutId(first), `${title}, cannot find out whether it exists`)
        }
      }
      if (who === 'public') {
        if (sample.refused) {
          const refusal = { route, sample, caller: anonymous }
          const reply = await calls.send(refusal, await calls.bodyOf(refusal, 'refused'))
          t.equal(reply.answer, sample.refused.answer, 'a body that is to be refused')
        }
        continue
      }
      if (isLong || open || index % 4 === 0) {
        const whenBound = open ? 'ok' : '403 PASSWORD_CHANGE_REQUIRED'
        t.equal((await call(bound, whenBound, on && 'missing')).answer, whenBound, bound.label)
      }
      for (const [caller, expected] of isLong || index % 4 === 2
        ? roundRobin(shutOut, (index - 2) / 4)
        : []) {
        const { answer } = await calls.send({ route, sample, caller, object: on && 'missing' })
        t.equal(answer, expected, caller.label)
      }
    }
  })

t.test('Nothing can have the name of a path segment of another route', async (t) => {
  const wordsAfter = (start: string) =>
    new Set(
      routes
        .map(({ path }) => path.split('/'))
        .flatMap(([, first, word]) => (first === start && word ? word : [])),
    )
  const names = (start: string) => [...wordsAfter(start)].filter((word) => !word.startsWith(':'))
  t.ok(names('agents').length > 0 && names('users').length > 0)
  const make = (path: string, body: object) => cast.server.request('POST', path, { body })
  for (const name of names('agents')) t.equal((await make('/agents', { name: ` ${name}` })).status, 422, name)
  for (const username of names('users'))
    t.equal((await make('/users', { username, password: 'a-good-password-1' })).status, 409, username)
})

const permissions = holders.flatMap((holder) => holder.permissions)
const managers = new Map<string, ReturnType<typeof createAccount>>()
/** Returns an account with these permissions, created once for all routes. */
const managerWith = (label: string, held: string[]) => {
  const key = held.join()
  const manager = managers.get(key) ?? createAccount({ label, permissions: held })
  managers.set(key, manager)
  return manager
}

/** In `npm test`, one of so many permissions is tried. */
const STEP = amount({ short: 3, long: 1 })

/** The routes that change an account; in `npm test` each is tried with other permissions. */
const guarded = routes.flatMap((route) =>
  samplesOf(route).flatMap((sample) =>
    sample.on?.kind === '/users/:id' && route.method !== 'GET' ? [{ route, sample }] : [],
  ),
)

for (const [routeIndex, { route, sample }] of guarded.entries())
  t.test(`${route.name} refuses accounts with rights that its caller lacks`, async (t) => {
    const { who } = sample
    const refused = expectedAnswer(sample, { ...plain, permissions: [who] }, 'stronger')
    const answerOf = async (caller: SampledCall['caller'], held: string[], folder: string | null = null) => {
      const target = await createAccount({ label: 'another user', permissions: held })
      if (folder !== null) await cast.setFolder(target, folder)
      const call = { route, sample: { ...sample, on: undefined }, caller, object: undefined }
      const { status, body } = await calls.sendTo(call, { id: target.username }, await calls.bodyOf(call))
      return {
        isDone: status === sample.status,
        code: body?.error?.code,
        missing: body?.error?.details.missing,
      }
    }
    const done = { isDone: true, code: undefined, missing: undefined }
    const expect = (missing: string) =>
      refused === 'ok' ? done : { isDone: false, code: 'FORBIDDEN', missing: [missing] }
    const keys = permissions.filter((_, index) => isLong || index % (guarded.length * STEP) === routeIndex)
    for (const key of keys.filter((key) => key !== who)) {
      const others = permissions.filter((other) => other !== key)
      const lacking = await managerWith(`all but ${key}`, others)
      const holding = await managerWith(`only ${key}`, [who, key])
      t.strictSame(await answerOf(lacking, [key]), expect(key), `by ${lacking.label}`)
      t.strictSame(await answerOf(holding, [who, key]), done, `by ${holding.label}`)
    }
    const manager = await createAccount({ label: 'a user manager', permissions: [who] })
    t.strictSame(await answerOf(manager, [], '/srv/team'), expect('workspace_root_dir'), 'who has no folder')
    await cast.setFolder(manager, '/srv/team')
    for (const folder of roundRobin([null, '/srv/team', '/srv/team/below'], routeIndex))
      t.strictSame(await answerOf(manager, [], folder), done, `of the folder ${folder}`)
    for (const folder of roundRobin(['/', '/srv', '/srv/teamster'], routeIndex))
      t.strictSame(await answerOf(manager, [], folder), expect('workspace_root_dir'), `of ${folder}`)
  })

/** The routes and sockets that anyone on the network can use without signing in. */
const PUBLIC = [
  'GET /agents/:id/files/linked',
  'GET /asyncapi.json',
  'GET /auth/oauth/callback',
  'GET /auth/oauth/status',
  'GET /auth/oidc/callback',
  'GET /auth/oidc/status',
  'GET /connectors/oauth/callback',
  'GET /console',
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
  'GET /hooks/:channel_id',
  'GET /openapi.json',
  'POST /auth/invite/redeem',
  'POST /auth/invite/validate',
  'POST /auth/login',
  'POST /auth/oauth/exchange',
  'POST /auth/oauth/start',
  'POST /auth/oidc/exchange',
  'POST /auth/oidc/start',
  'POST /auth/passkeys/sign-in',
  'POST /auth/passkeys/sign-in/options',
  'POST /auth/refresh',
  'POST /auth/set-password',
  'POST /auth/set-password/validate',
  'POST /hooks/:channel_id',
  'POST /hooks/triggers/:trigger_id',
  'POST /push/decisions',
]

t.test('Only the listed routes and sockets are public', (t) => {
  const names = routes.flatMap(({ guard, name }) => (guard === 'public' ? [name] : []))
  t.strictSame(
    names.sort(),
    PUBLIC,
    'each has a limit or a proof of its own; add a new one here with a reason',
  )
  t.end()
})

t.test('Every exception is about a route, and every guard names a known permission', (t) => {
  const names = new Set(routes.map(({ name }) => name))
  t.strictSame(
    exceptionNames.filter((name) => !names.has(name)),
    [],
  )
  const classes = new Set(['public', 'user', 'admin', ...permissions])
  for (const route of routes)
    for (const { who } of samplesOf(route)) t.ok(classes.has(who), `${route.name} is for "${who}"`)
  t.end()
})

t.test('A new route is in the matrix, or says what it lacks', (t) => {
  const response = { 200: { type: 'object' } } as const
  const spec = { summary: 'A new route', guard: 'user', response } as const
  const create = { ...spec, method: 'POST', path: '/things', name: 'POST /things' } as const
  const read = { ...spec, method: 'GET', path: '/things/:id', name: 'GET /things/:id' } as const
  const withQuery = { ...spec, method: 'GET', path: '/look', name: 'GET /look' } as const
  const [sample] = createSampler(cast, [...routes, create, read])(read)
  t.match(sample, { who: 'user', status: 200 })
  t.strictSame(sample!.on!.answers, { own: 'ok', other: '404 NOT_FOUND', missing: '404 NOT_FOUND' })
  t.throws(() => samplesOf(read), /path-objects.ts must make the object "\/things\/:id"/)
  const query = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }
  t.throws(() => samplesOf({ ...withQuery, query }), /parameter "q" of the query needs an example/)
  t.end()
})
