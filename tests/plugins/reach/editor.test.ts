import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import t from '../../run/file-test.ts'
import { isLong, onlyLong } from '../../run/tier.ts'
import { createHold, PROVIDER, startChat } from '../../support/chat.ts'
import { seedThread } from '../../support/chat-seed.ts'
import { createFakeService } from '../../support/fake-service.ts'
import { createHome } from '../../support/server.ts'
import { choose, startEditor, startEditorAgent, startRelay } from './editor-run.ts'

const chat = await startChat(t)
const { server, fake, agent_id } = chat
const env = { SVC_PASSWORD: server.admin.password }
const { body: providers } = await server.request('GET', '/admin/providers')
const { id: provider_id } = providers.find(({ name }: { name: string }) => name === PROVIDER.name)
await server.request('PATCH', `/admin/providers/${provider_id}`, {
  body: { models: [{ id: 'm', name: 'M', input: ['text', 'image'] }] },
})
const strangersHome = createHome(t)
const [editor, stranger] = await Promise.all([
  startEditor(t, { url: server.url, env }),
  startEditor(t, { url: server.url, home: strangersHome, hasOwnProcess: true }),
])

const echo = (...args: string[]) => ({ name: 'execute', arguments: { command: 'echo', args } })
const question = (text: string) => ({ name: 'ask_user_question', arguments: { question: text } })

/** The last tool results that the model received. */
const toldResults = () =>
  fake.requests
    .at(-1)!
    .body.messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content)

/** The last user message that the model received. */
const toldTurn = () => fake.requests.at(-1)!.body.messages.findLast(({ role }) => role === 'user')!.content

/** A new session in which the model answers a message with these. */
async function begin(...scripts: Script[]) {
  fake.next(...scripts)
  return editor.begin()
}

const decide = (thread_id: string, decisions: object[]) =>
  server.request('POST', `/agents/${agent_id}/chat/hitl/resume`, { body: { thread_id, decisions } })

t.test('its capabilities are announced when an editor begins', { skip: onlyLong }, async (t) => {
  t.match(editor.greeting, {
    protocolVersion: 1,
    agentInfo: { name: 'svc', title: 'assistant', version: /^\d+\.\d+\.\d+/ },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
    authMethods: [{ id: 'svc-chat', description: /svc chat/ }],
  })
})

t.test('an answer is streamed as it comes, thoughts apart from text', async (t) => {
  const { hold, release } = createHold()
  const sessionId = await begin({
    reasoning: ['Let me ', 'think.'],
    text: ['Forty', '-two'],
    hold,
    holdAfter: 3,
  })
  const stop = editor.ask(sessionId, 'What is it?')
  await editor.until(() => editor.textOf(sessionId) === 'Forty')
  t.equal(editor.textOf(sessionId, 'agent_thought_chunk'), 'Let me think.')
  release()
  t.equal(await stop, 'end_turn')
  t.equal(editor.textOf(sessionId), 'Forty-two')
  const [first] = editor.of(sessionId)
  t.match(first, { messageId: /^msg_/ })
})

t.test('tool calls are shown with their kind, place and result, and created files as links', async (t) => {
  const sessionId = await begin(
    {
      toolCalls: [
        { id: 'w', name: 'write_file', arguments: { path: 'notes/a b.md', content: 'One' } },
        { id: 'r', name: 'read_file', arguments: { path: 'nowhere.md' } },
        { id: 'g', name: 'grep', arguments: { pattern: 'One' } },
      ],
    },
    { text: 'Done.' },
  )
  t.equal(await editor.ask(sessionId, 'go'), 'end_turn')
  const updates = editor.of(sessionId)
  const ofCall = (id: string) =>
    updates.filter((update) => 'toolCallId' in update && update.toolCallId === id)
  t.match(ofCall('w'), [
    {
      sessionUpdate: 'tool_call',
      title: 'write_file notes/a b.md',
      kind: 'edit',
      status: 'in_progress',
      locations: [{ path: 'notes/a b.md' }],
      rawInput: { content: 'One' },
    },
    { sessionUpdate: 'tool_call_update', status: 'completed', content: [{ content: { text: /notes/ } }] },
  ])
  t.match(ofCall('r'), [{ kind: 'read' }, { status: 'failed', content: [{ content: { text: /nowhere/ } }] }])
  t.match(ofCall('g'), [{ kind: 'search', title: 'grep One' }, { status: 'completed' }])
  t.match(
    updates.find((update) => 'content' in update && update.content && 'uri' in update.content),
    {
      sessionUpdate: 'agent_message_chunk',
      content: {
        type: 'resource_link',
        name: 'a b.md',
        uri: 'workspace:///notes/a%20b.md',
        mimeType: 'text/markdown',
      },
    },
  )
})

