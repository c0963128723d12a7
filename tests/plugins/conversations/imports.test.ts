import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import {
  archiveOf,
  chatGptConversation,
  chatGptMessage,
  claudeConversation,
  libreChatConversation,
  openWebUiChat,
} from './import-archives.ts'
import { createImportCalls } from './import-calls.ts'

const chat = await startChat(t)
const { agent_id, fake, server } = chat
const { run, runJson, start, read, untilEnded, messagesOf, textsOf } = createImportCalls(chat)

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const ask = (text: string, fields: object = {}) => chatGptMessage('user', [text], fields)
const say = (text: string, fields: object = {}) => chatGptMessage('assistant', [text], fields)

t.test('A ChatGPT archive becomes threads that can be continued and found', async (t) => {
  const archive = archiveOf({
    'conversations.json': [
      chatGptConversation('old', [
        chatGptMessage('system', [''], { metadata: { is_visually_hidden_from_conversation: true } }),
        ask('What is the zeppelin effect? 你好 🎈', { create_time: 1_700_000_001.5 }),
        say('It is \\(e = mc^2\\).\n\n```js\nlet a = "1"\n```', {
          create_time: 1_700_000_002,
          metadata: { model_slug: 'gpt-4' },
        }),
      ]),
      chatGptConversation('archived', [ask('Hi'), say('Hello')], { is_archived: true, title: '' }),
    ],
    'user.json': { id: 'user', email: 'a@example.com' },
    'message_feedback.json': [{ id: 'vote', rating: 'thumbs_up' }],
  })
  const report = await run(archive)
  t.match(report, {
    kind: 'chatgpt',
    state: 'done',
    progress: 1,
    agent_id,
    counts: { imported: 2, unchanged: 0, empty: 0, failed: 0 },
    lines: [
      { index: 0, title: 'Chat old', status: 'imported', reason: null, messages: 2, agent_id },
      { index: 1, title: null, status: 'imported', messages: 2 },
    ],
  })
  const [{ thread_id }, { thread_id: archived }] = report.lines
  t.match(await messagesOf(thread_id), [
    {
      role: 'user',
      content: [{ type: 'text', text: 'What is the zeppelin effect? 你好 🎈' }],
      timestamp: 1_700_000_001_500,
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'It is \\(e = mc^2\\).\n\n```js\nlet a = "1"\n```' }],
      timestamp: 1_700_000_002_000,
      model: 'chatgpt:gpt-4',
    },
  ])
  const { body: listed } = await chat.threads('GET', '?limit=200')
  t.match(
    listed.find((row: { thread_id: string }) => row.thread_id === thread_id),
    { title: 'Chat old', last_active: 1_700_000_002, unread: 0 },
  )
  t.notOk(listed.some((row: { thread_id: string }) => row.thread_id === archived))
  const { body: archive_list } = await chat.threads('GET', '?archived=true&limit=200')
  t.match(archive_list, [{ thread_id: archived, title: 'Hi' }])

  const socket = await chat.connect()
  fake.next({ text: 'And so on.' })
  await socket.ask({ thread_id, text: 'Go on.' })
  socket.close()
  const { messages } = fake.requests.at(-1)!.body as { messages: { role: string; content: unknown }[] }
  t.match(
    messages.filter(({ role }) => role !== 'system'),
    [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }],
  )
  t.equal((await textsOf(thread_id)).length, 4)
  const { body: hits } = await server.request('GET', '/search?q=zeppelin')
  t.match(hits, [{ thread_id }])
})

