import { startFakeVendor } from '../../plugin-api/testing/fake-vendor.ts'
import { explainFailure } from '../../plugins/models/providers/explained-failure.ts'
import anthropic from '../../providers/anthropic/index.ts'
import azure from '../../providers/azure-openai/index.ts'
import bedrock from '../../providers/bedrock/index.ts'
import google from '../../providers/google/index.ts'
import ollama from '../../providers/ollama/index.ts'
import openai from '../../providers/openai/index.ts'
import compatible from '../../providers/openai-compatible/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { encodeEvent } from '../support/fixture-wires.ts'
import { callModel, connectionTo, errorOf, hello, startFake } from '../support/model-calls.ts'

interface Answer {
  status?: number
  type?: string
  headers?: Record<string, string>
  /** Sent as it is if it is a text or bytes, otherwise as JSON. */
  body: unknown
}

const words = (message: string, fields: object = {}): Answer => ({ body: { error: { message, ...fields } } })
const errorOfAnthropic = (message: string, type = 'invalid_request_error'): Answer => ({
  body: { type: 'error', error: { type, message } },
})
const ofAws = (message: string, name = 'ValidationException'): Answer => ({
  headers: { 'x-amzn-errortype': name },
  body: { message },
})
const ofGoogle = (message: string): Answer => words(message, { code: 400, status: 'INVALID_ARGUMENT' })
const stream = (...events: object[]): Answer => ({
  status: 200,
  type: 'text/event-stream',
  body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
})
const event = (type: string, payload: object): Answer => ({
  status: 200,
  type: 'text/event-stream',
  body: `event: ${type}\ndata: ${JSON.stringify({ type, ...payload })}\n\n`,
})