t.test('the plan of the agent is the plan of the editor', async (t) => {
  const todos = [
    { content: 'Look', status: 'completed' },
    { content: 'Leap', status: 'in_progress' },
  ]
  const sessionId = await begin(
    { toolCalls: [{ name: 'write_todos', arguments: { todos } }] },
    { text: 'So.' },
  )
  await editor.ask(sessionId, 'go')
  t.strictSame(editor.of(sessionId)[0], {
    sessionUpdate: 'plan',
    entries: todos.map((todo) => ({ ...todo, priority: 'medium' })),
  })
  t.notOk(
    editor.of(sessionId).some((update) => 'toolCallId' in update),
    'it is not a call besides',
  )
})

t.test('calls that need approval are asked for one by one, and sent as one decision', async (t) => {
  const sessionId = await begin(
    {
      toolCalls: [
        { id: 'one', ...echo('``` <!--') },
        { id: 'two', ...echo('two') },
      ],
    },
    { text: 'Done.' },
  )
  const askedBefore = editor.asked.length
  editor.permit(({ toolCall }) => choose(toolCall.toolCallId === 'one' ? 'allow' : 'reject'))
  t.equal(await editor.ask(sessionId, 'go'), 'end_turn')
  const newQuestions = editor.asked.slice(askedBefore)
  t.match(newQuestions, [
    {
      sessionId,
      toolCall: {
        toolCallId: 'one',
        status: 'pending',
        kind: 'execute',
        title: 'execute echo ``` <!--',
        content: [{ content: { text: /^````\n[\s\S]*args: \["``` <!--"\]\n````$/ } }],
      },
      options: [
        { optionId: 'allow', kind: 'allow_once' },
        { optionId: 'allow_thread', kind: 'allow_always' },
        { optionId: 'reject', kind: 'reject_once' },
      ],
    },
    { toolCall: { toolCallId: 'two' } },
  ])
  t.match(toldResults(), [/``` <!--/, /reject/i])
  const statuses = editor
    .of(sessionId)
    .flatMap((update) => ('toolCallId' in update ? [`${update.toolCallId} ${update.status}`] : []))
  t.strictSame(statuses.slice(0, 3), ['one in_progress', 'two in_progress', 'one in_progress'])
  t.strictSame(statuses.slice(3).sort(), ['one completed', 'two failed'])
})

t.test('what is allowed for the thread is not asked for again', async (t) => {
  const sessionId = await begin({ toolCalls: [echo('a')] }, { toolCalls: [echo('b')] }, { text: 'Done.' })
  const before = editor.asked.length
  editor.permit(() => choose('allow_thread'))
  t.equal(await editor.ask(sessionId, 'go'), 'end_turn')
  t.equal(editor.asked.length - before, 1)
  t.match(toldResults(), [/a/, /b/])
})

t.test('a permission that nobody decides ends the turn', async (t) => {
  const sessionId = await begin({ toolCalls: [echo('a'), echo('b')] })
  const before = editor.asked.length
  editor.permit(() => ({ outcome: 'cancelled' }))
  t.equal(await editor.ask(sessionId, 'go'), 'cancelled')
  t.equal(editor.asked.length - before, 1)
  t.equal((await chat.history(sessionId)).hitl_pending, null)
})

t.test('a permission that is decided elsewhere is taken back, and the turn goes on', async (t) => {
  const sessionId = await begin({ toolCalls: [echo('a')] }, { text: 'Done.' })
  const before = editor.asked.length
  let isTakenBack = false
  editor.permit(async (_, signal) => {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    isTakenBack = true
    return { outcome: 'cancelled' }
  })
  const stop = editor.ask(sessionId, 'go')
  await editor.until(() => editor.asked.length > before)
  t.equal((await decide(sessionId, [{ type: 'approve' }])).status, 200)
  t.equal(await stop, 'end_turn')
  t.ok(isTakenBack)
  t.equal(editor.textOf(sessionId), 'Done.')
})

t.test('a question ends the prompt, and the next prompt is its answer', async (t) => {
  const sessionId = await begin(
    { text: 'Well. ', toolCalls: [echo('a'), question('Which colour?'), question('How large?')] },
    { text: 'Thank you.' },
  )
  const before = editor.asked.length
  editor.permit(() => choose('allow'))
  t.equal(await editor.ask(sessionId, 'Paint it.'), 'end_turn')
  t.equal(editor.textOf(sessionId), 'Well. Which colour?')
  t.equal(await editor.ask(sessionId, 'Blue.'), 'end_turn')
  t.equal(editor.textOf(sessionId), 'Well. Which colour?How large?')
  t.equal(await editor.ask(sessionId, 'As a door.'), 'end_turn')
  t.equal(editor.textOf(sessionId), 'Well. Which colour?How large?Thank you.')
  t.match(toldResults(), [/a/, 'Blue.', 'As a door.'])
  t.equal(editor.asked.length - before, 1, 'what was allowed is not asked for again')
})

t.test('a question that was answered elsewhere makes the next prompt a message', async (t) => {
  const sessionId = await begin({ toolCalls: [question('Which?')] }, { text: 'Theirs.' }, { text: 'Mine.' })
  await editor.ask(sessionId, 'go')
  await decide(sessionId, [{ type: 'respond', message: 'That one.' }])
  t.equal(await editor.ask(sessionId, 'And now?'), 'end_turn')
  t.equal(editor.textOf(sessionId), 'Which?Theirs.Mine.')
  t.equal(toldTurn(), 'And now?')
})

t.test('a question of the turn before is answered first, then the prompt that waited', async (t) => {
  const sessionId = await begin({ toolCalls: [question('Which?')] }, { text: 'Theirs.' }, { text: 'Mine.' })
  const socket = await chat.connect()
  t.teardown(socket.close)
  await socket.seePause(socket.say({ thread_id: sessionId, text: 'theirs' }))
  t.equal(await editor.ask(sessionId, 'mine'), 'end_turn')
  t.equal(await editor.ask(sessionId, 'That one.'), 'end_turn')
  t.equal(editor.textOf(sessionId), 'Which?Theirs.Mine.')
  t.equal(toldTurn(), 'mine')
  t.match(toldResults(), ['That one.'])
})

t.test('a cancelled prompt stops the turn', async (t) => {
  const { hold, release } = createHold()
  t.teardown(release)
  const sessionId = await begin({ text: ['Half', ' of it'], hold, holdAfter: 1 })
  const stop = editor.ask(sessionId, 'go')
  await editor.until(() => editor.textOf(sessionId) === 'Half')
  await editor.agent.notify('session/cancel', { sessionId })
  t.equal(await stop, 'cancelled')
  t.match((await chat.history(sessionId)).messages.at(-1), { status: 'stopped' })
  fake.next({ text: 'Anew.' })
  t.equal(await editor.ask(sessionId, 'again'), 'end_turn')
})

t.test('a prompt that is cancelled at once is cancelled all the same', async (t) => {
  const sessionId = await editor.begin()
  const stop = editor.ask(sessionId, 'go')
  await editor.agent.notify('session/cancel', { sessionId })
  t.equal(await stop, 'cancelled')
  t.equal((await chat.history(sessionId)).turn_active, false)
})

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

t.test('images, links and embedded texts reach the model', async (t) => {
  const sessionId = await begin({ text: 'I see.' })
  const prompt: ContentBlock[] = [
    { type: 'text', text: 'Compare' },
    { type: 'resource_link', name: 'a.ts', uri: 'file:///home/me/a.ts' },
    { type: 'resource', resource: { uri: 'file:///b.md', text: 'Some\n```js\n1\n```' } },
    { type: 'image', data: PIXEL.toString('base64'), mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///c.bin?x', blob: 'AAEC', mimeType: 'application/x-c' } },
  ]
  const { stopReason } = await editor.agent.request('session/prompt', { sessionId, prompt })
  t.equal(stopReason, 'end_turn')
  const [text, ...files] = (await chat.history(sessionId)).messages[0].content
  t.strictSame(text, {
    type: 'text',
    text: 'Compare\n[a.ts](file:///home/me/a.ts)\nfile:///b.md\n````\nSome\n```js\n1\n```\n````',
  })
  t.match(files, [
    { type: 'image', filename: 'image.png', media_type: 'image/png' },
    { type: 'file', filename: 'c.bin' },
  ])
  const told = toldTurn() as { type: string; image_url?: { url: string } }[]
  t.equal(
    told.find(({ type }) => type === 'image_url')?.image_url?.url,
    `data:image/png;base64,${PIXEL.toString('base64')}`,
  )
  t.match(JSON.stringify(told), /c\.bin/)
})

t.test('what cannot be sent is refused before anything is', async (t) => {
  const sessionId = await editor.begin()
  const ask = (...prompt: ContentBlock[]) => editor.agent.request('session/prompt', { sessionId, prompt })
  await t.rejects(ask({ type: 'text', text: ' \n' }), { code: -32602, message: /empty/ })
  await t.rejects(ask(), { code: -32602, message: /empty/ })
  await t.rejects(ask({ type: 'audio', data: '', mimeType: 'audio/wav' }), { code: -32602, message: /audio/ })
  await t.rejects(ask({ type: 'text', text: '"'.repeat(600_000) }), {
    code: -32602,
    message: /1200004 bytes/,
  })
  t.strictSame((await chat.history(sessionId)).messages, [])
})

t.test('an error of the turn is the error of the prompt', async (t) => {
  const sessionId = await begin({ status: 401 })
  await t.rejects(editor.ask(sessionId, 'go'), {
    code: -32603,
    message: /\S/,
    data: { code: /^[A-Z_]+$/, details: {} },
  })
})

t.test('a session has one prompt at a time, sessions any number', async (t) => {
  const first = createHold()
  const second = createHold()
  const one = await begin({ text: 'One', hold: first.hold })
  const stopOne = editor.ask(one, 'go')
  await fake.request(fake.requests.length)
  const two = await begin({ text: 'Two', hold: second.hold })
  const stopTwo = editor.ask(two, 'go')
  await t.rejects(editor.ask(one, 'more'), { code: -32600, message: /still being answered/ })
  second.release()
  t.equal(await stopTwo, 'end_turn')
  t.strictSame([editor.textOf(one), editor.textOf(two)], ['', 'Two'])
  first.release()
  t.equal(await stopOne, 'end_turn')
  t.strictSame([editor.textOf(one), editor.textOf(two)], ['One', 'Two'])
})

t.test('a folder that is not an absolute path is refused', async (t) => {
  const refused = { code: -32602, message: /cwd must be an absolute path: "here" is not/ }
  const at = { cwd: 'here', mcpServers: [] }
  await t.rejects(editor.agent.request('session/new', at), refused)
  await t.rejects(editor.agent.request('session/load', { ...at, sessionId: 'thr_1' }), refused)
  await t.rejects(editor.agent.request('session/resume', { ...at, sessionId: 'thr_1' }), refused)
  await t.rejects(editor.agent.request('session/list', { cwd: 'here' }), refused)
})

t.test('a session is listed, and loaded with all that was said', async (t) => {
  const sessionId = await begin(
    { reasoning: ['Hm.'], toolCalls: [{ id: 'l', name: 'ls', arguments: { path: '.' } }] },
    { text: 'Empty.' },
  )
  await editor.ask(sessionId, 'What is there?')
  const { sessions } = await editor.agent.request('session/list', { cwd: '/work' })
  t.match(sessions[0], { sessionId, cwd: '/work', title: 'What is there?', updatedAt: /^\d{4}-.*Z$/ })

  const before = editor.of(sessionId).length
  await editor.agent.request('session/load', { sessionId, cwd: '/', mcpServers: [] })
  const told = editor.of(sessionId).slice(before)
  t.match(told, [
    { sessionUpdate: 'user_message_chunk', content: { text: 'What is there?' } },
    { sessionUpdate: 'agent_thought_chunk', content: { text: 'Hm.' } },
    { sessionUpdate: 'tool_call', toolCallId: 'l', kind: 'read' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'l', status: 'completed' },
    { sessionUpdate: 'agent_message_chunk', content: { text: 'Empty.' } },
  ])
  t.equal(told.length, 5)

  fake.next({ text: 'Still.' })
  t.equal(await editor.ask(sessionId, 'And now?'), 'end_turn')
  t.equal(editor.textOf(sessionId), 'Empty.Empty.Still.')
})

t.test('all sessions are listed, a page at a time', async (t) => {
  const threads = server.db.collection<ThreadDocument>('threads')
  const thread = (await threads.findOne({ _id: await chat.createThread() }))!
  await threads.insertMany(
    Array.from({ length: 119 }, (_, index) => ({
      ...thread,
      _id: `${thread._id}-${index}`,
      session_key: `${thread.session_key}-${index}`,
    })),
  )
  const listed: string[] = []
  let cursor: string | null | undefined
  let pages = 0
  do {
    const page = await editor.agent.request('session/list', { cwd: '/', ...(cursor && { cursor }) })
    listed.push(...page.sessions.map(({ sessionId }) => sessionId))
    cursor = page.nextCursor
    pages += 1
  } while (cursor)
  t.equal(listed.length, await threads.countDocuments({ agent_id }))
  t.equal(new Set(listed).size, listed.length)
  t.equal(pages, Math.ceil(listed.length / 50))
  await t.rejects(editor.agent.request('session/list', { cwd: '/', cursor: 'mine' }), { code: -32602 })
})

t.test('a long session is loaded whole, in its order', async (t) => {
  const sessionId = await seedThread(chat, 150)
  await editor.agent.request('session/load', { sessionId, cwd: '/', mcpServers: [] })
  const seen = editor.of(sessionId).map((update) => ('messageId' in update ? update.messageId : undefined))
  const { body: first } = await chat.threads('GET', `/${sessionId}/history?limit=200`)
  const { body: second } = await chat.threads(
    'GET',
    `/${sessionId}/history?cursor=${first.next_cursor}&limit=200`,
  )
  const stored = [...second.messages, ...first.messages].map(({ id }: { id: string }) => id)
  t.equal(stored.length, 300)
  t.strictSame(seen, stored)
})

t.test('an unknown session is not found', async (t) => {
  const at = { cwd: '/', mcpServers: [] }
  for (const sessionId of ['thr_none', '../agents', '']) {
    await t.rejects(editor.agent.request('session/load', { sessionId, ...at }), { code: -32002 }, sessionId)
    await t.rejects(editor.agent.request('session/resume', { sessionId, ...at }), { code: -32002 }, sessionId)
    await t.rejects(editor.ask(sessionId, 'go'), { code: -32002 }, sessionId)
  }
})

t.test('a turn that runs when a session is loaded is shown to its end', async (t) => {
  const { hold, release } = createHold()
  const socket = await chat.connect()
  t.teardown(socket.close)
  const thread_id = await chat.createThread()
  fake.next({ text: ['Half', ' of it', '.'], hold, holdAfter: 1 }, { text: 'Next.' })
  socket.say({ thread_id, text: 'go' })
  await socket.until(({ type }) => type === 'content')
  await editor.agent.request('session/load', { sessionId: thread_id, cwd: '/', mcpServers: [] })
  await editor.until(() => editor.textOf(thread_id) === 'Half')
  const next = editor.ask(thread_id, 'more')
  release()
  t.equal(await next, 'end_turn')
  t.equal(editor.textOf(thread_id), 'Half of it.Next.')
  t.equal(editor.textOf(thread_id, 'user_message_chunk'), 'go')
})

t.test('what a turn waits for when its session is resumed is asked for', async (t) => {
  const socket = await chat.connect()
  t.teardown(socket.close)
  const thread_id = await chat.createThread()
  fake.next({ toolCalls: [echo('a'), question('Sure?')] }, { text: 'Done.' })
  socket.say({ thread_id, text: 'go' })
  await socket.until(({ type }) => type === 'hitl_required')
  editor.permit(() => choose('allow'))
  await editor.agent.request('session/resume', { sessionId: thread_id, cwd: '/' })
  await editor.until(() => editor.textOf(thread_id) === 'Sure?')
  t.equal(await editor.ask(thread_id, 'Yes.'), 'end_turn')
  t.match(toldResults(), [/a/, 'Yes.'])
})

t.test('a closed session stops its turn and is not known any more', async (t) => {
  const { hold, release } = createHold()
  t.teardown(release)
  const sessionId = await begin({ text: ['Half', ' of it'], hold, holdAfter: 1 })
  const stop = editor.ask(sessionId, 'go')
  await editor.until(() => editor.textOf(sessionId) === 'Half')
  await editor.agent.request('session/close', { sessionId })
  t.equal(await stop, 'cancelled')
  await t.rejects(editor.ask(sessionId, 'go'), { code: -32002 })
})

t.test('MCP servers of the editor are ignored, and that is said', async (t) => {
  const mcpServers = [{ name: 'm', command: '/bin/true', args: [], env: [{ name: 'KEY', value: 'canary' }] }]
  await editor.agent.request('session/new', { cwd: '/', mcpServers })
  await editor.until(() => editor.written.stderr.includes('MCP servers'))
  t.notMatch(editor.written.stderr, /canary/)
})

t.test('a connection that is cut in the middle loses nothing and tells nothing twice', async (t) => {
  const relay = await startRelay(t, server.url)
  const cut = await startEditor(t, { url: relay.url, env, args: ['--agent', agent_id, '--model', 'fake:m'] })
  const holds = [createHold(), createHold()]
  fake.next(
    {
      text: ['one ', 'two '],
      toolCalls: [{ name: 'ls', arguments: {} }],
      hold: holds[0]!.hold,
      holdAfter: 1,
    },
    { text: ['three ', 'four'], hold: holds[1]!.hold, holdAfter: 1 },
  )
  const sessionId = await cut.begin()
  const stop = cut.ask(sessionId, 'count')
  await cut.until(() => cut.textOf(sessionId) === 'one ')
  relay.cut()
  holds[0]!.release()
  await cut.until(() => cut.textOf(sessionId) === 'one two three ')
  relay.cut()
  holds[1]!.release()
  t.equal(await stop, 'end_turn')
  t.equal(cut.textOf(sessionId), 'one two three four')
  t.equal(cut.of(sessionId).filter(({ sessionUpdate }) => sessionUpdate === 'tool_call').length, 1)
  t.equal(
    (await chat.history(sessionId)).messages.filter(({ role }: { role: string }) => role === 'user').length,
    1,
  )
  t.equal(await cut.leave(), 0)
  cut.messages()
})

t.test('who is not logged in learns how to, and can continue afterwards', async (t) => {
  await stranger.until(() => /You are not signed in\. Run `svc chat /.test(stranger.written.stderr))
  await t.rejects(stranger.begin(), {
    code: -32000,
    message: /svc chat .*SVC_API_KEY .*SVC_PASSWORD /,
  })
  await t.rejects(stranger.agent.request('authenticate', { methodId: 'svc-chat' }), { code: -32000 })
  const store = JSON.stringify({ [server.url]: { username: 'admin', access_token: server.admin.token } })
  await writeFile(join(strangersHome, 'cli-session.json'), store)
  await stranger.agent.request('authenticate', { methodId: 'svc-chat' })
  fake.next({ text: 'Hello.' })
  const sessionId = await stranger.begin()
  t.equal(await stranger.ask(sessionId, 'hi'), 'end_turn')
})

t.test('what is not of the protocol is answered by it, and the process lives on', async (t) => {
  const raw = startEditorAgent(t, { url: server.url, env, hasOwnProcess: isLong })
  const say = (text: string) => raw.stdin.write(`${text}\n`)
  const initialize = { jsonrpc: '2.0', id: 7, method: 'initialize', params: { protocolVersion: 99 } }
  for (const line of [
    '{"jsonrpc"',
    '[]',
    '"hello"',
    '{"id":1}',
    '{"jsonrpc":"2.0","id":2,"method":"nonsense"}',
  ])
    say(line)
  say(JSON.stringify(initialize))
  const answer = await raw.until(() => raw.messages().find(({ id }) => id === 7))
  t.equal(answer.result.protocolVersion, 1)
  t.match(raw.messages(), [
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32600 } },
    { id: null, error: { code: -32600 } },
    { id: 2, error: { code: -32600 } },
    { id: 7 },
  ])
  if (isLong) raw.kill('SIGTERM')
  else raw.stdin.end()
  t.strictSame(await raw.exited, [0, null])
})

