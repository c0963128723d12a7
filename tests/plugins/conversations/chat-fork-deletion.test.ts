import { setTimeout as pause } from 'node:timers/promises'
import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import t from '../../run/file-test.ts'
import { amount, isLong, onlyLong } from '../../run/tier.ts'
import { range, startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { startServer } from '../../support/server.ts'
import { createForkCalls } from './fork-calls.ts'

const clock = createTestClock()
const chat = await startChat(t, { clock })
const { server, threads, createThread } = chat
const { all, ...calls } = createForkCalls(chat)
const second = await startServer(t, { home: server.home, clock })
const { body: admin } = await server.request('GET', '/auth/me')

const COLLECTIONS = ['threads', 'messages', 'events', 'client_messages'] as const
const NOTHING = { threads: 0, messages: 0, events: 0, client_messages: 0 }

/** The number of documents of all threads. */
const remains = async () =>
  Object.fromEntries(
    await Promise.all(
      COLLECTIONS.map(async (name) => [name, await server.db.collection(name).countDocuments()] as const),
    ),
  )
/** Sends a request to one of the two servers. */
const call = (node: number, method: string, path: string, body?: object, token?: string) =>
  (node % 2 ? server : second).request(method, `/agents/${chat.agent_id}/threads${path}`, {
    body,
    token: token ?? server.admin.token,
  })
const forkAt = (thread_id: string, assistant_turns_from_end: number) =>
  calls.forkAt(thread_id, { assistant_turns_from_end })
const remove = async (thread_id: string) => {
  const { status } = await threads('DELETE', `/${thread_id}`)
  if (status !== 204) throw new Error(`delete answered ${status}`)
}
/** Lets other requests run for as long as a number of small requests take. */
const letPass = async (requests: number) => {
  for (let n = 0; n < requests; n += 1) await server.request('GET', '/health/live')
}

async function converse(turns: number, options: { token?: string; thread_id?: string } = {}) {
  const socket = await chat.connect(options)
  const thread_id = options.thread_id ?? (await createThread(options))
  for (const n of range(1, turns)) await socket.ask({ thread_id, text: `say ${n}` })
  socket.close()
  return thread_id
}

t.test('A fork survives its source, of which only the messages that forks show are left', async (t) => {
  const source = await converse(4)
  const said = await all(source)
  const [one, two] = [await forkAt(source, 3), await forkAt(source, 2)]
  const deep = await forkAt(two, 1)
  await converse(1, { thread_id: deep })
  const deeper = await all(deep)
  await remove(source)
  t.match(await remains(), { threads: 3, messages: 6 + 2, client_messages: 1 })
  t.strictSame(await all(one), said.slice(0, 4))
  t.strictSame(await all(two), said.slice(0, 6))
  t.match((await threads('POST', `/${source}/fork`, { body: { assistant_turns_from_end: 1 } })).status, 404)
  await remove(two)
  t.strictSame(await all(deep), deeper, 'a fork of a fork that is gone needs the first thread itself')
  const late = await forkAt(deep, 3)
  t.strictSame(
    await all(late),
    said.slice(0, 4),
    'messages of a deleted thread can be forked from the threads that show them',
  )
  await remove(deep)
  t.match(await remains(), { threads: 2, messages: 4, events: 0, client_messages: 0 })
  await remove(one)
  t.strictSame(await all(late), said.slice(0, 4))
  await server.restart()
  t.strictSame(await all(late), said.slice(0, 4))
  await remove(late)
  t.strictSame(await remains(), NOTHING)
})

t.test('A fork that is removed takes nothing from its source', async (t) => {
  const source = await converse(3)
  const said = await all(source)
  await remove(await forkAt(source, 2))
  t.strictSame(await all(source), said)
  await remove(source)
  t.strictSame(await remains(), NOTHING)
})

t.test('Deleting an account or an agent removes forks and the rest of their sources', async (t) => {
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
  const kept = await converse(1)
  const remainsBefore = await remains()
  for (const name of ['account', 'agent']) {
    const { token, username } = await server.createUser({ username: `ann-${name}` })
    const { body: agent } = await server.request('POST', '/agents', { token, body: { name } })
    const agent_id = name === 'agent' ? agent.id : chat.agent_id
    const path = `/agents/${agent_id}/threads`
    const socket = await chat.connect({ token, agent_id })
    const { thread_id: source } = await socket.ask({ text: 'one' })
    await socket.ask({ thread_id: source, text: 'two' })
    const forks: string[] = []
    for (const from of [source, source, source]) {
      const body = { assistant_turns_from_end: 1 + (forks.length % 2) }
      const made = await server.request('POST', `${path}/${forks.at(-1) ?? from}/fork`, { token, body })
      forks.push(made.body.thread_id)
      await socket.ask({ thread_id: forks.at(-1), text: 'more' })
    }
    await server.request('DELETE', `${path}/${source}`, { token })
    t.match(await remains(), { threads: 1 + 3 })
    if (name === 'account') t.equal((await server.request('DELETE', `/users/${username}`)).status, 204)
    else t.equal((await server.request('DELETE', `/agents/${agent_id}`, { token })).status, 204)
    t.strictSame(await remains(), remainsBefore, name)
  }
  await remove(kept)
})

t.test('A fork made at the moment when its source is deleted is whole, or is not made', async (t) => {
  const outcomes = { made: 0, refused: 0 }
  // In either case each server forks and deletes, and forks of both lengths are made.
  for (const round of isLong ? range(1, 12) : [1, 6]) {
    const source = await converse(2)
    const said = await all(source)
    const forking = call(round, 'POST', `/${source}/fork`, { assistant_turns_from_end: 1 + (round % 2) })
    // Each round the fork gets a little further.
    await letPass(round)
    const [fork, removed] = await Promise.all([forking, call(round >> 1, 'DELETE', `/${source}`)])
    t.equal(removed.status, 204)
    if (fork.status === 201) {
      outcomes.made += 1
      t.strictSame(await all(fork.body.thread_id), said.slice(0, round % 2 ? 2 : 4))
      await remove(fork.body.thread_id)
    } else {
      outcomes.refused += 1
      t.match(fork.body.error, { code: /THREAD_NOT_FOUND|REPLY_NOT_FOUND/ })
    }
    t.strictSame(await remains(), NOTHING)
  }
  t.comment(outcomes)
})

t.test('Sources and forks that are deleted at the same time leave nothing', async (t) => {
  for (const round of range(1, amount({ short: 1, long: 5 }))) {
    const source = await converse(2)
    const [one, two] = [await forkAt(source, 1), await forkAt(source, 2)]
    const family = [source, one, two, await forkAt(one, 1)]
    const replies = await Promise.all(
      family.map((thread_id, n) => call((round >> (n % 3)) + n, 'DELETE', `/${thread_id}`)),
    )
    for (const { status } of replies) t.equal(status, 204)
    t.strictSame(await remains(), NOTHING)
  }
})

t.test('A source that is found hidden after its fork was stored takes the fork with it', async (t) => {
  const source = await converse(1)
  const documents = server.db.collection<ThreadDocument>('threads')
  const sourceDocument = (await documents.findOne({ _id: source }))!
  await documents.updateOne({ _id: source }, { $set: { deleted_at: clock.seconds() } })
  const { forks, chat: conversations } = server.server.runtime.cradleOf('chat')
  const making = forks.make(sourceDocument, { assistant_turns_from_end: 1 }, 'en')
  await t.rejects(making, { code: /THREAD_NOT_FOUND|REPLY_NOT_FOUND/ })
  t.equal(await documents.countDocuments({ _id: { $ne: source } }), 0)
  await conversations.purge([source])
  t.strictSame(await remains(), NOTHING)
})

t.test(
  'Deleting an account with many threads leaves none of them, including those forked meanwhile',
  { skip: onlyLong },
  async (t) => {
    const { token, id: user_id, username } = await server.createUser({ username: 'ben' })
    const source = await converse(1, { token })
    const documents = server.db.collection<ThreadDocument>('threads')
    const sourceDocument = (await documents.findOne({ _id: source }))!
    const others = range(1, 400).map((n) => ({
      ...sourceDocument,
      _id: `thr_00${n}`,
      session_key: `ses_00${n}`,
    }))
    await documents.insertMany(others)
    const { forks, chat: conversations, threads: documented } = server.server.runtime.cradleOf('chat')
    let made = 0
    const forkOn = async () => {
      for (;;) {
        await forks.make(sourceDocument, { assistant_turns_from_end: 1 }, 'en')
        made += 1
      }
    }
    const forking = Promise.allSettled(range(1, 4).map(forkOn))
    while (made === 0) await new Promise(setImmediate)
    const hidden = await documented.hide({ user_id })
    for (const end of await forking) t.match(end, { reason: { code: /THREAD_NOT_FOUND|REPLY_NOT_FOUND/ } })
    t.equal(await documents.countDocuments({ user_id, deleted_at: { $exists: false } }), 0)
    t.ok(hidden.length > 401, `${made} forks`)
    await documents.deleteMany({ _id: { $in: others.map(({ _id }) => _id) } })
    await conversations.purge(hidden.filter((_id) => !_id.startsWith('thr_00')))
    t.equal((await server.request('DELETE', `/users/${username}`)).status, 204)
    t.strictSame(await remains(), NOTHING)
  },
)

t.test('A fork interrupted by a crash is invisible and removed after a while', async (t) => {
  const source = await converse(2)
  const owner = { user_id: admin.id, agent_id: chat.agent_id }
  const base = [{ thread_id: source, last: 100 }]
  const { _id } = await server.server.runtime
    .cradleOf('chat')
    .threads.create(owner, { forked_from: source, base, deleted_at: null })
  t.equal((await threads('GET', '')).body.length, 1)
  t.equal((await threads('GET', `/${_id}/history`)).status, 404)
  t.equal((await threads('DELETE', `/${_id}`)).status, 404)
  await remove(source)
  t.match(await remains(), { threads: 1, messages: 4 }, 'it might be finished yet')
  clock.advance(61)
  await server.restart()
  while ((await remains()).threads! > 0) await pause(10)
  t.strictSame(await remains(), NOTHING)
})

t.test('Deletions interrupted by a crash are finished by the next start', async (t) => {
  const source = await converse(2)
  const fork = await forkAt(source, 1)
  const documents = () => server.db.collection<ThreadDocument>('threads')
  const cutOff = async (_id: string) => {
    await documents().updateOne({ _id }, { $set: { deleted_at: 1 } })
    await server.restart()
    while ((await documents().countDocuments({ _id })) > 0) await pause(10)
  }
  await cutOff(source)
  t.equal((await all(fork)).length, 4)
  await cutOff(fork)
  t.strictSame(await remains(), NOTHING)
})