/** The ways in which vendors, gateways and local servers say that a prompt is longer than its model takes. */
const TOO_LONG: Record<string, Answer[]> = {
  anthropic: [
    errorOfAnthropic('prompt is too long: 213462 tokens > 200000 maximum'),
    errorOfAnthropic(
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    ),
    { ...errorOfAnthropic('Request exceeds the maximum size', 'request_too_large'), status: 413 },
    event('error', { error: { type: 'invalid_request_error', message: 'prompt is too long' } }),
  ],
  openai: [
    words('Your input exceeds the context window of this model. Please adjust your input and try again.', {
      code: 'context_length_exceeded',
      type: 'invalid_request_error',
    }),
    words(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens. Please reduce the length of the messages.',
      { code: 'context_length_exceeded', type: 'invalid_request_error' },
    ),
    words(
      "Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
      { code: 'string_above_max_length', type: 'invalid_request_error' },
    ),
    event('response.failed', {
      response: {
        id: 'resp_1',
        object: 'response',
        status: 'failed',
        output: [],
        error: {
          code: 'context_length_exceeded',
          message:
            'Your input exceeds the context window of this model. Please adjust your input and try again.',
        },
      },
    }),
    event('error', {
      error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'Too long.' },
    }),
  ],
  'azure-openai': [
    words(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens. Please reduce the length of the messages.",
      { code: 'context_length_exceeded', type: 'invalid_request_error', param: 'messages' },
    ),
    event('error', {
      error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'Too long.' },
    }),
  ],
  bedrock: [
    ofAws('Input is too long for requested model.'),
    ofAws('The model returned the following errors: prompt is too long: 208310 tokens > 200000 maximum'),
    ofAws(
      'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length for model.',
    ),
    ofAws("This model's maximum context length is 128000 tokens. Please reduce the length of the prompt"),
    ofAws(
      'Malformed input request: expected maxLength: 42000, actual: 46735, please reformat your input and try again.',
    ),
    ofAws('The model returned the following errors: too many total text bytes: 26134752 > 26000000'),
    {
      status: 200,
      type: 'application/vnd.amazon.eventstream',
      body: encodeEvent([
        ':exception validationException',
        { message: 'Input is too long for requested model.' },
      ]),
    },
  ],
  google: [
    ofGoogle('The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'),
    ofGoogle('The input token count exceeds the maximum number of tokens allowed 1048576.'),
    ofGoogle(
      'Unable to submit request because the input token count is 1059837 but model only supports up to 1048576. Reduce the input token count and try again.',
    ),
    ofGoogle('Request payload size exceeds the limit: 20971520 bytes.'),
  ],
  ollama: [
    { body: { error: 'the input length exceeds the context length' } },
    { body: { error: 'prompt too long; exceeded max context length by 5 tokens' } },
    {
      body: {
        error: JSON.stringify({
          error: {
            code: 400,
            message:
              'request (8889 tokens) exceeds the available context size (4096 tokens), try increasing it',
            type: 'exceed_context_size_error',
          },
        }),
      },
    },
    {
      body: {
        error:
          'the prompt is longer than the context length currently available to the model; shorten it or set num_ctx',
      },
    },
    {
      status: 200,
      type: 'application/x-ndjson',
      body: `${JSON.stringify({ error: 'the input length exceeds the context length' })}\n`,
    },
  ],
  'openai-compatible': [
    // vLLM
    words(
      "This model's maximum context length is 16384 tokens. However, your request has 18225 input tokens. Please reduce the length of the input messages.",
      { type: 'BadRequestError', code: 400 },
    ),
    words(
      "You passed 9001 input tokens and requested 0 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8191 tokens.",
    ),
    {
      body: {
        object: 'error',
        message: 'The prompt (total length 9000) is too long to fit into the model (context length 8192).',
        code: 400,
      },
    },
    // SGLang
    words("The input (160062 tokens) is longer than the model's context length (59862 tokens)."),
    words(
      'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use a shorter input.',
    ),
    words(
      "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 140000 tokens.",
    ),
    // llama.cpp, llama-cpp-python and RKLLM
    words('request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it', {
      code: 400,
      type: 'exceed_context_size_error',
    }),
    {
      ...words(
        'the request exceeds the available context size. try increasing the context size or enable context shift',
        {
          code: 500,
          type: 'exceed_context_size_error',
        },
      ),
      status: 500,
    },
    {
      ...words('Context size has been exceeded.', { code: 500, type: 'server_error' }),
      status: 500,
    },
    words('Requested tokens (2285) exceed context window of 2048'),
    words('Prompt is 11543 tokens but the model context window is 4096 tokens.'),
    // LM Studio
    {
      body: {
        error:
          'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input.',
      },
    },
    words(
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter prompt.',
    ),
    {
      status: 200,
      type: 'text/event-stream',
      body: 'event: error\ndata: {"error":{"message":"Trying to keep the first 8000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}}\n\n',
    },
    stream({
      error: 'The number of tokens to keep from the initial prompt is greater than the context length.',
    }),
    // DeepSeek, Mistral, Qwen, Kimi, MiniMax and Zhipu
    words(
      "This model's maximum context length is 65536 tokens. However, you requested 69648 tokens (69648 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
      { type: 'invalid_request_error', code: 'invalid_request_error' },
    ),
    {
      body: {
        object: 'error',
        message:
          'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        type: 'invalid_request_prompt',
        code: '3051',
      },
    },
    words('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]', {
      code: 'invalid_parameter_error',
    }),
    words('Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)', {
      type: 'invalid_request_error',
    }),
    {
      status: 200,
      body: { base_resp: { status_code: 2013, status_msg: 'invalid params, context window exceeds limit' } },
    },
    words('Prompt exceeds max length', { code: '1261' }),
    // xAI, Groq, Cerebras, Together, OpenRouter, Cohere, Fireworks, GitHub Copilot and LiteLLM
    {
      body: {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    },
    words('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' }),
    words(
      'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
    ),
    words(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens',
    ),
    words(
      'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 200000 tokens (190000 of text input, 10000 in the output). Please reduce the length of either one, or use the "middle-out" transform.',
      { code: 400 },
    ),
    {
      body: {
        message:
          'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5292. Try using a shorter prompt.',
      },
    },
    words('The prompt is too long: 150000, model maximum context length: 131071'),
    words('prompt token count of 70000 exceeds the limit of 64000', {
      code: 'model_max_prompt_tokens_exceeded',
    }),
    words(
      'litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: Too much.',
    ),
    words('Input length 131393 exceeds the maximum allowed input length of 131040 tokens.'),
    words('Prompt has 40,000 tokens, but the configured context size is 32,768 tokens'),
    { status: 413, type: 'text/html', body: '<html><h1>413 Request Entity Too Large</h1></html>' },
    words('输入内容过长，请缩短后重试'),
    words('输入长度超过最大长度'),
  ],
}

