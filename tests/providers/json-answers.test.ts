import type { JSONSchema7, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ProviderKind } from '#plugin-api'
import azure from '../../providers/azure-openai/index.ts'
import google from '../../providers/google/index.ts'
import openai from '../../providers/openai/index.ts'
import t from '../run/file-test.ts'
import { connectionTo, hello, readParts, toolNamed, wordsOf } from '../support/model-calls.ts'

const schema: JSONSchema7 = {
  type: 'object',
  properties: { city: { type: 'string', format: 'hostname' }, tags: { type: 'array' } },
  required: ['city', 'none'],
}
const asJson: Partial<LanguageModelV3CallOptions> = { responseFormat: { type: 'json' } }
const bySchema: Partial<LanguageModelV3CallOptions> = { responseFormat: { type: 'json', schema } }
const withTools = { tools: [toolNamed('read_file')] }
const chat = { options: { api: 'chat' } }

type Settings = { options?: Record<string, unknown>; adaptations?: string[] }

/** Calls a model of a kind, whose upstream answers with these events; returns what it was sent and what it said. */
async function call(
  kind: ProviderKind,
  model: string,
  asked: Partial<LanguageModelV3CallOptions>,
  { options = {}, adaptations }: Settings = {},
  events: object[] = [],
) {
  // biome-ignore lint/suspicious/noExplicitAny: each API has another form
  let body: any
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const connection = connectionTo('https://vendor.example.com/v1', {
    api_key: 'a-key',
    options,
    fetch: (_, init) => {
      body = JSON.parse(String(init?.body))
      return Promise.resolve(new Response(text, { headers: { 'content-type': 'text/event-stream' } }))
    },
  })
  const opened = await kind.languageModel!(connection as never, model)
  const { parts } = await readParts(opened, { ...hello, ...asked, ...(adaptations && { adaptations }) })
  const said = JSON.stringify(body.messages ?? body.input ?? [body.systemInstruction, body.contents])
  return { body, said, words: wordsOf(parts).join(''), finish: parts.find(({ type }) => type === 'finish') }
}

t.test('JSON is asked of OpenAI and Azure in the form of each API', async (t) => {
  for (const kind of [openai, azure]) {
    const responses = await call(kind, 'gpt-4.1', { ...bySchema, ...withTools })
    t.match(responses.body.text.format, { type: 'json_schema', strict: false, schema })
    t.match(responses.body.tools, [{ name: 'read_file' }])
    const chats = await call(kind, 'gpt-4.1', { ...bySchema, ...withTools }, chat)
    t.match(chats.body.response_format, { type: 'json_schema', json_schema: { strict: false, schema } })
    // Without a schema, the word must be in the prompt.
    const plain = await call(kind, 'gpt-4.1', asJson)
    t.match(plain.body.text.format, { type: 'json_object' })
    t.match(plain.said, /JSON/)
    const inWords = await call(kind, 'gpt-4.1', bySchema, { ...chat, adaptations: ['json_in_words'] })
    t.notOk(inWords.body.response_format)
    t.match(inWords.said, /hostname/)
  }
})

t.test('JSON is asked of Gemini beside tools, in words of models that refuse both', async (t) => {
  const later = await call(google, 'gemini-3.5-flash', { ...bySchema, ...withTools })
  t.match(later.body.generationConfig, {
    responseMimeType: 'application/json',
    responseSchema: {
      properties: { city: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
      required: ['city'],
    },
  })
  t.notOk(later.body.generationConfig.responseSchema.properties.city.format)
  t.match(later.body.tools, [{ functionDeclarations: [{ name: 'read_file' }] }])
  const earlier = await call(google, 'gemini-2.5-flash', { ...bySchema, ...withTools })
  t.notOk(earlier.body.generationConfig.responseMimeType)
  t.match(earlier.said, /JSON Schema/)
  const alone = await call(google, 'gemini-2.5-flash', bySchema)
  t.equal(alone.body.generationConfig.responseMimeType, 'application/json')
})

t.test('Stop sequences are sent to APIs that know them', async (t) => {
  const stops = { stopSequences: ['END', '\n\n'] }
  t.strictSame((await call(openai, 'gpt-4.1', stops, chat)).body.stop, ['END', '\n\n'])
  t.strictSame((await call(azure, 'gpt-4.1', stops, chat)).body.stop, ['END', '\n\n'])
  const { body } = await call(google, 'gemini-2.5-flash', stops)
  t.strictSame(body.generationConfig.stopSequences, ['END', '\n\n'])
})

t.test('The Responses API has no stop sequences, so its text is ended here', async (t) => {
  const say = (...deltas: string[]) => [
    ...deltas.map((delta) => ({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta })),
    { type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'm' } },
    { type: 'response.completed', response: { usage: { input_tokens: 3, output_tokens: 2 } } },
  ]
  const stops = { stopSequences: ['END', '##'] }
  for (const [deltas, words] of [
    [['one EN', 'D two'], 'one '],
    [['one EN', 'TRY'], 'one ENTRY'],
    [['one #', '#', 'END two'], 'one '],
    [['one', ' E'], 'one E'],
    [['END'], ''],
  ] as const) {
    const answer = await call(openai, 'gpt-4.1', stops, {}, say(...deltas))
    t.equal(answer.words, words)
    t.match(answer.finish, { finishReason: { unified: 'stop' }, usage: { inputTokens: { total: 3 } } })
  }
})
