import type { LanguageModelV3CallOptions, LanguageModelV3ToolResultOutput } from '@ai-sdk/provider'
import demo from '../../providers/demo/index.ts'
import t from '../run/file-test.ts'
import {
  callModel,
  connectionTo,
  goOn,
  listModels,
  readParts,
  said,
  toolNamed,
  wordsOf,
} from '../support/model-calls.ts'

const open = (delay_ms: number) =>
  demo.languageModel(connectionTo(undefined, { options: { delay_ms } }), 'demo')
const model = await open(0)
const tools = ['ls', 'read_file', 'write_file'].map(toolNamed)

async function answer(question: string, options: Partial<LanguageModelV3CallOptions> = {}) {
  const { parts, content, ...ending } = await callModel(model, { prompt: [said(question)], ...options })
  const textOf = (type: 'text' | 'reasoning') =>
    content.map((part) => (part.type === type ? part.text : '')).join('')
  return {
    words: wordsOf(parts),
    text: textOf('text'),
    thoughts: textOf('reasoning'),
    call: content.find((part) => part.type === 'tool-call'),
    content,
    ...ending,
  }
}

t.test(
  'an answer says that it is a demonstration and repeats the question, word by word, always the same',
  async (t) => {
    const { words, text, call, finishReason, usage } = await answer('How tall is  Mount Fuji?')
    t.match(text, 'demo model')
    t.match(text, '> How tall is  Mount Fuji?')
    t.ok(words.length > 20)
    t.notOk(call)
    t.equal(finishReason.unified, 'stop')
    t.equal(usage.inputTokens.total, 5)
    t.equal(usage.outputTokens.total, text.split(/\s+/).length)
    t.equal((await answer('How tall is  Mount Fuji?')).text, text)
  },
)

t.test('a Chinese question is answered in Chinese, a few characters at a time', async (t) => {
  const { words, text } = await answer('富士山有多高？')
  t.match(text, '演示模型')
  t.match(text, '富士山有多高？')
  t.ok(words.every((word) => word.length <= 80))
  t.ok(words.length > 30)
  t.match((await answer('帮助')).text, '列出文件')
})

t.test('help says what can be shown, and all of it works', async (t) => {
  const { text } = await answer('help')
  for (const word of ['list files', 'write_file', 'read_file', 'think', 'the **Models** page'])
    t.match(text, word)

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
    ['Write a file', 'write_file', { path: 'demo.txt', content: 'Hello from the demo model.' }],
    ['写文件 a.txt 内容：你好', 'write_file', { path: 'a.txt', content: '你好' }],
    ['read notes.txt', 'read_file', { path: 'notes.txt' }],
    ['read the file Makefile', 'read_file', { path: 'Makefile' }],
    ['读取 a.txt', 'read_file', { path: 'a.txt' }],
  ]
  for (const [question, toolName, input] of calls) {
    const { call, finishReason } = await answer(question, { tools })
    t.match(call, { toolName }, question)
    t.strictSame(JSON.parse(call!.input), input, question)
    t.equal(finishReason.unified, 'tool-calls')
  }
})

t.test('a tool that is not offered, or not to be used, is not called', async (t) => {
  const alone = await answer('list files')
  t.notOk(alone.call)
  t.match(alone.text, '`ls`')
  const forbidden = await answer('list files', { tools, toolChoice: { type: 'none' } })
  t.notOk(forbidden.call)
})

t.test('the result of a tool is talked about, an error and a refusal too', async (t) => {
  const outputs: [LanguageModelV3ToolResultOutput, string][] = [
    [{ type: 'text', value: 'a.txt 3 bytes' }, 'a.txt 3 bytes'],
    [{ type: 'json', value: { files: 2 } }, '{"files":2}'],
    [{ type: 'error-text', value: 'no such folder' }, 'no such folder'],
    [{ type: 'execution-denied', reason: 'not today' }, 'not today'],
  ]
  const { content } = await answer('list files', { tools })
  for (const [output, expected] of outputs) {
    const prompt = goOn([said('list files')], content, output)
    const { text, call } = await answer('list files', { tools, prompt })
    t.notOk(call, 'the same tool is not called again')
    t.match(text, expected)
  }
})

t.test('a thought is shown when one is asked for', async (t) => {
  const { thoughts, text } = await answer('think about life')
  t.match(thoughts, 'think about life')
  t.match(text, 'demo model')
  t.strictSame((await answer('hello')).thoughts, '')
})

t.test('an answer ends at its limit of tokens', async (t) => {
  const { words, finishReason, usage } = await answer('hello', { maxOutputTokens: 5 })
  t.equal(words.length, 5)
  t.equal(finishReason.unified, 'length')
  t.equal(usage.outputTokens.total, 5)
})

t.test('an answer can be stopped in the middle', async (t) => {
  const controller = new AbortController()
  const options = { prompt: [said('hello')], abortSignal: controller.signal }
  const { parts, error } = await readParts(await open(1000), options, ({ type }) => {
    if (type === 'text-start') setImmediate(() => controller.abort())
  })
  t.match(error, { name: 'AbortError' })
  t.notOk(parts.some(({ type }) => type === 'finish'))
})

t.test('an answer thinks, speaks and calls a tool, in this order', async (t) => {
  t.match((await answer('think, then list files', { tools })).content, [
    { type: 'reasoning', text: /think/ },
    { type: 'text', text: /`ls`/ },
    { type: 'tool-call', toolName: 'ls', input: '{}' },
  ])
})

t.test('it lists its one model and needs neither address nor key', async (t) => {
  t.match(await listModels(demo, connectionTo(undefined)), [{ id: 'demo', name: 'Demo' }])
  t.equal(demo.requires_base_url, false)
})