t.test('A newer ChatGPT archive has many files and messages without metadata', async (t) => {
  const bare = (role: string, text: string) => ({
    author: { role },
    content: { content_type: 'text', parts: [text] },
  })
  const withoutLinks = chatGptConversation('sharded-2', [bare('user', 'A'), bare('assistant', 'B')])
  for (const node of Object.values((withoutLinks as { mapping: Record<string, object> }).mapping))
    Reflect.deleteProperty(node, 'children')
  const report = await run(
    archiveOf({
      'export/chat.json': { version: 1 },
      'export/conversations-000.json': [
        chatGptConversation('sharded-1', [
          {
            author: { role: 'user' },
            content: { content_type: 'user_editable_context', user_profile: 'secret' },
          },
          bare('user', 'One'),
          bare('assistant', 'Two'),
        ]),
      ],
      'export/conversations-001.json': [withoutLinks],
      'export/single.json': chatGptConversation('sharded-3', [bare('user', 'X'), bare('assistant', 'Y')], {
        current_node: undefined,
        create_time: null,
        update_time: undefined,
      }),
      'export/export_manifest.json': { files: [] },
    }),
  )
  t.match(report, { kind: 'chatgpt', state: 'done', counts: { imported: 3, failed: 0 } })
  const texts = await Promise.all(
    report.lines.map(({ thread_id }: { thread_id: string }) => textsOf(thread_id)),
  )
  t.strictSame(texts, [
    [
      ['user', 'One'],
      ['assistant', 'Two'],
    ],
    [
      ['user', 'A'],
      ['assistant', 'B'],
    ],
    [
      ['user', 'X'],
      ['assistant', 'Y'],
    ],
  ])
  const [, { model }] = await messagesOf(report.lines[0].thread_id)
  t.equal(model, 'chatgpt:gpt-5')
})

t.test('The visible branch is imported, without hidden messages, calls and marks of citations', async (t) => {
  const conversation = chatGptConversation('tree', [
    ask('First'),
    say('abandoned'),
    ask('never shown'),
  ]) as Record<string, unknown> & { mapping: Record<string, object> }
  Object.assign(conversation.mapping, {
    b1: {
      id: 'b1',
      parent: 'tree-0',
      children: ['b2'],
      message: {
        ...chatGptMessage('assistant', [], {}, { content_type: 'thoughts', thoughts: [{ content: 'hm' }] }),
      },
    },
    b2: {
      id: 'b2',
      parent: 'b1',
      children: ['b3'],
      message: chatGptMessage(
        'assistant',
        [],
        { recipient: 'web' },
        { content_type: 'code', text: 'search()' },
      ),
    },
    b3: {
      id: 'b3',
      parent: 'b2',
      children: ['b4'],
      message: chatGptMessage('tool', ['the page']),
    },
    b4: {
      id: 'b4',
      parent: 'b3',
      children: ['b5'],
      message: say(
        'Oslo \uE200cite\uE202turn0search1\uE201is in \uE200entity\uE202["country","Norway","x"]\uE201.【4†source】 Fin\uE203',
      ),
    },
    b5: {
      id: 'b5',
      parent: 'b4',
      children: [],
      message: chatGptMessage(
        'assistant',
        [],
        { recipient: 'canmore.create_textdoc' },
        {
          parts: ['{"name":"Plan","type":"code/python","content":"print(1)"}'],
        },
      ),
    },
  })
  conversation.current_node = 'b5'
  const { lines } = await runJson([conversation])
  t.strictSame(await textsOf(lines[0].thread_id), [
    ['user', 'First'],
    ['assistant', 'Oslo is in Norway. Fin\n\n**Plan**\n\n```python\nprint(1)\n```'],
  ])
})

