import assert from 'node:assert/strict'
import type {
  JSONSchema7,
  LanguageModelV3Content,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
} from '@ai-sdk/provider'
import { assertPart } from './assert-part.ts'
import { PIXEL } from './media-samples.ts'
import { callModel, goOn, said, wordsOf } from './model-calls.ts'
import { hello, type ProviderBench, usage } from './provider-bench.ts'
import type { AddTest } from './test-function.ts'

const tool = (name: string, field: string): LanguageModelV3FunctionTool => ({
  type: 'function',
  name,
  description: `Does ${name}`,
  inputSchema: {
    type: 'object',
    properties: { [field]: { type: 'string' } },
    required: [field],
    additionalProperties: false,
  } satisfies JSONSchema7,
})

const tools = [tool('look_up', 'word'), tool('measure', 'thing')]

const toolCalls = [
  { id: 'call_one', name: 'look_up', input: { word: 'Größe “x”' } },
  { id: 'call_two', name: 'measure', input: { thing: 'a'.repeat(40) } },
]

/** Adds the cases of calls that succeed: text, reasoning, tools and pictures, as sent and as streamed back. */
export async function addAnswerCases(
  { subject, start, readRequest }: ProviderBench,
  add: AddTest,
): Promise<void> {
  const { model: modelId, lacks = [] } = subject

  await add('text streams as it is sent, with what it cost', async () => {
    const { fake, model } = await start()
    fake.queue({ text: ['One', ' two', ' — 三'], usage })
    const { parts, finishReason, usage: counted } = await callModel(model, hello)
    assert.deepEqual(wordsOf(parts), ['One', ' two', ' — 三'])
    assert.equal(finishReason.unified, 'stop')
    assert.equal(counted.inputTokens.total, usage.input, 'the usage counts the input (inputTokens.total)')
    assert.equal(counted.outputTokens.total, usage.output, 'the usage counts the output (outputTokens.total)')
    if (!lacks.includes('cached'))
      assert.equal(
        counted.inputTokens.cacheRead,
        usage.cached,
        'the usage counts what was read from the cache (inputTokens.cacheRead); if the vendor has no cache, add cached to lacks',
      )
    const request = readRequest(fake.requests[0]!)
    assertPart(request, { model: modelId, system: /Be brief\./, max_tokens: 2048 })
    assertPart(request.messages, [{ role: 'user', text: 'a private question' }])
  })

  await add('thoughts stream before the text', async () => {
    const { fake, model } = await start()
    fake.queue({ reasoning: ['Let me', ' think.'], text: ['Done.'], usage })
    const { content, usage: counted } = await callModel(model, hello)
    const spoken = content.filter(isSpoken)
    assert.deepEqual(
      spoken.map(({ type }) => type),
      ['reasoning', 'text'],
      'a call answers with its thoughts (parts of type reasoning), then with its text',
    )
    assertPart(spoken, [
      { type: 'reasoning', text: 'Let me think.' },
      { type: 'text', text: 'Done.' },
    ])
    if (!lacks.includes('reasoning_tokens'))
      assert.equal(
        counted.outputTokens.reasoning,
        usage.reasoning,
        'the usage counts the tokens of thoughts (outputTokens.reasoning); if the vendor does not say them, add reasoning_tokens to lacks',
      )
  })

  await add('an answer cut at its limit says so', async () => {
    const { fake, model } = await start()
    fake.queue({ text: ['And then'], finish: 'length' })
    assertPart(await callModel(model, hello), { finishReason: { unified: 'length' } })
  })

  await add(
    'tools are called in parallel and get their results back, with the thoughts of the turn',
    async () => {
      const { fake, model } = await start()
      fake.queue({ reasoning: ['Two things.'], text: ['Wait.'], toolCalls, usage }, { text: ['Both done.'] })
      const first = await callModel(model, { ...hello, tools })
      assert.equal(first.finishReason.unified, 'tool-calls')
      const calls = first.content.filter((part) => part.type === 'tool-call')
      assert.deepEqual(
        calls.map(({ toolName, input }) => [toolName, JSON.parse(input)]),
        toolCalls.map(({ name, input }) => [name, input]),
      )
      assert.notEqual(calls[0]!.toolCallId, calls[1]!.toolCallId)

      const prompt = goOn(
        hello.prompt,
        first.content.filter(isSpoken),
        { type: 'text', value: '42' },
        { type: 'error-text', value: 'no ruler' },
      )
      const { content } = await callModel(model, { ...hello, tools, prompt })
      assertPart(content.filter(isSpoken), [{ type: 'text', text: 'Both done.' }])

      const { messages, tools: sent } = readRequest(fake.requests[1]!)
      assertPart(sent, [
        { name: 'look_up', schema: { properties: { word: {} } } },
        { name: 'measure', schema: { properties: { thing: {} } } },
      ])
      assertPart(messages, [
        { role: 'user' },
        { role: 'assistant', toolCalls: toolCalls.map(({ name, input }) => ({ name, input })) },
        { role: 'tool', output: /42/ },
        { role: 'tool', output: /no ruler/ },
      ])
      assertPart(messages[1], { reasoning: /./ }, 'what went back')
    },
  )

  await add('tool calls of earlier turns are understood, without their thoughts and signatures', async () => {
    const { fake, model } = await start()
    const [{ id, name, input }] = toolCalls as [(typeof toolCalls)[number]]
    const prompt: LanguageModelV3Message[] = [
      said('Look it up.'),
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: name, input }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: '42' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It is 42.' }] },
      said('Sure?'),
    ]
    const { content } = await callModel(model, { ...hello, tools, prompt })
    assertPart(content.filter(isSpoken), [{ type: 'text' }])
    assertPart(readRequest(fake.requests[0]!).messages, [
      { role: 'user', text: 'Look it up.' },
      { role: 'assistant', toolCalls: [{ name, input }] },
      { role: 'tool', output: /42/ },
      { role: 'assistant', text: 'It is 42.' },
      { role: 'user', text: 'Sure?' },
    ])
  })

  await add('pictures are sent along', async () => {
    const { fake, model } = await start()
    const file = { type: 'file' as const, mediaType: 'image/png', data: PIXEL }
    await callModel(model, {
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, file] }],
    })
    assertPart(readRequest(fake.requests[0]!).messages, [
      { text: /What is it\?/, images: [{ media_type: 'image/png', base64: PIXEL }] },
    ])
  })
}

/** An empty part says nothing; libraries differ in whether they make one. */
const isSpoken = (part: LanguageModelV3Content) => part.type !== 'text' || part.text !== ''
