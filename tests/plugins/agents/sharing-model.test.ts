import t from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { type Chance, createChance } from '../../support/random.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const STEPS = amount({ short: 60, long: 1500 })
const seed = chooseSeed(20)

type Access = 'use' | 'edit'

/** A grant of the model; `to` is `user:` or `group:` with a name, or `everyone`. */
interface ModelGrant {
  to: string
  access: Access
}

interface ModelAgent {
  id: string
  owner: string
  grants: ModelGrant[]
}

/** The state that the server is to have: accounts with their tokens, groups with their members, and agents with their grants. */
interface Model {
  accounts: Map<string, string>
  groups: Map<string, { id: string; members: Set<string> }>
  agents: Map<string, ModelAgent>
}

const RANKS = { none: 0, use: 1, edit: 2, own: 3 }

/** Returns the access of an account to an agent, as the model has it. */
function accessOf({ groups }: Model, account: string, { owner, grants }: ModelAgent): keyof typeof RANKS {
  if (owner === account) return 'own'
  const isFor = (to: string) =>
    to === 'everyone' ||
    to === `user:${account}` ||
    (to.startsWith('group:') && groups.get(to.slice('group:'.length))!.members.has(account))
  const held = grants.filter(({ to }) => isFor(to)).map(({ access }) => access)
  return held.includes('edit') ? 'edit' : (held[0] ?? 'none')
}

/** Creates the steps that change a server and the model of it in the same way. */
function createSteps({ call }: TestServer, model: Model, { pick, list, chance }: Chance) {
  const { accounts, groups, agents } = model
  let made = 0
  const tokenOf = (name: string) => accounts.get(name)!
  const anyAgent = () => pick([...agents.values()])
  const anyAccount = () => pick([...accounts.keys()])
  const anyGroup = () => pick([...groups.keys()])

  const chooseGrants = (): ModelGrant[] => {
    const grantees = [
      'everyone',
      ...[...accounts.keys()].map((name) => `user:${name}`),
      ...[...groups.keys()].map((name) => `group:${name}`),
    ]
    const chosen = new Set(list(0, 4, () => (chance(0.15) ? 'everyone' : pick(grantees.slice(1)))))
    return [...chosen].map((to) => ({ to, access: pick(['use', 'edit'] as const) }))
  }
  const toBody = ({ to, access }: ModelGrant) => {
    const [kind, name] = to.split(':')
    return { ...(kind === 'everyone' ? { everyone: true } : { [kind!]: name }), access }
  }
  const forget = (to: string) => {
    for (const agent of agents.values()) agent.grants = agent.grants.filter((grant) => grant.to !== to)
  }

  return {
    async createAccount() {
      const username = `person-${++made}`
      const password = `a-password-${made}`
      await call('POST', '/users', { username, password })
      const { access_token } = await call('POST', '/auth/login', { username, password }, null)
      accounts.set(username, access_token)
      // The assistant that every account begins with.
      for (const { id } of await call('GET', '/agents', undefined, access_token))
        if (!agents.has(id)) agents.set(id, { id, owner: username, grants: [] })
    },
    async deleteAccount() {
      if (accounts.size < 4) return
      const name = anyAccount()
      await call('DELETE', `/users/${name}`)
      accounts.delete(name)
      for (const { members } of groups.values()) members.delete(name)
      for (const [id, { owner }] of agents) if (owner === name) agents.delete(id)
      forget(`user:${name}`)
    },
    async createGroup() {
      const name = `team-${++made}`
      const { id } = await call('POST', '/groups', { name })
      groups.set(name, { id, members: new Set() })
    },
    async deleteGroup() {
      if (groups.size < 3) return
      const name = anyGroup()
      await call('DELETE', `/groups/${name}`)
      groups.delete(name)
      forget(`group:${name}`)
    },
    async join() {
      const [group, name] = [anyGroup(), anyAccount()]
      await call('PUT', `/groups/${group}/members/${name}`)
      groups.get(group)!.members.add(name)
    },
    async leave() {
      const [group, name] = [anyGroup(), anyAccount()]
      await call('DELETE', `/groups/${group}/members/${name}`)
      groups.get(group)!.members.delete(name)
    },
    async createAgent() {
      const owner = anyAccount()
      const is_shared = chance(0.2)
      const { id } = await call('POST', '/agents', { name: `agent-${++made}`, is_shared }, tokenOf(owner))
      agents.set(id, { id, owner, grants: is_shared ? [{ to: 'everyone', access: 'use' }] : [] })
    },
    async deleteAgent() {
      if (agents.size < 4) return
      const { id, owner } = anyAgent()
      await call('DELETE', `/agents/${id}`, undefined, tokenOf(owner))
      agents.delete(id)
    },
    async share() {
      const agent = anyAgent()
      const grants = chooseGrants()
      await call('PUT', `/agents/${agent.id}/grants`, grants.map(toBody), tokenOf(agent.owner))
      agent.grants = grants
    },
    async switchIsShared() {
      const agent = anyAgent()
      const is_shared = chance(0.5)
      await call('PATCH', `/agents/${agent.id}`, { is_shared }, tokenOf(agent.owner))
      const isAlready = agent.grants.some(({ to }) => to === 'everyone')
      if (is_shared && !isAlready) agent.grants.push({ to: 'everyone', access: 'use' })
      if (!is_shared) agent.grants = agent.grants.filter(({ to }) => to !== 'everyone')
    },
    async transfer() {
      const agent = anyAgent()
      const { owner: former } = agent
      const others = [...accounts.keys()].filter((name) => name !== former)
      const owner = pick(others)
      await call('POST', `/agents/${agent.id}/transfer`, { username: owner }, tokenOf(former))
      agent.owner = owner
      agent.grants = [
        ...agent.grants.filter(({ to }) => to !== `user:${owner}` && to !== `user:${former}`),
        { to: `user:${former}`, access: 'edit' },
      ]
    },
  }
}

