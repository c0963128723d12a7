import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { fakeTool, startFakeMcp } from '../../support/fake-mcp.ts'

const mcp = await startFakeMcp()
t.teardown(() => mcp.close())
mcp.tools = [fakeTool('look', { annotations: { readOnlyHint: true } })]
const chat = await startChat(t, { config: { plugins: { connectors: { allow_hosts: ['127.0.0.1'] } } } })
const { server, fake, agent_id } = chat
const socket = await chat.connect()
const { id } = await server.call('POST', '/connectors', {
  name: 'shop',
  kind: 'mcp',
  config: { url: mcp.url },
})
await server.call('PUT', `/agents/${agent_id}/connectors`, { connectors: [{ id }] })

/** Lets a tool answer once; returns its result and the file that it left. */
const answer = async (result: unknown) => {
  mcp.onCall = async () => result
  fake.next({ toolCalls: [{ name: 'shop__look', arguments: {} }] }, { text: 'ok' })
  const { frames } = await socket.ask({ text: 'go' })
  const { output, is_error } = frames.find(({ type }) => type === 'tool_result')!
  const attachments = frames.filter(({ type }) => type === 'attachment')
  const sources = frames.flatMap((frame) => (frame.type === 'tool_result' ? (frame.sources ?? []) : []))
  return { output, is_error, attachments, sources }
}

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const bytes = [...Buffer.from(pixel, 'base64')]
const png = Buffer.from(pixel, 'base64')
const words = { type: 'text', text: 'the words' }

