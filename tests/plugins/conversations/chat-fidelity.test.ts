import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import t, { type Test } from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { type SeenTurn, startChat, textOf } from '../../support/chat.ts'
import type { TestReply } from '../../support/server.ts'
import type { TestFrame } from '../../support/socket.ts'

const chat = await startChat(t)
const { fake, createThread, history, threads } = chat

const texts = (frames: readonly TestFrame[]) => frames.map((frame) => JSON.stringify(frame))

/** Runs a turn and checks that the ledger and the history contain what was shown live. */
async function sameEverywhere(
  t: Test,
  said: object,
  scripts: Script[],
): Promise<SeenTurn & { messages: TestReply['body'] }> {
  const socket = await chat.connect()
  const thread_id = await createThread()
  fake.next(...scripts)
  const turn = await socket.ask({ thread_id, ...said })
  const reader = await chat.connect()
  await reader.subscribe(thread_id, 0)
  await reader.until(({ seq }) => seq === turn.end.seq)
  const [replayed, live] = [texts(reader.of(thread_id)), texts(turn.frames)]
  t.ok(replayed.join('\n') === live.join('\n'), 'the ledger contains what was shown live')

  const { messages } = await history(thread_id)
  const blocks: TestFrame[] = messages
    .filter(({ role }: { role: string }) => role !== 'user')
    .flatMap(({ content }: { content: TestFrame[] }) => content)
  const stored = (type: string, field: string) =>
    blocks.flatMap((block) => (block.type === type ? [block[field]] : []))
  const shown = (type: string, field: string) =>
    turn.frames.flatMap((frame) => (frame.type === type ? [frame[field]] : []))
  t.ok(stored('text', 'text').join('') === textOf(turn.frames), 'the history contains the same text')
  t.ok(stored('thinking', 'thinking').join('') === textOf(turn.frames, 'reasoning'), 'and the same thoughts')
  t.ok(JSON.stringify(stored('tool_use', 'input')) === JSON.stringify(shown('tool_call', 'input')), 'inputs')
  t.ok(stored('tool_result', 'output').join() === shown('tool_result', 'output').join(), 'and outputs')
  return { ...turn, messages }
}

t.test('A character that an upstream cuts in half between two deltas is shown whole', async (t) => {
  const text = 'a😀b👩‍👩‍👧‍👦c'
  const { frames } = await sameEverywhere(t, { text: 'emoji' }, [
    { reasoning: [...'𝒳 thinks'.split('')], text: text.split('') },
  ])
  t.equal(textOf(frames), text)
  t.equal(textOf(frames, 'reasoning'), '𝒳 thinks')
  for (const { content } of frames)
    if (content) t.ok(content.isWellFormed(), 'no frame holds half a character')
})

t.test('Half a character without its other half becomes a replacement character', async (t) => {
  const half = '\ud83d'
  const { frames } = await sameEverywhere(t, { text: 'halves' }, [
    { text: ['end', half], toolCalls: [{ name: 'ls', arguments: {} }] },
    { reasoning: ['think', half], text: [half, 'x', '\ude00', `y${half}`] },
  ])
  t.equal(textOf(frames), 'end\ufffd\ufffdx\ufffdy\ufffd')
  t.equal(textOf(frames, 'reasoning'), 'think\ufffd')

  fake.next({ text: ['cut ', half, 'z'], disconnectAfter: 2 })
  const socket = await chat.connect()
  t.equal(
    textOf((await socket.ask({ text: 'cut' })).frames),
    'cut \ufffd',
    'also where the stream breaks off',
  )
})

t.test('The text of a user is kept unchanged, except for half characters', async (t) => {
  const text =
    'NUL \0 tab \t newline \r\n bell \x07 sep \u2028 bom \ufeff rtl \u202e ' + 'e\u0301 😀 {"$set":1} %s'
  const { messages } = await sameEverywhere(t, { text: `${text}\ud800!` }, [{ text: 'ok' }])
  t.equal(messages[0].content[0].text, `${text}\ufffd!`)
  t.equal(fake.requests.at(-1)!.body.messages.at(-1)!.content, `${text}\ufffd!`)
})

t.test('Control characters of a model are kept', async (t) => {
  const text = ['\0', 'a\0b', '\x1b[31m', '\u2028', '\r\n']
  const { frames } = await sameEverywhere(t, { text: 'control' }, [{ text }])
  t.equal(textOf(frames), text.join(''))
})

t.test('Long texts of user and model are kept whole', async (t) => {
  const text = 'long text 😀 '.repeat(65_000).slice(0, amount({ short: 200_000, long: 900_000 }))
  const { messages, frames } = await sameEverywhere(t, { text }, [
    { text: [text, text, ...text.match(/[\s\S]{1,9000}/g)!] },
  ])
  t.ok(messages[0].content[0].text === text)
  t.ok(textOf(frames) === text.repeat(3))
  t.ok(
    frames.every(({ content = '' }) => content.length <= 65_536),
    'one delta becomes frames of bounded size',
  )
  const [row] = (await threads('GET', '?limit=1')).body
  t.equal([...row.title].length, 40)
  // All of it is read in pieces for a summary.
  fake.script(() => ({ text: 'It was long.' }))
  t.match((await (await chat.connect()).ask({ thread_id: row.thread_id, text: 'go on' })).end, {
    type: 'done',
  })
})