t.test('Files that the archive has are stored, others are named', async (t) => {
  const picture = (pointer: string) => ({ content_type: 'image_asset_pointer', asset_pointer: pointer })
  const report = await run(
    archiveOf(
      {
        'conversations.json': [
          chatGptConversation('files', [
            chatGptMessage('user', [picture('file-service://file-Abc123'), 'What is this?'], {
              metadata: {
                attachments: [
                  { id: 'file-Abc123', name: 'cat.png', mime_type: 'image/png' },
                  { id: 'file-Lost', name: 'lost.pdf' },
                ],
              },
            }),
            say('A cat.'),
            chatGptMessage(
              'tool',
              [picture('sediment://file_00000000abcd')],
              {},
              {
                content_type: 'multimodal_text',
              },
            ),
          ]),
        ],
      },
      [
        { name: 'file-Abc123-cat.png', content: PNG },
        { name: 'dalle-generations/file_00000000abcd.dat', content: PNG },
        { name: '../../file-Evil-passwd', content: 'no' },
      ],
    ),
  )
  t.match(report, { state: 'done', counts: { imported: 1 } })
  const [question, answer] = await messagesOf(report.lines[0].thread_id)
  t.match(question.content, [
    { type: 'text', text: 'What is this?' },
    { type: 'image', path: 'inbound/cat.png', media_type: 'image/png' },
    { type: 'text', text: '\n\n[File not imported: lost.pdf]' },
  ])
  t.equal(answer.content[0].text, 'A cat.\n\n![file_00000000abcd.png](inbound/file_00000000abcd.png)')
  const path = `/agents/${agent_id}/files/content?path=inbound%2Fcat.png`
  t.equal((await server.request('GET', path)).status, 200)
})

t.test('Claude conversations keep artifacts and the texts of attachments', async (t) => {
  const conversation = claudeConversation(
    'c1',
    [
      {
        sender: 'human',
        text: 'Read this',
        content: [{ type: 'text', text: 'Read this' }],
        attachments: [{ file_name: 'notes.md', file_type: 'md', extracted_content: '# Notes\n言' }],
        files: [{ file_name: 'photo.jpg' }],
      },
      {
        sender: 'assistant',
        text: 'x\n```\nThis block is not supported on your current device yet.\n```',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'Here it is:' },
          {
            type: 'tool_use',
            name: 'artifacts',
            input: { command: 'create', title: 'Page', type: 'text/html', language: 'html', content: '<b>' },
          },
          { type: 'tool_result', content: 'OK' },
        ],
      },
    ],
    { is_starred: true },
  )
  const report = await run(
    archiveOf({ 'data/conversations.json': [conversation, claudeConversation('c2', [])] }),
  )
  t.match(report, { kind: 'claude', counts: { imported: 1, empty: 1 } })
  t.match(report.lines[1], { status: 'empty', thread_id: null, messages: 0 })
  const [question, answer] = await messagesOf(report.lines[0].thread_id)
  t.match(question, {
    timestamp: Date.parse('2025-03-01T10:00:00Z'),
    content: [
      { type: 'text', text: 'Read this' },
      { type: 'file', path: 'inbound/notes.md' },
      { type: 'text', text: '\n\n[File not imported: photo.jpg]' },
    ],
  })
  t.equal(answer.content[0].text, 'Here it is:\n\n**Page**\n\n```html\n<b>\n```')
  const { body } = await server.request('GET', `/agents/${agent_id}/threads?limit=200`)
  t.match(body[0], { thread_id: report.lines[0].thread_id, pinned: true })
})

t.test('Only the last path of Claude branches is imported', async (t) => {
  const root = '00000000-0000-4000-8000-000000000000'
  const { lines } = await runJson([
    claudeConversation('branches', [
      { uuid: 'a', sender: 'human', text: 'Old', parent_message_uuid: root },
      { uuid: 'b', sender: 'assistant', text: 'Old answer', parent_message_uuid: 'a' },
      { uuid: 'c', sender: 'human', text: 'New', parent_message_uuid: root },
      { uuid: 'd', sender: 'assistant', text: 'New answer', parent_message_uuid: 'c' },
    ]),
  ])
  t.strictSame(await textsOf(lines[0].thread_id), [
    ['user', 'New'],
    ['assistant', 'New answer'],
  ])
})

