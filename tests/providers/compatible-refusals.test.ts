import { Readable } from 'node:stream'
import type { ModelCallOptions } from '#plugin-api'
import { readReport } from '../../plugins/models/providers/upstream-report.ts'
import type { AdaptationName } from '../../providers/openai-compatible/adaptations.ts'
import { createFailures } from '../../providers/openai-compatible/failure.ts'
import kind from '../../providers/openai-compatible/index.ts'
import t from '../run/file-test.ts'
import { callModel, connectionTo, hello, startAnswering } from '../support/model-calls.ts'

/** Refusals as vendors and gateways word them, with the one change that each shows to be needed. */
const REFUSALS: [AdaptationName | undefined, string][] = [
  ['no_stream_options', 'Unrecognized request argument supplied: stream_options'],
  [
    'max_completion_tokens',
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ],
  ['no_max_tokens', 'max_tokens is too large: 32000. This model supports at most 16384 completion tokens.'],
  ['no_max_tokens', 'Range of max_tokens should be [1, 8192]'],
  ['no_sampling', "Unsupported value: 'temperature' does not support 0.2 with this model."],
  ['no_sampling', '`temperature` and `top_p` cannot both be specified for this model.'],
  ['no_sampling', 'Argument not supported on this model: presencePenalty'],
  ['no_stop', "Unsupported parameter: 'stop' is not supported with this model."],
  ['no_reasoning_effort', 'Model grok-4 does not support parameter reasoningEffort.'],
  ['no_reasoning_effort', 'This model does not support thinking'],
  ['no_reasoning_content', "property 'reasoning_content' is unsupported, did you mean 'reasoning'?"],
  ['no_reasoning_content', "messages.2: property 'reasoning' is unsupported"],
  [
    'empty_reasoning_content',
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
  ],
  ['empty_reasoning_content', 'The reasoning_content in the thinking mode must be passed back to the API.'],
  [
    'empty_reasoning_content',
    'Missing `reasoning_content` field in the assistant message at message index 2.',
  ],
  ['no_json_schema', 'This response_format type is unavailable now'],
  ['no_response_format', "'response_format.type' must be 'json_schema' or 'text'"],
  [
    'no_tool_choice',
    'The tool_choice parameter does not support being set to required or object in thinking mode',
  ],
  ['answer_after_results', "Unexpected role 'user' after role 'tool'"],
  ['short_call_ids', 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.'],
  [
    'short_call_ids',
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40.",
  ],
  ['short_call_ids', "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"],
  [
    undefined,
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).",
  ],
  [undefined, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  [undefined, 'Invalid image url: only https is supported'],
  [undefined, 'This model does not support image input'],
  [undefined, 'The model stopped: unsupported model'],
]

const reportOf = async (status: number, body: unknown) =>
  readReport(
    await createFailures('http://upstream.test').refused({
      status,
      headers: {},
      body: Readable.from([Buffer.from(JSON.stringify(body))]),
    }),
  )

const findNeeded = (report: ReturnType<typeof readReport>) =>
  Object.entries(kind.adaptations!).flatMap(([name, { isNeeded }]) => (isNeeded(report) ? [name] : []))

t.test('a refusal of a setting shows the one change that is needed', async (t) => {
  for (const [name, message] of REFUSALS) {
    const expected = name ? [name] : []
    t.strictSame(findNeeded(await reportOf(400, { error: { message } })), expected, message)
    t.strictSame(findNeeded(await reportOf(429, { error: { message } })), [], `${message}, as a rate limit`)
  }
  const detail = [
    { type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' },
  ]
  t.strictSame(findNeeded(await reportOf(422, { detail })), ['no_stream_options'])
})

t.test('each change reaches the wire', async (t) => {
  const answer = 'data: {"choices":[{"delta":{"content":"{}"},"finish_reason":"stop"}]}\n\n'
  const fake = await startAnswering(t, answer)
  const model = await kind.languageModel(connectionTo(fake.url), 'some-model')
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  }
  const send = async (...adaptations: AdaptationName[]) => {
    const options: ModelCallOptions = {
      prompt: [
        { role: 'system', content: 'Be brief.' },
        ...hello.prompt,
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm.' },
            { type: 'tool-call', toolCallId: 'functions.ls:0', toolName: 'ls', input: 'no object' },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'functions.ls:0',
              toolName: 'ls',
              output: { type: 'text', value: 'a' },
            },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'And?' }] },
      ],
      tools: [{ type: 'function', name: 'ls', inputSchema: { type: 'object' } }],
      toolChoice: { type: 'auto' },
      maxOutputTokens: 9,
      temperature: 0.5,
      stopSequences: ['.'],
      reasoning: 'low',
      responseFormat: { type: 'json', schema: schema as object },
      adaptations,
    }
    await callModel(model, options)
    return fake.requests.at(-1)!.body
  }
  const plain = await send()
  t.match(plain, {
    stream_options: { include_usage: true },
    max_tokens: 9,
    temperature: 0.5,
    stop: ['.'],
    reasoning_effort: 'low',
    tool_choice: 'auto',
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
  })
  t.match(plain.messages[2], {
    reasoning_content: 'Hm.',
    tool_calls: [{ id: 'functions.ls:0', function: { arguments: '{"input":"no object"}' } }],
  })

  t.notOk('stream_options' in (await send('no_stream_options')))
  t.match(await send('max_completion_tokens'), { max_tokens: undefined, max_completion_tokens: 9 })
  t.notOk('max_tokens' in (await send('no_max_tokens')))
  t.notOk('temperature' in (await send('no_sampling')))
  t.notOk('stop' in (await send('no_stop')))
  t.notOk('reasoning_effort' in (await send('no_reasoning_effort')))
  t.notOk('tool_choice' in (await send('no_tool_choice')))
  t.notOk('reasoning_content' in (await send('no_reasoning_content')).messages[2])
  t.equal((await send('no_reasoning_content', 'empty_reasoning_content')).messages[2].reasoning_content, '')
  const short = await send('short_call_ids')
  t.match(short.messages[2].tool_calls[0].id, /^[a-zA-Z0-9]{9}$/)
  t.equal(short.messages[3].tool_call_id, short.messages[2].tool_calls[0].id)
  const rolesOf = ({ messages }: { messages: { role: string }[] }) =>
    messages.slice(3).map(({ role }) => role)
  t.strictSame(rolesOf(plain), ['tool', 'user'])
  t.strictSame(rolesOf(await send('answer_after_results')), ['tool', 'assistant', 'user'])
  const described = await send('no_json_schema')
  t.strictSame(described.response_format, { type: 'json_object' })
  t.match(described.messages[0], { role: 'system', content: /^Be brief\.\n\n.*"required":\["a"\]/s })
  const worded = await send('no_json_schema', 'no_response_format')
  t.notOk('response_format' in worded)
  t.match(worded.messages[0].content, /JSON Schema/)
})