t.test('an editor that leaves in the middle of a turn leaves the turn to go on', async (t) => {
  const { hold, release } = createHold()
  fake.next({ text: ['Half', ' of it.'], hold, holdAfter: 1 })
  const sessionId = await stranger.begin()
  const stop = stranger.ask(sessionId, 'go').catch((error: Error) => error)
  await stranger.until(() => stranger.textOf(sessionId) === 'Half')
  t.equal(await stranger.leave(), 0)
  t.type(await stop, Error)
  t.equal(stranger.written.stderr.split('\n').length, 2, 'nothing was said but how to log in')
  stranger.messages()

  const socket = await chat.connect()
  t.teardown(socket.close)
  await socket.subscribe(sessionId, 0)
  release()
  t.match(await socket.until(({ type }) => type === 'done'), { stop_reason: 'end' })
})

t.test('it does not start without its agent or its server', async (t) => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  const lost = startEditorAgent(t, { url: server.url, env, args: ['--agent', 'nobody'] })
  const alone = startEditorAgent(t, { url: `http://127.0.0.1:${port}`, env })
  t.strictSame(await lost.exited, [1, null])
  t.equal(lost.written.stderr, 'Agent "nobody" does not exist. You can talk to: assistant.\n')
  t.strictSame(await alone.exited, [1, null])
  t.match(alone.written.stderr, /^No server responds at http:/)
  t.equal(lost.written.stdout + alone.written.stdout, '')
})