t.test(
  `what each account lists, opens and edits follows ${STEPS} random changes, seed ${seed}`,
  async (t) => {
    const server = await startServer(t, { config: { limits: { agents: 10_000 } } })
    const { db } = server
    const model: Model = { accounts: new Map(), groups: new Map(), agents: new Map() }
    const chance = createChance(seed)
    const steps = createSteps(server, model, chance)
    const frequencies: Record<keyof typeof steps, number> = {
      ...{ createAccount: 2, deleteAccount: 1, createGroup: 2, deleteGroup: 1, join: 5, leave: 3 },
      ...{ createAgent: 3, deleteAgent: 1, share: 8, switchIsShared: 2, transfer: 3 },
    }
    const names = Object.entries(frequencies).flatMap(([name, count]) => Array(count).fill(name))
    for (const name of ['createAccount', 'createGroup', 'createAgent'] as const)
      for (let n = 0; n < 3; n += 1) await steps[name]()

    /** Compares what an account lists and may do with the model. */
    const compare = async (account: string, after: string): Promise<boolean> => {
      const token = model.accounts.get(account)!
      const { body: rows } = await server.request('GET', '/agents?limit=200', { token })
      const expected = [...model.agents.values()]
        .map((agent) => ({ id: agent.id, access: accessOf(model, account, agent) }))
        .filter(({ access }) => access !== 'none')
      const listed = (rows as { id: string; is_owner: boolean; can_edit: boolean }[]).map((row) => ({
        id: row.id,
        access: row.is_owner ? 'own' : row.can_edit ? 'edit' : 'use',
      }))
      const sort = (list: { id: string }[]) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      if (!t.strictSame(sort(listed), sort(expected), `the list of ${account} ${after}`)) return false

      const agent = chance.pick([...model.agents.values()])
      const rank = RANKS[accessOf(model, account, agent)]
      const path = `/agents/${agent.id}`
      const body = { description: after.slice(0, 100) }
      const statuses = [
        (await server.request('GET', path, { token })).status,
        (await server.request('PATCH', path, { token, body })).status,
        (await server.request('GET', `${path}/grants`, { token })).status,
        (await server.request('POST', `${path}/transfer`, { token, body: {} })).status,
      ]
      const statusFrom = (least: number, done: number) =>
        rank === RANKS.none ? 404 : rank >= least ? done : 403
      const wanted = [
        200,
        statusFrom(RANKS.edit, 200),
        statusFrom(RANKS.edit, 200),
        statusFrom(RANKS.own, 422),
      ]
      wanted[0] = statusFrom(RANKS.use, 200)
      return t.strictSame(statuses, wanted, `what ${account} may do ${after}`)
    }

    for (let step = 1; step <= STEPS; step += 1) {
      const name: keyof typeof steps = chance.pick(names)
      await steps[name]()
      const after = `after step ${step}, ${name}`
      for (const account of model.accounts.keys()) if (!(await compare(account, after))) return

      const stored = await db.collection<{ grants?: ModelGrant[] }>('agents').find().toArray()
      const people = new Set((await db.collection('users').distinct('_id')).map(String))
      const groupIds = new Set((await db.collection('groups').distinct('_id')).map(String))
      const lost = stored
        .flatMap(({ grants = [] }) => grants.map(({ to }) => to))
        .filter((to) => {
          const [kind, id = ''] = to.split(':')
          return kind !== 'everyone' && !(kind === 'user' ? people : groupIds).has(id)
        })
      if (!t.strictSame(lost, [], `no grant to anybody who is gone, ${after}`)) return
    }
  },
)