t.test('Open WebUI chats are imported, all of them or one', async (t) => {
  const messages = [
    {
      role: 'user',
      content: 'Look',
      files: [{ type: 'image', url: `data:image/png;base64,${PNG.toString('base64')}` }],
    },
    {
      role: 'assistant',
      content:
        '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> hm\n</details>\nIt is red.',
      model: 'llama3:8b',
    },
  ]
  const all = await runJson([
    openWebUiChat('w1', messages, { pinned: true }),
    openWebUiChat('w2', messages, { archived: true }),
  ])
  t.match(all, { kind: 'openwebui', counts: { imported: 2 } })
  const [question, answer] = await messagesOf(all.lines[0].thread_id)
  t.match(question.content, [{ text: 'Look' }, { type: 'image', path: /^inbound\/picture(-2)?\.png$/ }])
  t.match(answer, { model: 'openwebui:llama3:8b', content: [{ text: 'It is red.' }] })

  const { chat: single } = openWebUiChat('w3', messages) as { chat: object }
  t.match(await runJson({ ...single, id: 'w3' }), { kind: 'openwebui', counts: { imported: 1 } })
})

t.test('LibreChat conversations are imported as a list, a tree and in bulk', async (t) => {
  const single = await runJson(libreChatConversation('l1', ['Hi', 'Hello']))
  t.match(single, { kind: 'librechat', counts: { imported: 1 } })
  t.match(await messagesOf(single.lines[0].thread_id), [
    { role: 'user' },
    { role: 'assistant', model: 'librechat:gpt-4o' },
  ])
  const texts = Array.from({ length: 100 }, (_, index) => `Message ${index}`)
  const tree = await runJson(libreChatConversation('l2', texts, { recursive: true }))
  t.strictSame(
    (await textsOf(tree.lines[0].thread_id)).map(([, text]) => text),
    texts,
  )
  const bulk = await runJson({
    version: 1,
    conversations: [
      libreChatConversation('l3', ['A', 'B']),
      libreChatConversation('l1', ['Hi', 'Hello']),
      libreChatConversation('l4', [], {}),
    ],
  })
  t.match(bulk.lines, [{ status: 'imported' }, { status: 'unchanged' }, { status: 'empty' }])
})

t.test('The same archive changes nothing, and a newer one adds what is new', async (t) => {
  const turns = [ask('1'), say('2'), ask('3'), say('4')]
  const grown = (count: number, fields: object = {}) => [
    chatGptConversation('grown', turns.slice(0, count), { update_time: 1_700_000_000 + count, ...fields }),
  ]
  const first = await runJson(grown(2))
  const { thread_id } = first.lines[0]
  const again = await runJson(grown(2))
  t.match(again.lines, [{ status: 'unchanged', thread_id, messages: 0 }])
  const newer = await runJson(grown(4))
  t.match(newer.lines, [{ status: 'imported', thread_id, messages: 2 }])
  t.match(await runJson(grown(2)), { counts: { unchanged: 1 } }, 'an older archive')
  t.strictSame(
    (await textsOf(thread_id)).map(([, text]) => text),
    ['1', '2', '3', '4'],
  )

  const threads = server.db.collection<{ _id: string }>('threads')
  t.equal(await threads.countDocuments({ _id: thread_id, is_unreported: true }), 0, 'nobody is notified')

  // An edited message is a version of the former one.
  const edited = chatGptConversation('grown', [ask('1'), say('2'), ask('3b'), say('4b')], {
    update_time: 1_700_000_100,
  })
  t.match((await runJson([edited])).lines, [{ status: 'imported', messages: 2, thread_id }])
  const messages = await messagesOf(thread_id)
  t.strictSame(
    messages.map(({ content }) => content[0].text),
    ['1', '2', '3b', '4b'],
  )
  t.equal(messages[2].versions.length, 2)

  // A conversation that was continued here keeps what was said here.
  const socket = await chat.connect()
  fake.next({ text: 'here' })
  await socket.ask({ thread_id, text: 'mine' })
  socket.close()
  const longest = chatGptConversation('grown', [ask('1'), say('2'), ask('3b'), say('4b'), ask('5')], {
    update_time: 1_700_000_200,
  })
  t.match((await runJson([longest])).lines, [{ status: 'imported', messages: 1 }])
  const shown = await messagesOf(thread_id)
  t.match(shown.at(-1), { content: [{ text: '5' }], versions: { length: 2 } })

  await chat.threads('DELETE', `/${thread_id}`)
  const anew = await runJson(grown(2))
  t.match(anew.lines, [{ status: 'imported', messages: 2 }], 'a deleted thread')
  t.not(anew.lines[0].thread_id, thread_id)
})