/** Results that are read as text; an error is marked. */
const texts: [string, unknown, string, 'error'?][] = [
  ['annotations that are null', { content: [{ ...words, annotations: null }] }, 'the words'],
  ['annotations that are a list', { content: [{ ...words, annotations: [] }] }, 'the words'],
  ['a part with null beside it', { content: [{ ...words, _meta: null }] }, 'the words'],
  ['no error as null', { content: [words], isError: null }, 'the words'],
  ['no error as text', { content: [words], isError: 'false' }, 'the words'],
  ['no error as a number', { content: [words], isError: 0 }, 'the words'],
  ['an error as text', { content: [words], isError: 'true' }, 'the words', 'error'],
  ['an error as a number', { content: [words], isError: 1 }, 'the words', 'error'],
  ['no error as an empty object', { content: [words], isError: {} }, 'the words'],
  ['an error as an odd object', { content: [words], isError: { toString: 1 } }, 'the words', 'error'],
  ['an error by another name', { content: [words], is_error: true }, 'the words', 'error'],
  ['an error without words', { content: [], isError: true }, '[no output]', 'error'],
  ['an error with nothing else', { isError: true }, '[no output]', 'error'],
  ['structured content that is null', { content: [words], structuredContent: null }, 'the words'],
  ['structured content that is a list', { content: [words], structuredContent: [1] }, 'the words'],
  ['structured content that is a text', { content: [words], structuredContent: 'x' }, 'the words'],
  ['only a structured list', { content: [], structuredContent: [1, 2] }, '[1,2]'],
  ['only a structured text', { content: [], structuredContent: 'Oslo' }, 'Oslo'],
  ['only a structured number', { content: [], structuredContent: 7 }, '7'],
  ['only a structured false', { content: [], structuredContent: false }, 'false'],
  ['only structured content', { structuredContent: { city: 'Oslo' } }, '{"city":"Oslo"}'],
  [
    'structured content beside null',
    { content: null, structuredContent: { city: 'Oslo' } },
    '{"city":"Oslo"}',
  ],
  [
    'structured content beside a blank text',
    { content: [{ type: 'text', text: ' \n' }], structuredContent: { city: 'Oslo' } },
    '{"city":"Oslo"}',
  ],
  [
    'structured content beside an empty resource',
    {
      content: [{ type: 'resource', resource: { uri: 'a://b', text: '' } }],
      structuredContent: { city: 'Oslo' },
    },
    '{"city":"Oslo"}',
  ],
  [
    'structured content of an error',
    { structuredContent: { error: 'closed' }, isError: true },
    '{"error":"closed"}',
    'error',
  ],
  [
    'an unknown kind of part',
    { content: [{ type: 'widget', id: 7 }, words] },
    '{"type":"widget","id":7}\nthe words',
  ],
  ['an unknown kind with a text', { content: [{ type: 'output_text', text: 'a' }, words] }, 'a\nthe words'],
  ['a JSON part', { content: [{ type: 'json', json: { a: 1 } }] }, '{"type":"json","json":{"a":1}}'],
  [
    'parts that are empty',
    { content: [{}, { type: 'x', _meta: {} }, { type: 'y', value: null }] },
    '[no output]',
  ],
  ['a part without a type', { content: [{ text: 'the words' }] }, 'the words'],
  ['a type that is null', { content: [{ type: null, text: 'the words' }] }, 'the words'],
  ['a part that is null', { content: [null, words] }, 'the words'],
  ['a part that is a text', { content: ['a', words] }, 'a\nthe words'],
  ['a part that is a number', { content: [4, words] }, '4\nthe words'],
  ['nested parts', { content: [[words], [[{ ...words, text: 'more' }]]] }, 'the words\nmore'],
  ['a text that is a number', { content: [{ type: 'text', text: 42 }] }, '42'],
  ['a text that is an object', { content: [{ type: 'text', text: { a: 1 } }] }, '{"a":1}'],
  ['a text that is false', { content: [{ type: 'text', text: false }] }, 'false'],
  ['a text that is null', { content: [{ type: 'text', text: null }, words] }, 'the words'],
  ['a text that is missing', { content: [{ type: 'text' }, words] }, 'the words'],
  ['only a missing text', { content: [{ type: 'text' }] }, '[no output]'],
  ['content that is a text', { content: 'the words' }, 'the words'],
  ['content that is an object', { content: words }, 'the words'],
  ['content that is a number', { content: 7 }, '7'],
  ['content that is null', { content: null }, '[no output]'],
  ['content that is missing', {}, '[no output]'],
  ['empty content', { content: [] }, '[no output]'],
  ['the result of the first protocol', { toolResult: 'the words' }, 'the words'],
  ['an object of the first protocol', { toolResult: { a: 1 } }, '{"a":1}'],
  ['parts within the first protocol', { toolResult: { content: [words] } }, 'the words'],
  ['the first protocol beside empty content', { content: [], toolResult: 'the words' }, 'the words'],
  ['fields instead of content', { city: 'Oslo', degrees: 4 }, '{"city":"Oslo","degrees":4}'],
  ['a task', { task: { taskId: 't1', status: 'working' } }, '{"task":{"taskId":"t1","status":"working"}}'],
  [
    'a link without a name',
    { content: [{ type: 'resource_link', uri: 'issue://4' }] },
    '[resource: issue://4]',
  ],
  [
    'a link whose title is null',
    { content: [{ type: 'resource_link', uri: 'issue://4', name: 'Four', title: null }] },
    '[resource: Four issue://4]',
  ],
  ['a link without an address', { content: [{ type: 'resource_link', name: 'Four' }] }, '[resource: Four]'],
  [
    'a link by another type',
    { content: [{ type: 'link', url: 'https://example.com/a', title: 'A' }] },
    '[resource: A https://example.com/a]',
  ],
  [
    'an address of a picture',
    { content: [{ type: 'image', url: 'https://example.com/a.png' }] },
    '[resource: https://example.com/a.png]',
  ],
  [
    'a resource with neither text nor data',
    { content: [{ type: 'resource', resource: { uri: 'a://b' } }, words] },
    '[resource: a://b]\nthe words',
  ],
  [
    'a resource with null beside its text',
    {
      content: [{ type: 'resource', resource: { uri: 'a://b', text: 'inner', blob: null, mimeType: null } }],
    },
    'inner',
  ],
  [
    'a resource without an address',
    { content: [{ type: 'resource', resource: { text: 'inner' } }] },
    'inner',
  ],
  [
    'a resource that is not nested',
    { content: [{ type: 'resource', uri: 'a://b', text: 'inner' }] },
    'inner',
  ],
  [
    'a resource whose text is an object',
    { content: [{ type: 'resource', resource: { uri: 'a://b', text: { a: 1 } } }] },
    '{"a":1}',
  ],
  ['a resource that is null', { content: [{ type: 'resource', resource: null }, words] }, 'the words'],
  [
    'a picture without data',
    { content: [{ type: 'image', mimeType: 'image/png' }] },
    '[the image has no data]',
  ],
  [
    'sound whose data are null',
    { content: [{ type: 'audio', data: null }, words] },
    '[the audio has no data]\nthe words',
  ],
  [
    'a picture with empty data',
    { content: [{ type: 'image', data: '', mimeType: 'image/png' }] },
    '[the image has no data]',
  ],
]

t.test('The texts of a result are read, whatever its form', async (t) => {
  for (const [name, result, expected, error] of texts) {
    const { output, is_error } = await answer(result)
    t.strictSame({ output, is_error }, { output: expected, is_error: error === 'error' }, name)
  }
})

const image = { type: 'image', data: pixel, mimeType: 'image/png' }

