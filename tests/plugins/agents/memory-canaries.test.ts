import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import type { ChatSocket } from '../../support/chat.ts'
import { startFakeWebhook } from '../../support/fake-webhook.ts'
import { findMark, listMarked, makeMark } from '../../support/marked-accounts.ts'
import { obey, order } from '../../support/obedient-model.ts'
import { startPlatform } from '../../support/platform-channel.ts'
import { createChance } from '../../support/random.ts'
import { createKnowledgeCalls } from '../tools/knowledge-calls.ts'

const seed = chooseSeed(57)
const chance = createChance(seed)
const { pick } = chance
const ACCOUNTS = 50
const TURNS = amount({ short: 300, long: 10_000 })
/** The number of accounts that act at the same time. */
const PARALLEL = 8
/** The marks of the people who write to the bot of the channel, in a group and directly. */
const GROUP = 90
const STRANGER = 91
/** Asks the fake model for a memory that is not in the words of the person. */
const INVENT = '[invent]'

const start = await startPlatform(t, { kind: 'webhook', startFake: startFakeWebhook })
const channel = await start()
const { server, fake, agent_id: firstAgent } = channel
const knowledge = createKnowledgeCalls(server)

fake.script(({ body }) => {
  const said = String(body.messages.findLast(({ role }) => role === 'user')?.content ?? '')
  const hasInvented = body.messages.some(({ tool_calls = [] }) =>
    tool_calls.some((call) => call.function.arguments.includes('Gossip')),
  )
  const canInvent = body.tools?.some((tool) => tool.function.name === 'remember')
  if (!said.includes(INVENT) || hasInvented || !canInvent) {
    const reply = obey(body)
    // A long result of a tool takes the place of the words that it answers.
    return reply.text ? { text: [`${findMark(said) ?? ''} `, ...reply.text] } : reply
  }
  const text = `Gossip about kiwis and ${findMark(said)}`
  return { toolCalls: [{ name: 'remember', arguments: { text, scope: 'me' } }] }
})

interface Account {
  index: number
  token: string
  base_id?: string
  /** By agent. */
  sockets: Map<string, ChatSocket>
  threads: Map<string, string[]>
}

const accounts: Account[] = []
for (let index = 0; index < ACCOUNTS; index += 1) {
  const { token } =
    index === 0
      ? server.admin
      : await server.createUser({ username: `user${index}`, permissions: ['knowledge_bases'] })
  accounts.push({ index, token, sockets: new Map(), threads: new Map() })
}

/** The agents that all accounts use, of different owners. */
const agents: { id: string; name: string }[] = [{ id: firstAgent, name: 'assistant' }]
for (const [n, owner] of [0, 1, 2, 3].entries()) {
  const { token } = accounts[owner]!
  const name = `Shared ${n}`
  const { id } = await server.call('POST', '/agents', { name, is_shared: true }, token)
  agents.push({ id, name })
}
await server.call('PATCH', `/agents/${firstAgent}`, { is_shared: true })
for (const [n, { id }] of agents.entries()) {
  const { token } = accounts[Math.max(0, n - 1)]!
  await server.call('PATCH', `/agents/${id}/tool-settings/search_conversations`, { enabled: true }, token)
}
for (const account of accounts.slice(0, 8)) {
  const name = `Kiwis ${account.index}`
  account.base_id = await knowledge.create(name, { token: account.token })
  const text = `# Kiwis\n\nA harbour of kiwis has ${makeMark(account.index, chance)}.`
  await knowledge.upload(account.base_id, [['kiwis.md', text]], { token: account.token })
  await knowledge.settled(account.base_id, account.token)
}

const leaks: string[] = []
let recalled = 0
let shownInInstructions = 0

/** Notes a leak if a value has marks of others than one account. */
function check(value: unknown, index: number, place: string): void {
  const others = listMarked(value).filter((other) => other !== index)
  if (others.length > 0) leaks.push(`${place} of account ${index} has marks of ${others.join(', ')}`)
}

async function useSocket(account: Account, agent_id: string): Promise<ChatSocket> {
  const open = account.sockets.get(agent_id)
  if (open) return open
  const socket = await channel.connect({ token: account.token, agent_id })
  account.sockets.set(agent_id, socket)
  return socket
}

/** Returns words of an account, with orders for its model. */
function speak({ index }: Account): string {
  const mark = makeMark(index, chance)
  const fact = `Kiwi harbour ${mark}`
  const orders = [
    () => order('remember', { text: fact, scope: pick(['me', 'agent'] as const) }),
    () => order('recall', { query: 'kiwi harbour gossip' }),
    () => order('search_conversations', { query: 'kiwi harbour' }),
    () => order('search_knowledge', { query: 'kiwis harbour' }),
    () =>
      order('ask_agent', { agent: pick(agents).name, task: `${fact} ${order('recall', { query: 'kiwi' })}` }),
    () => INVENT,
    () => '',
  ]
  return `${fact}. ${chance.list(1, 3, () => pick(orders)()).join(' ')}`
}