const strange: [what: string, json: string, shown?: unknown][] = [
  [
    'names that reach prototypes',
    '{"__proto__":{"admin":true},"constructor":{"prototype":1},"toString":2,"toJSON":3}',
  ],
  ['operators and dots', '{"$where":"1","$set":{"a.b":1},"a.b.c":{"$gt":""},".":1,"$":2,"":3}'],
  [
    'numbers',
    '{"i":9007199254740993,"big":1e400,"small":1e-320,"neg":-0,"long":12345678901234567890,"f":0.1}',
  ],
  ['extended JSON', '{"_id":{"$oid":"000000000000000000000000"},"d":{"$date":0},"n":{"$numberLong":"1"}}'],
  [
    'halves and NUL in values',
    '{"a":"\\ud800","b":["\\u0000","x\\udc00y"]}',
    { a: '\ufffd', b: ['\0', 'x\ufffdy'] },
  ],
  ['halves and NUL in names', '{"\\ud800":1,"n\\u0000ul":2}', { '\ufffd': 1, nul: 2 }],
  ['empty things', '{"a":{},"b":[],"c":null,"d":"","e":[[],{}]}'],
  ['a list', '[1,"two",{"three":3}]', { input: [1, 'two', { three: 3 }] }],
  ['a text', '"just text"', { input: 'just text' }],
  ['null', 'null', {}],
  [
    'a type of the database client',
    '{"_bsontype":"ObjectId","id":"x"}',
    { '_bsontype ': 'ObjectId', id: 'x' },
  ],
  ['another type of it', '{"a":{"_bsontype":7}}', { a: { '_bsontype ': 7 } }],
  [
    'a database reference',
    '{"x":1,"$id":"i","$ref":"a.b","$db":"d"}',
    { x: 1, $id: 'i', '$ref ': 'a.b', $db: 'd' },
  ],
  ['a schema', '{"$schema":"s","$id":"i","$defs":{"d":{"$ref":"#/$defs/d"}}}'],
  ['dates and buffers as JSON has them', '{"type":"Buffer","data":[1,2],"date":"2026-01-01T00:00:00Z"}'],
]

t.test('Arguments of tools are shown, stored and read back the same, whatever they are', async (t) => {
  const { frames, end } = await sameEverywhere(t, { text: 'call' }, [
    { toolCalls: strange.map(([, json], index) => ({ id: `c${index}`, name: 'ls', arguments: json })) },
    { text: 'ok' },
  ])
  t.match(end, { type: 'done' })
  for (const [index, [what, json, shown]] of strange.entries()) {
    const { input } = frames.find(
      ({ type, tool_call_id }) => type === 'tool_call' && tool_call_id === `c${index}`,
    )!
    t.equal(JSON.stringify(input), JSON.stringify(shown ?? JSON.parse(json)), what)
  }
})

t.test('Arguments that are too deep or too long are shortened before they are shown', async (t) => {
  const deep = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`
  const wide = JSON.stringify({ content: 'x'.repeat(300_000) })
  const { frames, end } = await sameEverywhere(t, { text: 'call' }, [
    { toolCalls: [{ name: 'ls', arguments: deep }] },
    { toolCalls: [{ name: 'ls', arguments: wide }] },
    { text: 'ok' },
  ])
  t.match(end, { type: 'done' })
  const [first, second] = frames.flatMap(({ type, input }) => (type === 'tool_call' ? [input] : []))
  t.equal(JSON.stringify(first), `${'{"a":'.repeat(40)}"…"${'}'.repeat(40)}`)
  t.strictSame(second, { omitted: `${wide.length} characters` })
})

t.test(
  'Names, ids and outputs of tools are kept; what cannot be stored is shown in its stored form',
  async (t) => {
    const { frames, messages } = await sameEverywhere(t, { text: 'call' }, [
      { toolCalls: [{ id: 'call \ud800\0', name: 'no\udc00such', arguments: {} }] },
      { toolCalls: [{ name: 'write_file', arguments: '{"path":"half\\ud83d.txt","content":"😀\\ud83d"}' }] },
      { toolCalls: [{ name: 'read_file', arguments: '{"path":"half\\ufffd.txt"}' }] },
      { text: 'ok' },
    ])
    t.match(
      frames.find(({ type }) => type === 'tool_call'),
      { tool_call_id: 'call \ufffd\0', name: 'no\ufffdsuch' },
    )
    t.match(
      frames.find(({ type }) => type === 'attachment'),
      { path: 'half\ufffd.txt', filename: 'half\ufffd.txt' },
    )
    t.strictSame(messages[4].artifacts, [
      {
        path: 'half\ufffd.txt',
        filename: 'half\ufffd.txt',
        media_type: 'text/plain',
        url: `/api/agents/${chat.agent_id}/files/content?path=half%EF%BF%BD.txt`,
      },
    ])
  },
)

t.test(
  'An output that is too long is cut between characters, for the reader and the model alike',
  async (t) => {
    const content = 'ab😀'.repeat(30_000)
    const { frames } = await sameEverywhere(t, { text: 'call' }, [
      {
        toolCalls: [
          { id: 'w', name: 'write_file', arguments: JSON.stringify({ path: 'long.txt', content }) },
        ],
      },
      { toolCalls: [{ id: 'r', name: 'read_file', arguments: { path: 'long.txt' } }] },
      { text: 'ok' },
    ])
    const { output } = frames.find(
      ({ tool_call_id, type }) => tool_call_id === 'r' && type === 'tool_result',
    )!
    t.ok(/\[cut at 65024 bytes/.test(output))
    t.ok(output.isWellFormed() && output.length < 66_000)
    const sentContent = fake.requests.at(-1)!.body.messages.at(-1)!.content
    t.ok(sentContent === output)
  },
)

t.test('The error message of an upstream is stored as it is shown', async (t) => {
  const message = `broken ${'😀'.repeat(200)}\ud800 {code}`
  const { end } = await sameEverywhere(t, { text: 'fail' }, [{ status: 400, error: { message } }])
  t.match(end, { type: 'error', code: 'MODEL_CALL_FAILED', details: { detail: /^broken 😀/ } })
})
