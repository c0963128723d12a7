import type {
  JSONSchema7,
  LanguageModelV3Content,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
} from '@ai-sdk/provider'
import { assertPart, assertSame } from './assert-part.ts'
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

  await add(
    'text streams as it is sent, with what it cost',
    async () => {
      const { fake, model } = await start()
      fake.queue({ text: ['One', ' two', ' — 三'], usage })
      const { parts, finishReason, usage: counted } = await callModel(model, hello)
      assertSame(wordsOf(parts).join(''), 'One two — 三', 'the streamed text')
      assertSame(finishReason.unified, 'stop', 'finishReason.unified')
      assertSame(counted.inputTokens.total, usage.input, 'usage.inputTokens.total')
      assertSame(counted.outputTokens.total, usage.output, 'usage.outputTokens.total')
      if (!lacks.includes('cached'))
        assertSame(
          counted.inputTokens.cacheRead,
          usage.cached,
          'usage.inputTokens.cacheRead (add cached to lacks if the vendor does not say it)',
        )
      const request = readRequest(fake.requests[0]!)
      assertPart(request, { model: modelId, system: /Be brief\./, max_tokens: 2048 }, 'the request')
      assertPart(
        request.messages,
        [{ role: 'user', text: 'a private question' }],
        'the messages of the request',
      )
    },
    'Let languageModel pass on each delta, the usage and the finish of the stream, and let readRequest read the request as it was sent (includeUsage or the like asks some vendors for the usage).',
  )

  await add(
    'thoughts stream before the text',
    async () => {
      const { fake, model } = await start()
      fake.queue({ reasoning: ['Let me', ' think.'], text: ['Done.'], usage })
      const { content, usage: counted } = await callModel(model, hello)
      const spoken = content.filter(isSpoken)
      assertSame(
        spoken.map(({ type }) => type),
        ['reasoning', 'text'],
        'the parts of an answer with thoughts, by type',
      )
      assertPart(
        spoken,
        [
          { type: 'reasoning', text: 'Let me think.' },
          { type: 'text', text: 'Done.' },
        ],
        'the parts of an answer with thoughts',
      )
      if (!lacks.includes('reasoning_tokens'))
        assertSame(
          counted.outputTokens.reasoning,
          usage.reasoning,
          'usage.outputTokens.reasoning (add reasoning_tokens to lacks if the vendor does not say it)',
        )
    },
    'Let languageModel stream what the vendor calls thoughts as parts of type reasoning-start, reasoning-delta and reasoning-end before the text; if its package reads another field than your fake sends, use a fake with the field of the vendor.',
  )

  await add(
    'an answer cut at its limit says so',
    async () => {
      const { fake, model } = await start()
      fake.queue({ text: ['And then'], finish: 'length' })
      assertPart(await callModel(model, hello), { finishReason: { unified: 'length' } }, 'the answer')
    },
    "Let the finish of the stream have finishReason.unified: 'length' if the vendor cut the answer at its limit.",
  )

  await add(
    'tools are called in parallel and get their results back, with the thoughts of the turn',
    async () => {
      const { fake, model } = await start()
      fake.queue({ reasoning: ['Two things.'], text: ['Wait.'], toolCalls, usage }, { text: ['Both done.'] })
      const first = await callModel(model, { ...hello, tools })
      assertSame(first.finishReason.unified, 'tool-calls', 'finishReason.unified')
      const calls = first.content.filter((part) => part.type === 'tool-call')
      assertSame(
        calls.map(({ toolName, input }) => [toolName, JSON.parse(input)]),
        toolCalls.map(({ name, input }) => [name, input]),
        'the names and inputs of the parts of type tool-call',
      )
      assertSame(
        new Set(calls.map(({ toolCallId }) => toolCallId)).size,
        2,
        'the number of different toolCallIds',
      )

      const prompt = goOn(
        hello.prompt,
        first.content.filter(isSpoken),
        { type: 'text', value: '42' },
        { type: 'error-text', value: 'no ruler' },
      )
      const { content } = await callModel(model, { ...hello, tools, prompt })
      assertPart(content.filter(isSpoken), [{ type: 'text', text: 'Both done.' }], 'the second answer')

      const { messages, tools: sent } = readRequest(fake.requests[1]!)
      assertPart(
        sent,
        [
          { name: 'look_up', schema: { properties: { word: {} } } },
          { name: 'measure', schema: { properties: { thing: {} } } },
        ],
        'the tools of the request',
      )
      assertPart(
        messages,
        [
          { role: 'user' },
          { role: 'assistant', toolCalls: toolCalls.map(({ name, input }) => ({ name, input })) },
          { role: 'tool', output: /42/ },
          { role: 'tool', output: /no ruler/ },
        ],
        'the messages of the second request',
      )
      assertPart(messages[1], { reasoning: /./ }, 'the answer with its thoughts, as it was sent back')
    },
    'Let languageModel stream tool calls as parts of type tool-call with JSON in input, and send the results and thoughts of the prompt back to the vendor; let readRequest read both.',
  )

  await add(
    'tool calls of earlier turns are understood, without their thoughts and signatures',
    async () => {
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
      assertPart(content.filter(isSpoken), [{ type: 'text' }], 'the answer')
      assertPart(
        readRequest(fake.requests[0]!).messages,
        [
          { role: 'user', text: 'Look it up.' },
          { role: 'assistant', toolCalls: [{ name, input }] },
          { role: 'tool', output: /42/ },
          { role: 'assistant', text: 'It is 42.' },
          { role: 'user', text: 'Sure?' },
        ],
        'the messages of the request',
      )
    },
    'Let languageModel accept a prompt whose tool calls lack the thoughts and signatures of the vendor: they come from another model.',
  )

  await add(
    'pictures are sent along',
    async () => {
      const { fake, model } = await start()
      const file = { type: 'file' as const, mediaType: 'image/png', data: PIXEL }
      await callModel(model, {
        prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, file] }],
      })
      assertPart(
        readRequest(fake.requests[0]!).messages,
        [{ text: /What is it\?/, images: [{ media_type: 'image/png', base64: PIXEL }] }],
        'the messages of the request',
      )
    },
    'Let languageModel send parts of type file along, and let readRequest return them as images.',
  )
}

/** An empty part says nothing; libraries differ in whether they make one. */
const isSpoken = (part: LanguageModelV3Content) => part.type !== 'text' || part.text !== ''
