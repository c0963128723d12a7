import t from '../../run/file-test.ts'
import { MODEL, startChat, textOf } from '../../support/chat.ts'
import type { TestFrame } from '../../support/socket.ts'

const chat = await startChat(t)
const { fake, history, server } = chat
const { admin } = server

const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })
const ask = (id: string, agent: string, task: string) => call(id, 'ask_agent', { agent, task })
const resultOf = (frames: readonly TestFrame[], id: string) =>
  frames.find(({ type, tool_call_id }) => type === 'tool_result' && tool_call_id === id)!
const lastSaid = ({ body: { messages } }: (typeof fake.requests)[number]) => messages.at(-1)!
const systemOf = ({ body: { messages } }: (typeof fake.requests)[number]) => String(messages[0]!.content)
const offered = ({ body: { tools = [] } }: (typeof fake.requests)[number]) =>
  tools.map(({ function: { name } }) => name)
const describedOf = ({ body: { tools = [] } }: (typeof fake.requests)[number]) =>
  tools.find(({ function: { name } }) => name === 'ask_agent')?.function.description ?? ''

const createAgent = async (body: object, token = admin.token): Promise<{ id: string }> =>
  (await server.request('POST', '/agents', { token, body })).body

const asker = await createAgent({ name: 'Asker' })
const librarian = await createAgent({
  name: 'Librarian',
  description: 'Knows every\nbook',
  system_prompt: 'You love books.',
  is_shared: true,
})
const archivist = await createAgent({ name: 'Archivist', system_prompt: 'You love files.' })

t.test('An agent asks another one, which answers with its own instructions and tools', async (t) => {
  const socket = await chat.connect({ agent_id: asker.id })
  const since = fake.requests.length
  fake.next(
    { toolCalls: [ask('call_a', '@librarian', 'Who wrote Emma?')] },
    { toolCalls: [call('call_a', 'write_file', { path: 'emma.txt', content: 'Austen' })] },
    { text: 'Jane Austen.' },
    { text: 'The Librarian says: Jane Austen.' },
  )
  const { frames, end, thread_id } = await socket.ask({ text: '@Librarian who wrote Emma?' })
  t.match(end, { type: 'done', stop_reason: 'end' })
  const [top, first, second] = fake.requests.slice(since)
  t.match(describedOf(top!), /^- Librarian: Knows every book$/m)
  t.match(describedOf(top!), /^- Archivist$/m)
  t.notMatch(describedOf(top!), /^- Asker/m, 'an agent does not ask itself')
  t.match(systemOf(first!), /^You are Librarian, .*You love books\./s)
  t.match(systemOf(first!), /Another agent of the same server has a task for you/)
  t.match(lastSaid(first!), { role: 'user', content: 'Who wrote Emma?' })
  t.ok(offered(first!).includes('ask_agent'), 'which may ask another one in turn')
  t.notOk(offered(first!).includes('ask_user_question'))
  t.match(resultOf(frames, 'call_a'), { output: /^Jane Austen\.\n\[files in your workspace: .*emma\.txt\]$/ })
  t.equal(textOf(frames), 'The Librarian says: Jane Austen.', 'what it says is for the agent that asked')
  t.equal(lastSaid(second!).role, 'tool')

  const attached = frames.find(({ type }) => type === 'attachment')!
  const file = await server.request('GET', `/agents/${asker.id}/files/content?path=${attached.path}`)
  t.equal(file.status, 200, 'what it made is in the workspace of the agent that asked')
  const own = await server.request('GET', `/agents/${librarian.id}/files/content?path=emma.txt`)
  t.equal(own.status, 200, 'and in its own')
  const { messages } = await history(thread_id, '', { agent_id: asker.id })
  t.match(messages.at(-1), { content: [{ text: 'The Librarian says: Jane Austen.' }] })

  for (const { id } of [asker, librarian]) {
    const { body } = await server.request('GET', `/usage/summary?agent_id=${id}`)
    t.ok(body.totals.total_tokens > 0, 'the account pays for both')
  }
})

t.test('Two agents deep nobody can be asked any more', async (t) => {
  const socket = await chat.connect({ agent_id: asker.id })
  const since = fake.requests.length
  fake.next(
    { toolCalls: [ask('call_1', 'Librarian', 'find it')] },
    { toolCalls: [ask('call_1', 'Archivist', 'look for it')] },
    { toolCalls: [ask('call_1', 'Librarian', 'and again'), call('call_2', 'ls', {})] },
    { text: 'found in the cellar' },
    { text: 'the archivist found it' },
    { text: 'done' },
  )
  const { frames, end } = await socket.ask({ text: 'go' })
  t.match(end, { type: 'done', stop_reason: 'end' })
  const deepest = fake.requests[since + 2]!
  t.match(systemOf(deepest), /^You are Archivist/)
  t.notOk(offered(deepest).includes('ask_agent'))
  const results = frames.filter(({ type }) => type === 'tool_result')
  t.match(
    results.map(({ tool_call_id, parent_tool_call_id, is_error }) => [
      tool_call_id,
      parent_tool_call_id,
      is_error,
    ]),
    [
      ['call_1/1/call_1/1/call_1', 'call_1/1/call_1', true],
      ['call_1/1/call_1/1/call_2', 'call_1/1/call_1', false],
      ['call_1/1/call_1', 'call_1', false],
      ['call_1', undefined, false],
    ],
  )
  t.match(results[2], { output: 'found in the cellar' })
  t.match(results[3], { output: 'the archivist found it' })
})