/** Refusals with similar words that a shorter history does not help against. */
const OTHERS: Record<string, Answer[]> = {
  anthropic: [
    errorOfAnthropic(
      'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3',
    ),
    errorOfAnthropic(
      'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
    ),
  ],
  openai: [
    words("Invalid 'tools': array too long. Expected an array with maximum length 128.", {
      code: 'array_above_max_length',
    }),
  ],
  'azure-openai': [words('The response was filtered.', { code: 'content_filter' })],
  bedrock: [
    ofAws(
      'The maximum tokens you requested exceeds the model limit of 2048. Try again with a maximum tokens value that is lower than 2048.',
    ),
    { ...ofAws('Too many tokens, please wait before trying again.', 'ThrottlingException'), status: 429 },
  ],
  google: [
    ofGoogle(
      'Unable to submit request because it has a maxOutputTokens value of 70000 but the supported range is from 1 to 65537.',
    ),
  ],
  ollama: [{ body: { error: 'model requires more system memory (8 GiB) than is available (4 GiB)' } }],
  'openai-compatible': [
    words('max_tokens is too large: 32000. This model supports at most 16384 completion tokens.'),
    words('Range of max_tokens should be [1, 8192]'),
    words(
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40.",
    ),
    {
      ...words('Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.', {
        code: 'rate_limit_exceeded',
      }),
      status: 429,
    },
  ],
}

const SUBJECTS = {
  anthropic: { kind: anthropic, model: 'claude-haiku-4-5-20251001' },
  openai: { kind: openai, model: 'gpt-4.1' },
  'azure-openai': { kind: azure, model: 'gpt-4.1' },
  bedrock: {
    kind: bedrock,
    model: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    options: { region: 'us-east-1' },
  },
  google: { kind: google, model: 'gemini-2.5-flash' },
  ollama: { kind: ollama, model: 'qwen3' },
  'openai-compatible': { kind: compatible, model: 'some-model' },
} as const

/** Returns the failure of a call that is answered like this. */
async function explain(t: Test, name: keyof typeof SUBJECTS, { status = 400, type, headers, body }: Answer) {
  const { kind, model, ...more } = SUBJECTS[name]
  const fake = await startFake(
    t,
    startFakeVendor({
      async serve({ sendJson, request, open, write, end, send }) {
        // Facts about the model.
        if (request.path.endsWith('/api/show')) return sendJson(200, {})
        if (type === undefined) return sendJson(status, body, headers)
        if (status !== 200) return send(status, type, body as string)
        open(type, headers)
        await write(body as string | Uint8Array)
        end()
      },
    }),
  )
  const connection = connectionTo(fake.url, { api_key: 'k-0123456789', ...more })
  const error = await errorOf(callModel(await kind.languageModel(connection, model), hello))
  return explainFailure(error, kind)
}

for (const name of Object.keys(SUBJECTS) as (keyof typeof SUBJECTS)[])
  t.test(`${name}: a prompt that is too long is distinguished from other refusals`, async (t) => {
    for (const answer of TOO_LONG[name]!)
      t.match(
        await explain(t, name, answer),
        { reason: 'bad_request', is_too_long: true },
        JSON.stringify(answer.body),
      )
    for (const answer of OTHERS[name]!)
      t.equal((await explain(t, name, answer)).is_too_long, undefined, JSON.stringify(answer.body))
  })
