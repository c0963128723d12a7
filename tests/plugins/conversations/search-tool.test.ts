import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { createSearchCalls } from './search-calls.ts'

const chat = await startChat(t)
const { server, fake, agent_id } = chat
const { say } = createSearchCalls(chat)

/** Has the model call the tool in a new turn; returns the tools that it was offered, and the output. */
async function searchInTurn(
  query: string,
  { token, thread_id }: { token?: string; thread_id?: string } = {},
) {
  const socket = await chat.connect({ ...(token && { token }) })
  const next = fake.requests.length
  const call = { id: 'call_search', name: 'search_conversations', arguments: { query } }
  fake.next({ toolCalls: [call] }, { text: ['done'] })
  const { frames } = await socket.ask({ ...(thread_id && { thread_id }), text: 'What did I say?' })
  socket.close()
  const body = fake.requests[next]!.body as { tools?: { function: { name: string } }[] }
  const offered = (body.tools ?? []).map((tool) => tool.function.name)
  return {
    isOffered: offered.includes('search_conversations'),
    output: String(frames.find(({ type }) => type === 'tool_result')?.output),
  }
}

t.test('an agent has the tool only once it is switched on', async (t) => {
  await say('Remember my locker', 'The combination of the locker is <quotation>7351</quotation>')
  t.notOk((await searchInTurn('locker')).isOffered)
  const { status } = await server.request('PATCH', `/agents/${agent_id}/tool-settings/search_conversations`, {
    body: { enabled: true },
  })
  t.equal(status, 200)
  const { isOffered, output } = await searchInTurn('locker combination')
  t.ok(isOffered)
  t.match(output, /^These are quotations from earlier conversations\./)
  t.match(
    output,
    /<quotation conversation="Remember my locker" date="\d{4}-.*" by="you">\nThe combination of the locker/,
  )
  t.match(output, '‹quotation>7351‹/quotation>', 'and a quotation cannot end itself')
  t.match((await searchInTurn('unheard-of')).output, /^Nothing was found/)
})

t.test('it finds the conversations of the account that talks, with this agent', async (t) => {
  await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
  const guest = await server.createUser({ username: 'guest' })
  await say('my cupboard', 'The cupboard of the guest is green', { token: guest.token })
  await say('my cupboard', 'The cupboard of the owner is red')
  const ofOwner = (await searchInTurn('cupboard')).output
  t.match(ofOwner, 'red')
  t.notMatch(ofOwner, 'green')
  const ofGuest = (await searchInTurn('cupboard', { token: guest.token })).output
  t.match(ofGuest, 'green')
  t.notMatch(ofGuest, 'red')

  const { body: other } = await server.request('POST', '/agents', { body: { name: 'other' } })
  const socket = await chat.connect({ agent_id: other.id })
  fake.next({ text: ['The cupboard of the other agent is blue'] })
  await socket.ask({ text: 'and here?' })
  socket.close()
  t.notMatch((await searchInTurn('cupboard')).output, 'blue')
})

t.test('conversations on messaging platforms do not have it, because others may read them', async (t) => {
  for (const channel_type of ['slack', 'schedule']) {
    const thread_id = await chat.createThread()
    await server.db
      .collection<{ _id: string }>('threads')
      .updateOne({ _id: thread_id }, { $set: { channel_type } })
    const { isOffered, output } = await searchInTurn('cupboard', { thread_id })
    t.notOk(isOffered)
    t.notMatch(output, 'red')
  }
})
