import { type Db, type Document, MongoClient } from 'mongodb'
import { toSortKeys } from '../plugins/identity/users/user-list.ts'
import { openChatSocket } from './chat-socket.ts'
import { type Figure, median, type Row, spread } from './figure.ts'

const counts = { accounts: 5_000, groups: 300, agents: 4_000, grants: 20_000, memberships: 10 }
const rounds = 3
const warmUp = 20
const calls = 100
const turns = 60
const password = 'bench-password-1'

/**
 * Measures lists, the directory and turns among 5,000 accounts in 300 groups with 20,000 grants: for a member of ten
 * groups, and for an account that is in none and sees the same agents.
 */
export const measureSharing: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const { agentId, token, call } = await stage.createAccount(service)
  for (const username of ['member', 'loner']) await call('POST', '/users', { username, password })
  const client = await MongoClient.connect((await service.engine()).uri)
  const db = client.db('svc')
  await seedSharing(db, agentId)
  await client.close()

  const signIn = async (username: string) =>
    (await call<{ access_token: string }>('POST', '/auth/login', { username, password })).access_token
  const tokens = { administrator: token, member: await signIn('member'), loner: await signIn('loner') }
  const get = async (who: keyof typeof tokens, path: string): Promise<unknown[]> => {
    const headers = { authorization: `Bearer ${tokens[who]}` }
    const reply = await fetch(`${service.url}/api${path}`, { headers })
    if (!reply.ok) throw new Error(`GET ${path} answered ${reply.status}: ${await reply.text()}`)
    return (await reply.json()) as unknown[]
  }
  for (const who of ['member', 'loner'] as const) {
    const { length } = await get(who, '/agents')
    if (length !== 50) throw new Error(`${who} is listed ${length} agents`)
  }

  const time = async (work: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await work()
    return performance.now() - startedAt
  }
  /** Measures kinds of work in turns, and returns the median of each in each round. */
  const compare = async (count: number, works: (() => Promise<number>)[]): Promise<number[][]> => {
    const medians = works.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      const times = works.map((): number[] => [])
      for (let index = -warmUp; index < count; index++)
        for (const [side, work] of index % 2 === 0 ? [...works.entries()] : [...works.entries()].reverse()) {
          const ms = await work()
          if (index >= 0) times[side]!.push(ms)
        }
      for (const [side, values] of times.entries()) medians[side]!.push(median(values))
    }
    return medians
  }
  const note = (values: number[], digits = 1) => `median of ${rounds} rounds, ${spread(values, digits)}`
  const toRows = (what: string, [member, loner]: number[][]): Row[] => {
    const ratios = member!.map((ms, round) => ms / loner![round]!)
    return [
      { measure: `${what}, ten groups`, value: median(member!), unit: 'ms', note: note(member!) },
      { measure: `${what}, no group`, value: median(loner!), unit: 'ms', note: note(loner!) },
      { measure: `${what}, ten groups / none`, value: median(ratios), unit: 'ratio', note: note(ratios, 2) },
    ]
  }

  const list = (who: keyof typeof tokens, path: string) => () => time(() => get(who, path))
  const lists = await compare(calls, [list('member', '/agents'), list('loner', '/agents')])
  const sockets = await Promise.all(
    [tokens.member, tokens.loner].map((held) =>
      openChatSocket(`${service.url.replace('http', 'ws')}/api/agents/agent-0/chat/ws?token=${held}`),
    ),
  )
  const begun = await compare(
    turns,
    sockets.map((socket) => () => socket.turn('Tell me something about the sea.')),
  )
  await Promise.all(sockets.map((socket) => socket.close()))

  const paths = {
    'first page of 50 accounts': '/users?limit=50',
    'accounts that contain “son-12”': '/users?limit=50&q=son-12',
    'accounts by last visit': '/users?limit=50&sort=-last_seen',
    'directory, “son-12”': '/directory?q=son-12',
  }
  const singles = await compare(
    calls,
    Object.values(paths).map((path) => list('administrator', path)),
  )
  return [
    ...toRows('agents', lists),
    ...toRows('first text of a turn', begun),
    ...Object.keys(paths).map((measure, index): Row => {
      const values = singles[index]!
      return { measure, value: median(values), unit: 'ms', note: note(values) }
    }),
  ]
}

/** Stores accounts, groups and agents with their grants, as making so many through the API would take minutes. */
async function seedSharing(db: Db, agentId: string): Promise<void> {
  const collection = (name: string) => db.collection<Document & { _id: string }>(name)
  const [users, groups, agents] = [collection('users'), collection('groups'), collection('agents')]
  const { _id, ...user } = (await users.findOne({ username: 'loner' }))!
  const { _id: everyone, ...group } = (await groups.findOne({}))!
  const { _id: assistant, ...agent } = (await agents.findOne({ _id: agentId }))!
  const make = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => item(index))
  const groupIds = make(counts.groups, (index) => `grp_${index}`)
  const groupsFrom = (index: number) =>
    make(counts.memberships, (n) => groupIds[(index * 7 + n * 31) % counts.groups]!)

  await groups.insertMany(
    groupIds.map((id, index) => ({
      ...{ ...group, _id: id, is_default: false },
      ...{ name: `Team ${index}`, name_key: `team ${index}` },
    })),
  )
  await users.insertMany(
    make(counts.accounts, (index) => {
      const names = { username: `person-${index}`, display_name: `Person ${index}` }
      return {
        ...{ ...user, _id: `person-${index}`, ...names, ...toSortKeys(names) },
        group_ids: [everyone, ...groupsFrom(index)],
        last_seen_at: 1_700_000_000 + ((index * 7919) % counts.accounts),
      }
    }),
  )
  await users.updateOne({ username: 'member' }, { $set: { group_ids: [everyone, ...groupsFrom(0)] } })
  const own = new Set(groupsFrom(0))
  const grantsEach = counts.grants / counts.agents
  await agents.insertMany(
    make(counts.agents, (index) => {
      const to = make(grantsEach, (n) =>
        n % 2 === 0
          ? `group:${groupIds[(index * grantsEach + n) % counts.groups]}`
          : `user:person-${(index * grantsEach + n) % counts.accounts}`,
      )
      const isSeen = to.some((grantee) => own.has(grantee.slice('group:'.length)))
      const grantees = isSeen ? [...to, `user:${_id}`] : to
      return {
        ...{ ...agent, _id: `agent-${index}`, name: `agent-${index}` },
        ...{ owner_id: `person-${index}`, owner_username: `person-${index}` },
        grants: grantees.map((grantee) => ({ to: grantee, access: 'use' })),
      }
    }),
  )
}