t.test('what a running tool tells is shown until its result', async (t) => {
  const service = await createFakeService({
    reply({ emit }) {
      const call = { tool_call_id: 'a', message_id: 'msg_2' }
      emit({ type: 'tool_call', ...call, name: 'acp_runner', input: { prompt: 'Look' } })
      for (const content of ['Looking', '…']) emit({ type: 'tool_progress', ...call, content })
      const todos = [{ content: 'Theirs', status: 'pending' }]
      const delegated = { tool_call_id: 'a/b', parent_tool_call_id: 'a' }
      emit({ type: 'tool_call', ...delegated, name: 'write_todos', input: { todos } })
      emit({ type: 'tool_result', ...call, name: 'acp_runner', output: 'Found.', is_error: false })
      emit({ type: 'done', message_id: 'msg_2', stop_reason: 'max_steps' })
    },
  })
  t.teardown(service.close)
  const other = await startEditor(t, { url: service.url, env: { SVC_PASSWORD: service.password } })
  const sessionId = await other.begin()
  t.equal(await other.ask(sessionId, 'go'), 'max_turn_requests')
  const says = (text: string) => [{ type: 'content', content: { type: 'text', text } }]
  t.match(other.of(sessionId), [
    { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'acp_runner Look', kind: 'other' },
    { toolCallId: 'a', status: 'in_progress', content: says('Looking') },
    { toolCallId: 'a', status: 'in_progress', content: says('Looking…') },
    { sessionUpdate: 'tool_call', toolCallId: 'a/b' },
    { toolCallId: 'a', status: 'completed', content: says('Found.') },
  ])
  t.equal(await other.leave(), 0)
})

t.test('it leaves when the editor does, and has spoken the protocol alone', async (t) => {
  t.equal(await editor.leave(), 0)
  t.ok(editor.messages().length > 100)
})
