import t from './run/file-test.ts'
import { isLong, roundRobin } from './run/tier.ts'
import { expectedAnswer, type RouteSample, scopeOf } from './support/route-access.ts'
import {
  type AnsweredCall,
  createCalls,
  createSampler,
  listRoutes,
  type SampledCall,
  type ServedRoute,
} from './support/route-calls.ts'
import { type Account, arrange, startCast } from './support/route-cast.ts'

const cast = await startCast(t)
const calls = createCalls(t, cast)
const routes = listRoutes(cast)
const samplesOf = createSampler(cast, routes)
const permissions = cast.holders.flatMap((holder) => holder.permissions)
const scopes = ['read', 'chat', 'write', 'admin', ...permissions]

/** A caller with a key, and the account that it belongs to. */
interface Keyed {
  caller: Account
  holder: Account
}

/** Two accounts, since one may have only a few keys. */
const [exact, others] = [
  await cast.createAccount({ label: 'an administrator with a key', role: 'admin' }),
  await cast.createAccount({ label: 'an administrator with keys to more', role: 'admin' }),
]
const keys = new Map<string, Promise<Keyed>>()

/** Returns a caller with a key to these scopes, created once; without `admin`, it has the rights of a user. */
const keyTo = (holder: Account, held: readonly string[]): Promise<Keyed> => {
  const label = `a key to ${held.join(', ')}`
  const create = async (): Promise<Keyed> => {
    const body = { name: `key ${keys.size}`, scopes: held }
    const { key: token } = await arrange(cast.server, holder, ['POST', '/auth/api-keys', body])
    if (held.includes('admin')) return { holder, caller: { ...holder, label, token } }
    const limited = permissions.filter((key) => held.includes(key))
    return { holder, caller: { ...holder, label, token, role: 'user', permissions: limited } }
  }
  const made = keys.get(label) ?? create()
  keys.set(label, made)
  return made
}

/** Lists the scopes that open a route, each by itself. */
const openingOf = (route: ServedRoute, sample: RouteSample): string[] => {
  const { wanted, also = '' } = scopeOf(route, sample)
  if (wanted === 'session') return []
  if (wanted !== 'read') return [wanted, 'admin']
  return ['read', 'chat', 'write', 'admin', also].filter((scope) => scope !== '')
}

/** Calls a route with a key, about an object of the key's account. */
const callWith = async (
  { caller, holder }: Keyed,
  call: Pick<SampledCall, 'route' | 'sample' | 'object'>,
): Promise<AnsweredCall> => {
  const asHolder = { ...call, caller: holder }
  const params = await calls.paramsOf(asHolder)
  return calls.sendTo({ ...call, caller }, params, await calls.bodyOf(asHolder))
}

/** The rights with which a key makes a call: a call that only reads has the rights of the account. */
const rightsOf = ({ caller, holder }: Keyed, { method }: ServedRoute, opening: string): Account =>
  method === 'GET' && opening !== 'admin' && !permissions.includes(opening)
    ? { ...holder, token: caller.token }
    : caller

for (const [index, route] of routes.entries())
  for (const sample of samplesOf(route).filter(({ who }) => who !== 'public'))
    t.test(`${route.name}${sample.query} is open to keys with its scope alone`, async (t) => {
      const call = { route, sample: { ...sample, spends: undefined } }
      const { wanted } = scopeOf(route, sample)
      const opening = openingOf(route, sample)
      const closingScopes = scopes.filter((scope) => !opening.includes(scope))
      const objects = sample.on ? Object.keys(sample.on.answers) : [undefined]
      const refused = await callWith(await keyTo(others, closingScopes), { ...call, object: objects.at(-1) })
      t.equal(refused.answer, '403 FORBIDDEN', `without ${wanted}`)
      t.same(refused.body?.error?.details, { scope: wanted }, 'the missing scope is named')
      // The refusal names the scope that opens the route; in `npm test`, one route of two is called with one that does.
      const tried = wanted === 'session' ? [] : roundRobin(opening, Math.floor(index / 2))
      for (const scope of isLong || index % 2 === 0 ? tried : []) {
        const keyed = await keyTo(exact, [scope])
        const rights = rightsOf(keyed, route, scope)
        // An object of others shows the role with which the call is made.
        const object = objects.find((name) => name === 'other') ?? objects.at(-1)
        const expected = expectedAnswer(sample, rights, object)
        const spends = expected === 'ok' ? sample.spends : undefined
        const reply = await callWith(keyed, { ...call, sample: { ...sample, spends }, object })
        t.equal(reply.answer, expected, `${scope}${object ? `, ${sample.on!.kind} ${object}` : ''}`)
      }
    })