t.test('The person decides what an asked agent does, however deep it is', async (t) => {
  const settings = { config: { tools_with_approval: ['write_file'] } }
  await server.request('PATCH', `/agents/${archivist.id}`, { body: settings })
  t.teardown(() => server.request('PATCH', `/agents/${archivist.id}`, { body: { config: {} } }))
  const socket = await chat.connect({ agent_id: asker.id })
  fake.next(
    { toolCalls: [ask('c', 'Librarian', 'file it')] },
    { toolCalls: [call('l', 'ls', {}), ask('c', 'Archivist', 'store it')] },
    { toolCalls: [call('w', 'write_file', { path: 'kept.txt', content: 'kept' })] },
    { text: 'stored' },
    { text: 'filed' },
    { text: 'all done' },
  )
  const pauses: TestFrame[] = []
  const since = fake.requests.length
  const { frames, end } = await socket.ask({ text: 'file this' }, (pending) => {
    pauses.push(pending)
    return [{ type: 'approve' }]
  })
  t.match(end, { type: 'done', stop_reason: 'end' })
  t.match(pauses, [
    { action_requests: [{ name: 'write_file', parent_tool_call_id: 'c/1/c', id: 'c/1/c/1/w' }] },
  ])
  t.equal(fake.requests.length - since, 6, 'no model is asked twice')
  t.match(resultOf(frames, 'c'), { output: /^filed/ })
  const file = await server.request('GET', `/agents/${archivist.id}/files/content?path=kept.txt`)
  t.equal(file.status, 200)
})

t.test('After a pause, the agent that asked goes on with its own model', async (t) => {
  const { body: providers } = await server.request('GET', '/admin/providers')
  const [provider, model] = MODEL.split(':')
  const { id } = providers.find(({ name }: { name: string }) => name === provider)
  const models = [model, 'other'].map((id) => ({ id, name: id }))
  t.equal((await server.request('PATCH', `/admin/providers/${id}`, { body: { models } })).status, 200)
  await createAgent({
    name: 'Clerk',
    default_model: `${provider}:other`,
    config: { tools_with_approval: ['ls'] },
  })
  const socket = await chat.connect({ agent_id: asker.id })
  fake.next(
    { toolCalls: [ask('c', 'Clerk', 'look')] },
    { toolCalls: [call('l', 'ls', {})] },
    { text: 'nothing there' },
    { text: 'It is empty.' },
  )
  const since = fake.requests.length
  const { thread_id } = await socket.ask({ text: 'ask the clerk' }, () => [{ type: 'approve' }])
  t.strictSame(
    fake.requests.slice(since).map(({ body }) => body.model),
    [model, 'other', 'other', model],
  )
  const { messages } = await history(thread_id, '', { agent_id: asker.id })
  t.equal(messages.at(-1).model, MODEL)
})

t.test('Only agents that the account may use and that run can be asked', async (t) => {
  const { token } = await server.createUser({ username: 'bea' })
  const own = await createAgent({ name: 'Helper', default_model: MODEL }, token)
  const socket = await chat.connect({ agent_id: own.id, token })
  const refused = async (agent: string) => {
    fake.next({ toolCalls: [ask('c', agent, 'go')] }, { text: 'well' })
    return resultOf((await socket.ask({ text: 'go' })).frames, 'c')
  }
  t.match(await refused('Archivist'), {
    is_error: true,
    output: /agent "Archivist" does not exist.*Librarian/,
  })
  t.match(await refused('Helper'), { is_error: true, output: /agent "Helper" does not exist/ })
  await server.request('POST', `/agents/${librarian.id}/stop`)
  t.match(await refused('Librarian'), { is_error: true })
  await server.request('POST', `/agents/${librarian.id}/start`)

  await server.request('PATCH', `/agents/${librarian.id}`, { body: { is_shared: false } })
  t.teardown(() => server.request('PATCH', `/agents/${librarian.id}`, { body: { is_shared: true } }))
  const since = fake.requests.length
  await socket.ask({ text: 'and now?' })
  t.notMatch(describedOf(fake.requests[since]!), /Librarian/)
})

t.test('The tool can be switched off, and the agent that asks receives the error of the other', async (t) => {
  const socket = await chat.connect({ agent_id: asker.id })
  fake.next(
    { toolCalls: [ask('c', 'Librarian', 'go')] },
    { status: 400, error: { message: 'no such thing' } },
    { text: 'so be it' },
  )
  const { frames } = await socket.ask({ text: 'go' })
  t.match(resultOf(frames, 'c'), { is_error: true, output: /no such thing/ })
  t.equal(textOf(frames), 'so be it')

  const path = `/agents/${asker.id}/tool-settings/ask_agent`
  t.equal((await server.request('PATCH', path, { body: { enabled: false } })).status, 200)
  const since = fake.requests.length
  await socket.ask({ text: 'go' })
  t.notOk(offered(fake.requests[since]!).includes('ask_agent'))
})
