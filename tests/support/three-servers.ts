import type { Test } from '../run/file-test.ts'
import { isLong, onlyLong } from '../run/tier.ts'
import {
  type ChatSocket,
  chatUrl,
  connectChat,
  createHold,
  range,
  startChat,
  type TestChat,
  textOf,
} from './chat.ts'
import { startServer } from './server.ts'
import { spawnService } from './service-process.ts'
import { readEvents } from './sse.ts'

/**
 * Tests that three servers on one database act as one, whatever carries their signals; leaves two of them. A process of
 * its own takes a second to start: in `npm test` only a server that is to be killed has one.
 */
export async function testThreeServers(
  t: Test,
  env: Record<string, string> = {},
  { killsOne = true }: { killsOne?: boolean } = {},
): Promise<{ chat: TestChat; connectThere(): Promise<ChatSocket> }> {
  const chat: TestChat = await startChat(t, { env })
  const { agent_id, fake, server } = chat
  const { token } = server.admin
  const startHere = () => startServer(t, { home: server.home, env })
  const startProcess = () => spawnService(t, server.home, env)
  const [second, spawned] = await Promise.all([
    isLong ? startProcess() : startHere(),
    isLong || killsOne ? startProcess() : undefined,
  ])
  const third = spawned ?? (await startHere())
  const connect = ({ url }: { url: string }) => connectChat(t, chatUrl(url, agent_id, token))
  const nodes = [server, second, third]
  const call = ({ url }: { url: string }, method: string, path: string, body?: unknown) =>
    fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  await t.test('An idle reader at each server sees a turn that begins at another one', async (t) => {
    const thread_id = await chat.createThread()
    const readers = await Promise.all(nodes.map(connect))
    for (const reader of readers) await reader.subscribe(thread_id)
    for (const [index, writer] of readers.entries()) {
      const { hold, release } = createHold()
      fake.next({ text: ['first ', 'then ', 'last'], hold, holdAfter: 1 })
      const sent = writer.say({ thread_id, text: `turn ${index}` })
      for (const reader of readers) {
        const isThere = () =>
          reader.of(thread_id).filter(({ content }) => content === 'first ').length > index
        t.ok(await reader.until(isThere), 'text is seen while the turn runs')
      }
      release()
      const [turn, ...others] = await Promise.all(readers.map((reader) => reader.seeTurn(sent)))
      t.equal(textOf(turn!.frames), 'first then last')
      for (const other of others) t.strictSame(other, turn)
    }
    const last = readers[0]!.of(thread_id).at(-1)!.seq as number
    for (const reader of readers)
      t.strictSame(
        reader.of(thread_id).map(({ seq }) => seq),
        range(1, last),
        'in order, none twice and none missing',
      )
    const late = await connect(second)
    await late.subscribe(thread_id, 3)
    await late.until(({ seq }) => seq === last)
    t.strictSame(
      late.of(thread_id),
      readers[0]!.of(thread_id).filter(({ seq }) => (seq as number) > 3),
      'and resumed at another server',
    )
  })

  await t.test('A stop, and the removal of a thread, reach the server that runs the turn', async (t) => {
    for (const method of ['stop', 'delete', 'stop the agent'] as const) {
      const thread_id = await chat.createThread()
      const { hold } = createHold()
      const upstream = fake.request(fake.requests.length)
      fake.next({ text: ['begun ', 'never'], hold, holdAfter: 1 })
      const [remote, here] = await Promise.all([connect(third), connect(server)])
      remote.say({ thread_id, text: 'talk' })
      await remote.until(({ content }) => content === 'begun ')
      if (method === 'stop') here.send({ type: 'stop', thread_id })
      else if (method === 'delete') await call(second, 'DELETE', `/agents/${agent_id}/threads/${thread_id}`)
      else await call(second, 'POST', `/agents/${agent_id}/stop`)
      await (await upstream).aborted
      t.pass(`${method}: the upstream request was aborted`)
    }
    await call(second, 'POST', `/agents/${agent_id}/start`)
  })

  await t.test('The events of an account tell what happens at other servers', async (t) => {
    const streams = await Promise.all(nodes.map(({ url }) => readEvents(t, `${url}/api/events`, { token })))
    for (const stream of streams) await stream.until(({ type }) => type === 'reset')
    const { thread_id } = (await (await call(third, 'POST', `/agents/${agent_id}/threads`, {})).json()) as {
      thread_id: string
    }
    const has =
      (type: string, fields: object = {}) =>
      (event: Record<string, unknown>) =>
        event.type === type && Object.entries(fields).every(([name, value]) => event[name] === value)
    const seen = (type: string, fields?: object) =>
      Promise.all(streams.map((stream) => stream.until(has(type, fields))))
    t.equal((await seen('thread.changed', { thread_id })).length, 3)
    const socket = await connect(second)
    await socket.ask({ thread_id, text: 'hello' })
    t.equal((await seen('usage.changed')).length, 3)
    t.ok(await seen('thread.changed', { thread_id, turn_active: false, title: 'hello' }))
    await call(second, 'PATCH', `/agents/${agent_id}`, { name: 'renamed' })
    t.ok(await seen('agent.changed', { agent_id, name: 'renamed' }))
    await call(third, 'DELETE', `/agents/${agent_id}/threads/${thread_id}`)
    t.ok(await seen('thread.deleted', { thread_id }))
  })

  await t.test('A changed account is noticed at every server', async (t) => {
    const ann = await server.createUser({ username: 'ann' })
    const { body } = await server.request('GET', '/agents', { token: ann.token })
    const sockets = await Promise.all(
      nodes.map(({ url }) => connectChat(t, chatUrl(url, body[0].id, ann.token))),
    )
    await call(second, 'PATCH', '/users/ann', { enabled: false })
    for (const socket of sockets) t.equal((await socket.closed).code, 4401)
  })

  const skip = spawned ? false : onlyLong
  await t.test('The turns of a killed server end for the readers at the others', { skip }, async (t) => {
    const thread_ids = await Promise.all(range(1, 4).map(() => chat.createThread()))
    const [remote, here] = await Promise.all([connect(third), connect(server)])
    const sent: string[] = []
    for (const thread_id of thread_ids) {
      await here.subscribe(thread_id)
      fake.next({ text: ['half ', 'said'], hold: createHold().hold, holdAfter: 1 })
      sent.push(remote.say({ thread_id, text: 'talk' }))
      await here.until((frame) => frame.thread_id === thread_id && frame.content === 'half ')
    }
    const queued = remote.say({ thread_id: thread_ids[0], text: 'and then' })
    await remote.until(
      ({ type, client_message_id }) => type === 'turn_queued' && client_message_id === queued,
    )
    const events = await readEvents(t, `${server.url}/api/events`, { token })
    const resets = () => events.events.filter(({ data }) => data.type === 'reset').length
    await events.until(() => resets() >= 1)
    const resetsBefore = resets()
    await spawned!.kill()
    t.ok(
      await events.until(() => resets() > resetsBefore),
      'pages ask again, because they may have missed what it told last',
    )
    for (const client_message_id of sent) {
      const { end, frames } = await here.seeTurn(client_message_id)
      t.match(end, { type: 'error', code: 'TURN_INTERRUPTED' })
      t.equal(textOf(frames), 'half ')
    }
    t.match((await here.seeTurn(queued)).end, { type: 'done' }, 'and another one runs what was queued')
  })
  return { chat, connectThere: () => connect(second) }
}