/** Results with one file each, its media type and its bytes. */
const files: [string, object, string, Buffer?][] = [
  ['a picture', image, 'image/png'],
  ['a picture without a type', { type: 'image', data: pixel }, 'image/png'],
  ['a picture whose type is null', { ...image, mimeType: null }, 'image/png'],
  ['a picture whose type is a word', { ...image, mimeType: 'png' }, 'image/png'],
  ['a picture whose type has parameters', { ...image, mimeType: 'image/png; charset=binary' }, 'image/png'],
  ['a picture whose type has capitals', { ...image, mimeType: 'IMAGE/PNG' }, 'image/png'],
  ['a type by another name', { type: 'image', data: pixel, media_type: 'image/png' }, 'image/png'],
  ['a picture with null beside it', { ...image, annotations: null, _meta: null }, 'image/png'],
  ['a data URL', { ...image, data: `data:image/png;base64,${pixel}` }, 'image/png'],
  [
    'a data URL that alone has a type',
    { type: 'image', data: `data:image/png;base64,${pixel}` },
    'image/png',
  ],
  [
    'a data URL with very many parameters',
    { ...image, data: `data:image/png${';a'.repeat(4_000_000)}` },
    'image/png',
    Buffer.from(`data:image/png${';a'.repeat(4_000_000)}`, 'base64'),
  ],
  ['a data URL in an address', { type: 'image', url: `data:image/png;base64,${pixel}` }, 'image/png'],
  [
    'a picture as of OpenAI',
    { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
    'image/png',
  ],
  [
    'a picture as of Anthropic',
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
    'image/png',
  ],
  ['lines of base64', { ...image, data: `${pixel.slice(0, 60)}\r\n${pixel.slice(60)}\n` }, 'image/png'],
  [
    'base64 for addresses',
    { ...image, data: pixel.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') },
    'image/png',
  ],
  ['bytes', { ...image, data: bytes }, 'image/png'],
  ['a buffer of Node', { ...image, data: { type: 'Buffer', data: bytes } }, 'image/png'],
  ['a blob in a picture', { type: 'image', blob: pixel }, 'image/png'],
  ['sound', { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }, 'audio/wav', Buffer.alloc(3)],
  ['sound without a type', { type: 'audio', data: 'AAAA' }, 'application/octet-stream', Buffer.alloc(3)],
  ['a video', { type: 'video', data: 'AAAA', mimeType: 'video/mp4' }, 'video/mp4', Buffer.alloc(3)],
  [
    'the blob of a resource',
    { type: 'resource', resource: { uri: 'a://b', blob: pixel, mimeType: 'image/png' } },
    'image/png',
  ],
  [
    'a blob beside an empty text',
    { type: 'resource', resource: { uri: 'a://b', text: '', blob: pixel } },
    'image/png',
  ],
  ['a blob without an address', { type: 'resource', resource: { blob: pixel } }, 'image/png'],
  [
    'a text as data URL',
    { type: 'resource', resource: { blob: 'data:text/plain,50%25 of%20it' } },
    'text/plain',
    Buffer.from('50% of it'),
  ],
]

t.test('The file of a result is kept, whatever its form', async (t) => {
  for (const [name, part, media_type, expected = png] of files) {
    const { output, is_error, attachments } = await answer({ content: [part] })
    t.match(output, /^\[file: inbound\/look[\w-]*\.[\w-]+\]$/, name)
    t.equal(is_error, false)
    t.match(attachments, [{ media_type }], name)
    const reply = await fetch(`${server.url}${attachments[0]!.url}`, {
      headers: { authorization: `Bearer ${server.admin.token}` },
    })
    t.same(Buffer.from(await reply.arrayBuffer()), expected, name)
  }
})

t.test('Only resources with an address become sources', async (t) => {
  const { sources } = await answer({
    content: [
      { type: 'resource_link', uri: 'a://link' },
      { type: 'resource_link', name: 'no address' },
      { type: 'resource', resource: { uri: 'a://text', text: 'x' } },
      { type: 'resource', resource: { text: 'x' } },
    ],
  })
  t.match(sources, [
    { uri: 'a://link', title: 'a://link' },
    { uri: 'a://text', title: 'a://text' },
  ])
  t.equal(sources.length, 2)
})

t.test('Halves of characters do not reach a model', async (t) => {
  const half = '\ud83d'
  mcp.tools = [
    fakeTool('look', {
      title: `${'x'.repeat(199)}😀`,
      description: `${'x'.repeat(7999)}😀`,
      annotations: { readOnlyHint: true },
      inputSchema: {
        type: 'object',
        properties: { city: { type: 'string', description: `A ${half}`, enum: [half], default: half } },
      },
    }),
  ]
  const { id } = await server.call('POST', '/connectors', {
    name: 'half',
    kind: 'mcp',
    config: { url: mcp.url },
  })
  await server.call('PUT', `/agents/${agent_id}/connectors`, { connectors: [{ id }] })
  for (const result of [{ content: [{ type: 'text', text: half }] }, { content: [half], isError: true }]) {
    mcp.onCall = async () => result
    fake.next({ toolCalls: [{ name: 'half__look', arguments: {} }] }, { text: 'ok' })
    await socket.ask({ text: 'go' })
    const { tools, messages } = fake.requests.at(-1)!.body
    const { description } = tools!.find((tool) => tool.function.name === 'half__look')!.function
    t.equal(description, `${'x'.repeat(7999)}\ufffd`)
    t.equal(messages.at(-1)!.content, '\ufffd')
    t.notMatch(JSON.stringify([tools, messages]), /\\ud[89a-f]/)
  }
})