const actions: Record<string, (account: Account) => Promise<void>> = {
  async web(account) {
    const agent = pick(agents)
    const socket = await useSocket(account, agent.id)
    const threads = account.threads.get(agent.id) ?? []
    account.threads.set(agent.id, threads)
    const thread_id = threads.length > 0 && chance.chance(0.5) ? pick(threads) : undefined
    const settings = account.base_id ? { knowledge_base_ids: [account.base_id] } : {}
    const turn = await socket.ask({ text: speak(account), ...(thread_id && { thread_id }), ...settings })
    if (turn.end.type !== 'done') throw new Error(JSON.stringify(turn.end))
    if (!thread_id) threads.push(turn.thread_id)
    // A thread that goes on has many orders to carry out.
    if (chance.chance(0.3)) account.threads.delete(agent.id)
    for (const { type, name, output } of turn.frames)
      if (type === 'tool_result' && name === 'recall' && listMarked(output).length > 0) recalled += 1
  },
  async api(account) {
    const response = await fetch(`${server.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: pick(agents).id,
        messages: [{ role: 'user', content: speak(account) }],
      }),
    })
    const body = await response.text()
    if (response.status !== 200) throw new Error(body)
    check(body, account.index, 'an answer of the API')
  },
  async schedule(account) {
    const { id: agent_id } = pick(agents)
    const path = `/agents/${agent_id}/cron`
    const plan = { name: 'Kiwis', prompt: speak(account), schedule: { every_seconds: 86_400 } }
    const { id } = await server.call('POST', path, plan, account.token)
    await server.request('POST', `${path}/${id}/run-now`, { token: account.token })
    await eventually('the run ends', async () => {
      const runs = await server.call('GET', `${path}/${id}/runs`, undefined, account.token)
      check(runs, account.index, 'the list of runs')
      return runs[0] && !['queued', 'running'].includes(runs[0].status)
    })
    await server.call('DELETE', `${path}/${id}`, undefined, account.token)
  },
  async memories(account) {
    const text = `Kiwi note ${makeMark(account.index, chance)}`
    const scope = pick([{ scope: 'me' }, { scope: 'agent', agent_id: pick(agents).id }])
    const { id } = await server.call('POST', '/memories', { text, ...scope }, account.token)
    const other = pick(accounts)
    if (other !== account)
      for (const method of ['GET', 'DELETE', 'PATCH']) {
        const body = method === 'PATCH' ? { body: { text: 'Stolen' } } : {}
        const { status } = await server.request(method, `/memories/${id}`, { token: other.token, ...body })
        if (status !== 404) leaks.push(`${method} of a memory of others was answered ${status}`)
      }
    const state = pick(['kept', 'proposed'])
    const rows = await server.call(
      'GET',
      `/memories?q=kiwi&state=${state}&limit=200`,
      undefined,
      account.token,
    )
    check(rows, account.index, 'the list of memories')
    if (state === 'proposed' && rows.length > 0)
      await server.call('PATCH', `/memories/${rows[0].id}`, { state: 'kept' }, account.token)
  },
}

t.test(`${TURNS} turns of ${ACCOUNTS} accounts: nothing of one reaches another (seed ${seed})`, async (t) => {
  const names = ['web', 'web', 'web', 'web', 'api', 'memories', 'memories']
  let turns = 0
  await Promise.all(
    Array.from({ length: PARALLEL }, async (_, worker) => {
      const own = accounts.filter(({ index }) => index % PARALLEL === worker)
      while (turns < TURNS) {
        turns += 1
        const name = turns % 25 === 0 ? 'schedule' : pick(names)
        await actions[name]!(pick(own))
      }
    }),
  )
  await server.call('PATCH', `/memories/${(await server.call('GET', '/memories'))[0].id}`, {
    text: `Kiwi of the owner ${makeMark(0, chance)}`,
  })

  for (const account of accounts) {
    for (const [agent_id, socket] of account.sockets) {
      check(socket.frames, account.index, 'the frames')
      const threads = await channel.threads('GET', '?limit=200', { token: account.token, agent_id })
      check(threads.body, account.index, 'the list of threads')
    }
    for (const state of ['kept', 'proposed'])
      check(
        await server.call('GET', `/memories?state=${state}&limit=200`, undefined, account.token),
        account.index,
        'the list of memories',
      )
    const reply = await server.request('GET', '/search?q=kiwi', { token: account.token })
    check(reply.body, account.index, 'the search')
  }

  for (const memory of [false, true]) {
    const linked = memory ? await start({ memory: true }) : channel
    for (let n = 0; n < 5; n += 1)
      for (const place of ['group', 'direct'] as const) {
        // With memory, who writes directly is the owner of the agent.
        const index = place === 'group' ? GROUP : memory ? 0 : STRANGER
        const mark = makeMark(index, chance)
        const orders = ['recall', 'search_conversations'].map((name) => order(name, { query: 'kiwi' }))
        await linked.platform.say({ text: `${mark} kiwi ${orders.join(' ')}`, place, mention: true })
        const { text } = await linked.seeMessage(mark, place)
        check(text, index, `a message in the ${place} of a channel`)
      }
  }
  check(await server.call('GET', '/memories?limit=200'), 0, 'the list of memories')

  for (const { body } of fake.requests) {
    const marked = listMarked([body.messages, body.tools])
    if (marked.length > 1) leaks.push(`a request of a model has marks of ${marked.join(', ')}`)
    if (listMarked(String(body.messages[0]!.content)).length > 0) shownInInstructions += 1
  }
  t.strictSame([...new Set(leaks)].slice(0, 10), [])
  t.ok(recalled > TURNS / 50, `memories were recalled in ${recalled} calls`)
  t.ok(shownInInstructions > TURNS / 10, `memories were in the instructions of ${shownInInstructions} calls`)
})
