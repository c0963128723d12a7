import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { isLong } from '../../run/tier.ts'
import { chatUrl, connectChat, createHold, startChat } from '../../support/chat.ts'
import { startServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { readEvents } from '../../support/sse.ts'

const chat = await startChat(t)
const { server, fake } = chat
/** Another server on the same database; in the long tier, of another process. */
const otherServer = isLong
  ? await spawnService(t, server.home, {})
  : await startServer(t, { home: server.home, signIn: false })
const urls = { here: server.url, there: otherServer.url }

const ann = await server.createUser({ username: 'ann' })
const ben = await server.createUser({ username: 'ben' })
const { id: agent_id } = await server.call('POST', '/agents', { name: 'lent' }, ann.token)
const share = (grants: object[], id = agent_id) =>
  server.call('PUT', `/agents/${id}/grants`, grants, ann.token)
const createGroup = async (): Promise<string> => {
  const { id } = await server.call('POST', '/groups', { name: `Team ${++groups}` })
  await server.call('PUT', `/groups/${id}/members/ben`)
  return id
}
let groups = 0

/** Sends a request of Ben to a server. */
const ask = async (url: string, method: string, path: string, body?: object) => {
  const { token } = ben
  const reply = await fetch(`${url}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return reply.status
}
const see = (url: string) => ask(url, 'GET', `/agents/${agent_id}`)
const change = (url: string) => ask(url, 'PATCH', `/agents/${agent_id}`, { description: 'Changed' })

/** Opens a socket with a running turn, and a streamed answer that never ends by itself, at a server. */
async function open(url: string) {
  const { hold, release } = createHold()
  t.teardown(release)
  const held = { text: ['slow ', 'never'], hold, holdAfter: 1 }
  await eventually('the server has heard of the access', async () => (await see(url)) === 200)
  fake.next(held)
  const socket = await connectChat(t, chatUrl(url, agent_id, ben.token))
  socket.say({ text: 'Go.' })
  const { turn_id } = await socket.until(({ type }) => type === 'content')
  fake.next(held)
  const body = { model: agent_id, input: 'Go.', stream: true }
  const stream = await readEvents(t, `${url}/api/v1/responses`, {
    ...{ method: 'POST', token: ben.token, body },
  })
  await stream.until(({ type }) => type === 'response.output_text.delta')
  return { socket, stream, turn_id, release }
}

type Way = (access: 'use' | 'edit') => Promise<() => Promise<unknown>>

/** Ways to share the agent with Ben; each returns how the access ends. */
const ways: Record<string, Way> = {
  async 'a grant to the account'(access) {
    await share([{ user: 'ben', access }])
    return () => share([])
  },
  async 'a grant to a group'(access) {
    await share([{ group: await createGroup(), access }])
    return () => share([])
  },
  async 'the membership in a group'(access) {
    const group = await createGroup()
    await share([{ group, access }])
    return () => server.call('DELETE', `/groups/${group}/members/ben`)
  },
  async 'a group'(access) {
    const group = await createGroup()
    await share([{ group, access }])
    return () => server.call('DELETE', `/groups/${group}`)
  },
  async 'the grant to everyone'(access) {
    await share([{ everyone: true, access }])
    return () => share([])
  },
  async is_shared() {
    await share([{ everyone: true, access: 'use' }])
    return () => server.call('PATCH', `/agents/${agent_id}`, { is_shared: false }, ann.token)
  },
}

for (const [index, [name, lend]] of Object.entries(ways).entries())
  for (const access of isLong ? (['use', 'edit'] as const) : ([index % 2 === 0 ? 'use' : 'edit'] as const))
    t.test(`with ${name}, what is open on every server ends (${access})`, async (t) => {
      const revoke = await lend(access)
      const opened = [await open(urls.here), await open(urls.there)]
      for (const url of Object.values(urls)) t.equal(await see(url), 200)
      await revoke()
      t.equal(await see(urls.here), 404, 'requests to this server are refused at once')
      t.equal(await change(urls.here), 404)
      await eventually('the other server refuses requests', async () => (await see(urls.there)) === 404)
      for (const { socket, stream, turn_id, release } of opened) {
        t.match(await socket.closed, { code: 1008, reason: 'AGENT_NOT_FOUND' })
        await stream.rest()
        const ended = { turn_id, type: 'done' as const, 'frame.stop_reason': 'stopped' }
        await eventually(
          'the turn is stopped',
          async () => (await server.db.collection('events').countDocuments(ended)) > 0,
        )
        release()
      }
      await eventually(
        'no turn is left',
        async () =>
          (await server.db
            .collection('threads')
            .countDocuments({ agent_id, active_turn: { $exists: true, $ne: null } })) === 0,
      )
    })

t.test('Access that is left keeps open what it allows', async (t) => {
  const group = await createGroup()
  await share([
    { user: 'ben', access: 'edit' },
    { group, access: 'use' },
  ])
  const opened = [await open(urls.here), await open(urls.there)]
  t.equal(await change(urls.here), 200)
  await share([{ group, access: 'use' }])
  t.equal(await change(urls.here), 403, 'the agent can be seen, but not changed any more')
  await eventually('the other server refuses changes', async () => (await change(urls.there)) === 403)
  for (const { socket, stream, turn_id, release } of opened) {
    await socket.settle()
    release()
    const end = await socket.until((frame) => frame.turn_id === turn_id && frame.type === 'done')
    t.equal(end.stop_reason, 'end', 'the turn goes on to its end')
    await stream.until(({ type }) => type === 'response.completed')
    socket.close()
  }
})

t.test('What is open on a server ends even if the others have not heard of that server yet', async (t) => {
  await share([{ user: 'ben', access: 'use' }])
  const newServer = await startServer(t, { home: server.home, signIn: false })
  const socket = await connectChat(t, chatUrl(newServer.url, agent_id, ben.token))
  await share([])
  t.match(await socket.closed, { code: 1008, reason: 'AGENT_NOT_FOUND' })
})

t.test('An agent that gets another owner stays open for its former one', async (t) => {
  const { id } = await server.call('POST', '/agents', { name: 'handed over' }, ann.token)
  const { hold, release } = createHold()
  t.teardown(release)
  fake.next({ text: ['slow ', 'never'], hold, holdAfter: 1 })
  const socket = await connectChat(t, chatUrl(urls.there, id, ann.token))
  socket.say({ text: 'Go.' })
  const { turn_id } = await socket.until(({ type }) => type === 'content')
  await server.call('POST', `/agents/${id}/transfer`, { username: 'ben' }, ann.token)
  release()
  const end = await socket.until((frame) => frame.turn_id === turn_id && frame.type === 'done')
  t.equal(end.stop_reason, 'end')
  await server.call('PUT', `/agents/${id}/grants`, [], ben.token)
  t.match(await socket.closed, { code: 1008, reason: 'AGENT_NOT_FOUND' }, 'until the new owner ends it')
})