t.test('Broken files are described in words, and never count as imported', async (t) => {
  const fails = async (content: string | Uint8Array<ArrayBuffer>, code: string) =>
    t.match(await run(content), { state: 'failed', reason: { code }, counts: { imported: 0 } }, code)
  await fails('not json at all', 'ARCHIVE_WITHOUT_CONVERSATIONS')
  await fails('{"user": {"id": 1}}', 'ARCHIVE_WITHOUT_CONVERSATIONS')
  await fails('[1, 2, "three"]', 'ARCHIVE_WITHOUT_CONVERSATIONS')
  await fails(archiveOf({}), 'ARCHIVE_WITHOUT_CONVERSATIONS')
  await fails(
    archiveOf({}, [{ name: 'inner.zip', content: archiveOf({ 'conversations.json': [] }) }]),
    'ARCHIVE_WITHOUT_CONVERSATIONS',
  )
  const whole = archiveOf({ 'conversations.json': [chatGptConversation('whole', [ask('?'), say('!')])] })
  await fails(whole.subarray(0, whole.length - 30), 'ARCHIVE_DAMAGED')
  await fails(archiveOf({}, [{ name: 'a.json', content: '[]', flags: 1 }]), 'ARCHIVE_ENCRYPTED')
  await fails(
    archiveOf({}, [{ name: 'bomb.json', content: Buffer.alloc(40 * 1024 * 1024, ' ') }]),
    'ARCHIVE_EXCESSIVE',
  )
  const damaged = archiveOf({}, [{ name: 'a.json', content: '[{"mapping": {}}]', claim: { size: 4 } }])
  await fails(damaged, 'ARCHIVE_DAMAGED')

  const text = JSON.stringify([
    chatGptConversation('cut', [ask('a'), say('b')]),
    chatGptConversation('tail', []),
  ])
  const cut = await run(text.slice(0, -40))
  t.match(cut, { state: 'done', counts: { imported: 1, failed: 1 } })
  t.match(cut.lines[1], {
    title: 'Chat tail',
    status: 'failed',
    thread_id: null,
    reason: { code: 'CONVERSATION_CUT_OFF', message: /ends in the middle/ },
  })

  const mixed = await runJson([
    chatGptConversation('mixed', [ask('a'), say('b')]),
    { something: 'else' },
    chatGptConversation('large', [ask('x'.repeat(17 * 1024 * 1024))]),
    chatGptConversation('complex', [chatGptMessage('user', [Array.from({ length: 600_000 }, () => [])])]),
    chatGptConversation('hollow', [null, chatGptMessage('system', ['You are …'])]),
    chatGptConversation('last', [ask('c'), say('d')]),
  ])
  t.match(mixed, { state: 'done', counts: { imported: 2, empty: 1, failed: 3 } })
  t.match(mixed.lines, [
    { status: 'imported' },
    { status: 'failed', reason: { code: 'CONVERSATION_UNKNOWN' } },
    { status: 'failed', title: 'Chat large', reason: { code: 'CONVERSATION_TOO_LARGE', message: /16 MB/ } },
    { status: 'failed', title: 'Chat complex', reason: { code: 'CONVERSATION_TOO_COMPLEX' } },
    { status: 'empty' },
    { status: 'imported' },
  ])
  const { body: failures } = await read(mixed.id, '?status=failed&limit=2')
  t.equal(failures.lines.length, 2)
  const { body: chinese } = await server.request('GET', `/imports/${mixed.id}?status=failed`, {
    headers: { 'accept-language': 'zh' },
  })
  t.match(chinese.lines[0].reason.message, /条目/)
})

