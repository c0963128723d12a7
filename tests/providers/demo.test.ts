import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolResultOutput,
} from '@ai-sdk/provider'
import t from 'tap'
import demo from '../../providers/demo/index.ts'

const connection = (options = {}) => ({ base_url: undefined, api_key: undefined, options, fetch })
const model = await demo.languageModel(connection({ delay_ms: 0 }), 'demo')
const inputSchema = { type: 'object' } as const
const tools = ['ls', 'read_file', 'write_file'].map((name) => ({
  type: 'function' as const,
  name,
  inputSchema,
}))

const asked = (text: string): LanguageModelV3Prompt => [{ role: 'user', content: [{ type: 'text', text }] }]

async function answer(options: LanguageModelV3CallOptions) {
  const { stream } = await model.doStream(options)
  const parts: LanguageModelV3StreamPart[] = []
  for await (const part of stream) parts.push(part)
  const deltas = (type: 'text-delta' | 'reasoning-delta') =>
    parts.flatMap((part) => (part.type === type ? part.delta : []))
  const call = parts.find((part) => part.type === 'tool-call')
  const finish = parts.find((part) => part.type === 'finish')!
  return {
    words: deltas('text-delta'),
    text: deltas('text-delta').join(''),
    thoughts: deltas('reasoning-delta'),
    call,
    finish,
  }
}

t.test(
  'an answer says that it is a demonstration and repeats the question, word by word, always the same',
  async (t) => {
    const { words, text, call, finish } = await answer({ prompt: asked('How tall is  Mount Fuji?') })
    t.match(text, 'demonstration model')
    t.match(text, '> How tall is  Mount Fuji?')
    t.ok(words.length > 20)
    t.notOk(call)
    t.match(finish, { finishReason: { unified: 'stop' } })
    t.equal(finish.usage.inputTokens.total, 5)
    t.equal(finish.usage.outputTokens.total, text.split(/\s+/).length)
    t.equal((await answer({ prompt: asked('How tall is  Mount Fuji?') })).text, text)
  },
)

t.test('a Chinese question is answered in Chinese, a few characters at a time', async (t) => {
  const { words, text } = await answer({ prompt: asked('富士山有多高？') })
  t.match(text, '演示模型')
  t.match(text, '富士山有多高？')
  t.ok(words.every((word) => word.length <= 80))
  t.ok(words.length > 30)
  t.match((await answer({ prompt: asked('帮助') })).text, '列出文件')
})

t.test('help says what can be shown, and all of it works', async (t) => {
  const { text } = await answer({ prompt: asked('help') })
  for (const word of ['list files', 'write_file', 'read_file', 'think', '/api/providers']) t.match(text, word)

  const calls: [string, string, object][] = [
    ['ls', 'ls', {}],
    ['ls notes/old', 'ls', { path: 'notes/old' }],
    ['Please list the files here', 'ls', {}],
    ['列出文件', 'ls', {}],
    [
      'write a file notes.txt saying Good morning.\nAll of you.',
      'write_file',
      { path: 'notes.txt', content: 'Good morning.\nAll of you.' },
    ],
    ['Write a file', 'write_file', { path: 'demo.txt', content: 'Hello from the demonstration model.' }],
    ['写文件 a.txt 内容：你好', 'write_file', { path: 'a.txt', content: '你好' }],
    ['read notes.txt', 'read_file', { path: 'notes.txt' }],
    ['read the file Makefile', 'read_file', { path: 'Makefile' }],
    ['读取 a.txt', 'read_file', { path: 'a.txt' }],
  ]
  for (const [question, toolName, input] of calls) {
    const { call, finish } = await answer({ prompt: asked(question), tools })
    t.match(call, { toolName }, question)
    t.strictSame(JSON.parse(call!.input), input, question)
    t.equal(finish.finishReason.unified, 'tool-calls')
  }
})

t.test('a tool that is not offered, or not to be used, is not called', async (t) => {
  const alone = await answer({ prompt: asked('list files') })
  t.notOk(alone.call)
  t.match(alone.text, '`ls`')
  const forbidden = await answer({ prompt: asked('list files'), tools, toolChoice: { type: 'none' } })
  t.notOk(forbidden.call)
})

t.test('the result of a tool is talked about, an error and a refusal too', async (t) => {
  const outputs: [LanguageModelV3ToolResultOutput, string][] = [
    [{ type: 'text', value: 'a.txt 3 bytes' }, 'a.txt 3 bytes'],
    [{ type: 'json', value: { files: 2 } }, '{"files":2}'],
    [{ type: 'error-text', value: 'no such folder' }, 'no such folder'],
    [{ type: 'execution-denied', reason: 'not today' }, 'not today'],
  ]
  for (const [output, said] of outputs) {
    const { text, call } = await answer({
      tools,
      prompt: [
        ...asked('list files'),
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'ls', input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'ls', output }] },
      ],
    })
    t.notOk(call, 'the same tool is not called again')
    t.match(text, said)
  }
})

t.test('a thought is shown when one is asked for', async (t) => {
  const { thoughts, text } = await answer({ prompt: asked('think about life') })
  t.match(thoughts.join(''), 'think about life')
  t.match(text, 'demonstration model')
  t.strictSame((await answer({ prompt: asked('hello') })).thoughts, [])
})

t.test('an answer ends at its limit of tokens', async (t) => {
  const { words, finish } = await answer({ prompt: asked('hello'), maxOutputTokens: 5 })
  t.equal(words.length, 5)
  t.match(finish, { finishReason: { unified: 'length' }, usage: { outputTokens: { total: 5 } } })
})

t.test('an answer can be stopped in the middle', async (t) => {
  const slow = await demo.languageModel(connection({ delay_ms: 1000 }), 'demo')
  const controller = new AbortController()
  const { stream } = await slow.doStream({ prompt: asked('hello'), abortSignal: controller.signal })
  const reading = (async () => {
    for await (const part of stream) if (part.type === 'text-start') setImmediate(() => controller.abort())
  })()
  await t.rejects(reading, { name: 'AbortError' })
})

t.test('a generated result says the same as the stream', async (t) => {
  const options = { prompt: asked('think, then list files'), tools }
  const { content, usage } = await model.doGenerate(options)
  const { text, thoughts, finish } = await answer(options)
  t.match(content, [
    { type: 'reasoning', text: thoughts.join('') },
    { type: 'text', text },
    { type: 'tool-call', toolName: 'ls', input: '{}' },
  ])
  t.strictSame(usage, finish.usage)
})

t.test('it lists its one model and needs neither address nor key', async (t) => {
  t.match(await demo.listModels(connection(), AbortSignal.timeout(1000)), [
    { id: 'demo', name: /Demonstration/ },
  ])
  t.equal(demo.requires_base_url, false)
})