t.test('Cycles, missing parents and values of other types do not stop an import', async (t) => {
  const cycle = chatGptConversation('cycle', [ask('a'), say('b')]) as { mapping: Record<string, object> }
  Object.assign(cycle.mapping['cycle-0']!, { parent: 'cycle-1' })
  const report = await runJson([
    cycle,
    { mapping: null, title: 5, id: {}, chat_messages: 'no' },
    { mapping: { a: 7, b: null, c: { message: 'x', parent: {}, children: 'y' } }, title: ['x'] },
    { uuid: 'odd', chat_messages: [null, 4, { sender: 'human', content: 'text', text: { a: 1 } }] },
    {
      id: 'odd',
      chat: { history: { messages: { a: null, b: { parentId: 'b', role: 'user', content: 1 } } } },
    },
    { conversationId: 'odd', messages: [null, 'x', { text: 5 }] },
    JSON.parse('{"__proto__": {"polluted": true}, "mapping": {"__proto__": {"x": 1}}}'),
  ])
  t.match(report, { state: 'done', counts: { imported: 1, failed: 1, empty: 5 } })
  t.equal(({} as { polluted?: boolean }).polluted, undefined)
})

t.test('An import goes to the chosen agent, and only to one that its account may open', async (t) => {
  const { body: other } = await server.request('POST', '/agents', { body: { name: 'archive' } })
  const report = await runJson([chatGptConversation('chosen', [ask('a'), say('b')])], { agent: 'archive' })
  t.match(report, { agent_id: other.id, lines: [{ agent_id: other.id, status: 'imported' }] })
  const { token } = await server.createUser({ username: 'bob' })
  const refused = await start('[]', { token, agent: other.id })
  t.match(refused, { status: 404, body: { error: { code: 'AGENT_NOT_FOUND' } } })
  const own = await runJson([chatGptConversation('chosen', [ask('a'), say('b')])], { token })
  t.match(own.lines, [{ status: 'imported' }], 'known by account')
  for (const request of [
    read(report.id, '', token),
    server.request('DELETE', `/imports/${report.id}`, { token }),
    server.request('POST', `/imports/${report.id}/cancel`, { token }),
  ])
    t.match(await request, { status: 404, body: { error: { code: 'IMPORT_NOT_FOUND' } } })
})

t.test('An account has one import at a time, which can be cancelled and deleted', async (t) => {
  const { token } = await server.createUser({ username: 'carl' })
  const many = Array.from({ length: 150 }, (_, index) =>
    chatGptConversation(`many-${index}`, [ask('a'), say('b')]),
  )
  const { body: running } = await start(JSON.stringify(many), { token })
  const second = await start('[]', { token })
  t.match(second, { status: 409, body: { error: { code: 'IMPORT_RUNNING' } } })
  const { body: cancelled } = await server.request('POST', `/imports/${running.id}/cancel`, { token })
  t.match(cancelled, { state: 'cancelled' })
  const importedCount = (await untilEnded(running.id, token)).counts.imported
  t.ok(importedCount < many.length)
  const anew = await run(JSON.stringify(many), { token })
  t.match(anew, { state: 'done', counts: { failed: 0 } })
  t.equal(anew.counts.imported + anew.counts.unchanged, many.length)
  t.equal((await server.request('DELETE', `/imports/${anew.id}`, { token })).status, 204)
  t.equal((await read(anew.id, '', token)).status, 404)
  t.match((await server.request('GET', '/imports', { token })).body, [{ id: running.id }])
})

t.test('Everything of imports goes with the account', async (t) => {
  const { token, id } = await server.createUser({ username: 'dora' })
  await runJson([chatGptConversation('gone', [ask('a'), say('b')])], { token })
  t.equal((await server.request('DELETE', '/users/dora')).status, 204)
  for (const name of ['imports', 'import_lines', 'imported_conversations', 'threads'])
    t.equal(await server.db.collection(name).countDocuments({ user_id: id }), 0, name)
})
