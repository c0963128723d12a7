import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { compileSchema } from '#kernel'
import type { ProviderConnection } from '#plugin-api'
import type { VendorReply } from '../../plugin-api/testing/fake-vendor.ts'
import { testProviderKind } from '../../plugin-api/testing/provider-kind-suite.ts'
import { explainFailure } from '../../plugins/models/providers/explained-failure.ts'
import kind from '../../providers/bedrock/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { createFakeBedrock, frame } from '../support/fake-bedrock.ts'
import {
  ADAPTIVE_MODEL,
  BUDGET_MODEL,
  CANVAS_MODEL,
  COHERE_MODEL,
  NOVA_MODEL,
  OLD_MODEL,
  RERANK_MODEL,
  TITAN_MODEL,
} from '../support/fake-bedrock-models.ts'
import type { Credentials } from '../support/fake-bedrock-rules.ts'
import { REDACTION_TRIGGER } from '../support/fake-claude.ts'
import { builtIn } from '../support/kit.ts'
import {
  callModel,
  connectionTo,
  embedTexts,
  failureOf,
  goOn,
  hello,
  listModels,
  readParts,
  said,
  startFake,
  toolNamed,
} from '../support/model-calls.ts'

const API_KEY = 'ABSKQmVkcm9ja0FQSUtleS1mYWtlLTAxMjM0NTY3ODk'
const region = 'us-east-1'
const ACCESS_KEY = {
  access_key_id: 'AKIDEXAMPLE012345678',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  session_token: 'IQoJb3JpZ2luX2VjEXAMPLE//////////wEaCXVzLWVhc3QtMSJHMEUCIQ==',
}

testProviderKind({
  ...builtIn(t),
  kind,
  startFake: () => createFakeBedrock({ api_key: API_KEY, region }),
  api_key: API_KEY,
  options: { region, thinking: true },
  model: ADAPTIVE_MODEL,
  embedding_model: TITAN_MODEL,
  image_model: CANVAS_MODEL,
  reranking_model: RERANK_MODEL,
  lacks: ['reasoning_tokens'],
  environment: [
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'AWS_REGION',
    'AWS_ENDPOINT_URL',
    'AWS_ENDPOINT_URL_BEDROCK_RUNTIME',
  ],
  readRequest({ path, body }) {
    const textOf = (blocks: Block[]) => blocks.map(({ text = '' }) => text).join('')
    return {
      model: decodeURIComponent(path.split('/')[2]!),
      system: textOf(body.system ?? []),
      messages: body.messages.flatMap(({ role, content }: { role: string; content: Block[] }) => {
        if (role === 'assistant')
          return {
            role,
            text: textOf(content),
            reasoning: content
              .map(({ reasoningContent }) => reasoningContent?.reasoningText?.text ?? '')
              .join(''),
            toolCalls: content.flatMap(({ toolUse }) =>
              toolUse ? [{ name: toolUse.name, input: toolUse.input }] : [],
            ),
          }
        const results = content.flatMap(({ toolResult }) => toolResult ?? [])
        if (results.length > 0)
          return results.map(({ content }) => ({ role: 'tool', output: textOf(content) }))
        const images = content.flatMap(({ image }) => image ?? [])
        return {
          role,
          text: textOf(content),
          images: images.map(({ format, source }) => ({
            media_type: `image/${format}`,
            base64: source.bytes,
          })),
        }
      }),
      tools: (body.toolConfig?.tools ?? []).map(({ toolSpec }: Block) => ({
        name: toolSpec.name,
        schema: toolSpec.inputSchema.json,
      })),
      max_tokens: body.inferenceConfig?.maxTokens,
    }
  },
})

// biome-ignore lint/suspicious/noExplicitAny: blocks of many forms, read by what they are expected to be
type Block = any

const tools = [toolNamed('ls')]
const listing: VendorReply = { toolCalls: [{ id: 'tooluse_1', name: 'ls', input: {} }] }

async function start(t: Test, options: object = {}, allowed: Partial<Credentials> = { api_key: API_KEY }) {
  const fake = await startFake(t, createFakeBedrock({ region, ...allowed }))
  const connection = connectionTo(fake.url, { api_key: API_KEY, options: { region, ...options } })
  return { fake, connection, open: (model = ADAPTIVE_MODEL) => kind.languageModel(connection, model) }
}

/** A connection whose every request is answered by `answer` instead of the network. */
const connect = (answer: (request: Request) => Response, more: Partial<ProviderConnection> = {}) =>
  connectionTo(undefined, {
    api_key: API_KEY,
    options: { region },
    fetch: async (input, init) => answer(new Request(input, init)),
    ...more,
  })

const call = async (connection: ProviderConnection, modelId = ADAPTIVE_MODEL) =>
  callModel(await kind.languageModel(connection, modelId))

t.test('an access key signs calls, embeddings and lists, with its session token or without', async (t) => {
  for (const { session_token, ...key } of [ACCESS_KEY, { ...ACCESS_KEY, session_token: undefined }]) {
    const credentials = { ...key, ...(session_token && { session_token }) }
    const { fake, connection } = await start(t, credentials, credentials)
    const signed = { ...connection, api_key: undefined }
    // The colon of this id is escaped in the address, and escaped once more in what is signed.
    t.match((await call(signed, BUDGET_MODEL)).content, [{ text: 'All is well.' }])
    await embedTexts(kind, signed, TITAN_MODEL, ['größer'])
    t.ok((await listModels(kind, signed)).length > 0)
    t.equal(fake.requests.length, 5)
    for (const { headers } of fake.requests) t.match(headers, { authorization: /^AWS4-HMAC-SHA256 / })

    const wrong = {
      ...signed,
      options: { ...signed.options, secret_access_key: 'another-secret-0123456789' },
    }
    t.strictSame(await failureOf(listModels(kind, wrong), kind), {
      reason: 'auth',
      status: 403,
    })
  }
})

t.test('half an access key signs nothing, and an API key goes before a whole one', async (t) => {
  const { fake, connection } = await start(t, ACCESS_KEY)
  await call(connection)
  t.equal(fake.requests[0]!.headers.authorization, `Bearer ${API_KEY}`)
  t.notOk('x-amz-security-token' in fake.requests[0]!.headers)

  const half = {
    ...connection,
    api_key: undefined,
    options: { region, access_key_id: ACCESS_KEY.access_key_id },
  }
  t.match(await failureOf(call(half), kind), {
    reason: 'auth',
  })
  t.notOk('authorization' in fake.requests[1]!.headers)
})

t.test('models are called and listed at the hosts of the region', async (t) => {
  const hostsFor = async (options: object, base_url?: string) => {
    const hosts: string[] = []
    const refuse = (request: Request) => {
      hosts.push(new URL(request.url).host)
      return Response.json({ message: 'no' }, { status: 500 })
    }
    const connection = connect(refuse, { options: options as Record<string, unknown>, base_url })
    await failureOf(call(connection), kind)
    await failureOf(listModels(kind, connection), kind)
    return hosts
  }
  t.strictSame(await hostsFor({ region: 'eu-west-3' }), [
    'bedrock-runtime.eu-west-3.amazonaws.com',
    'bedrock.eu-west-3.amazonaws.com',
  ])
  t.strictSame(await hostsFor({ region: 'eusc-de-east-1' }), [
    'bedrock-runtime.eusc-de-east-1.amazonaws.eu',
    'bedrock.eusc-de-east-1.amazonaws.eu',
  ])
  t.strictSame(await hostsFor({ region }, 'https://bedrock-runtime-fips.us-east-1.amazonaws.com/'), [
    'bedrock-runtime-fips.us-east-1.amazonaws.com',
    'bedrock-fips.us-east-1.amazonaws.com',
  ])
  t.strictSame(await hostsFor({ region }, 'https://bedrock.example.com'), [
    'bedrock.example.com',
    'bedrock.example.com',
  ])
})

t.test('a region is part of a host and of nothing else', async (t) => {
  const validate = compileSchema(kind.config_schema, 'json')
  for (const region of ['us-east-1', 'us-gov-west-1', 'ap-southeast-5', 'eusc-de-east-1'])
    validate({ region })
  for (const region of [
    '',
    'evil.com/',
    'us-east-1.evil.com',
    'us-east-1@evil.com',
    'US-EAST-1',
    'us-east-1\n',
  ])
    t.throws(() => validate({ region }), region)
  t.throws(() => validate({}), 'none is not enough')
  const { secret_access_key, session_token, access_key_id } = kind.config_schema.properties as Record<
    string,
    object
  >
  t.match([secret_access_key, session_token], [{ writeOnly: true }, { writeOnly: true }])
  t.notMatch(access_key_id, { writeOnly: true })
})

t.test('Claude thinks as its generation can, and only where the provider says so', async (t) => {
  const adaptive = { type: 'adaptive', display: 'summarized' }
  const cases: [string, object, object | undefined][] = [
    [ADAPTIVE_MODEL, {}, undefined],
    [ADAPTIVE_MODEL, { thinking: true }, { thinking: adaptive }],
    [
      ADAPTIVE_MODEL,
      { thinking: true, effort: 'max' },
      { thinking: adaptive, output_config: { effort: 'max' } },
    ],
    [ADAPTIVE_MODEL, { effort: 'low' }, { output_config: { effort: 'low' } }],
    [ADAPTIVE_MODEL, { thinking: false }, { thinking: { type: 'disabled' } }],
    [BUDGET_MODEL, { effort: 'max' }, undefined],
    [BUDGET_MODEL, { thinking: false }, undefined],
    [BUDGET_MODEL, { thinking: true }, { thinking: { type: 'enabled', budget_tokens: 4096 } }],
    [
      BUDGET_MODEL,
      { thinking: true, thinking_budget: 1024 },
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
    [OLD_MODEL, { thinking: true, effort: 'high' }, undefined],
    [NOVA_MODEL, { thinking: true, effort: 'high' }, undefined],
  ]
  const validate = compileSchema(kind.config_schema, 'json')
  const { fake, connection } = await start(t)
  for (const [model, more, expected] of cases) {
    const options = { region, ...more }
    validate(structuredClone(options))
    await call({ ...connection, options }, model)
    const { additionalModelRequestFields } = fake.requests.at(-1)!.body
    t.strictSame(additionalModelRequestFields, expected, `${model} ${JSON.stringify(more)}`)
  }
})

t.test(
  'the limit holds for thoughts and text together, and a small one leaves no room for thoughts',
  async (t) => {
    const { fake, open } = await start(t, { thinking: true, thinking_budget: 4000 })
    const model = await open(BUDGET_MODEL)
    await callModel(model, { ...hello, maxOutputTokens: 500 })
    await callModel(model, { ...hello, maxOutputTokens: 64_000 })
    t.strictSame(
      fake.requests.map(({ body }) => [
        body.inferenceConfig.maxTokens,
        body.additionalModelRequestFields?.thinking.budget_tokens,
      ]),
      [
        [500, undefined],
        [64_000, 4000],
      ],
    )
  },
)

t.test('signed and redacted thoughts go back with the next step', async (t) => {
  const { fake, open } = await start(t, { thinking: true })
  const model = await open(BUDGET_MODEL)
  for (const text of ['Hello', REDACTION_TRIGGER]) {
    fake.queue({ reasoning: ['Let me', ' look.'], ...listing })
    const { content } = await callModel(model, { prompt: [said(text)], tools })
    // The fake refuses a thought whose signature is gone or changed, and a budget without its thought.
    await callModel(model, { tools, prompt: goOn([said(text)], content) })
  }
  const sent = fake.requests.map(({ body }) => body.messages[1]?.content[0].reasoningContent)
  t.match(sent[1], { reasoningText: { text: 'Let me look.', signature: /^Er/ } })
  t.match(sent[3], { redactedContent: /./ })
})

t.test('the prompt is cached at every step, where and as the model can', async (t) => {
  const { fake, open } = await start(t)
  const prompt: LanguageModelV3Message[] = [{ role: 'system', content: 'Be brief.' }, said('Hello')]
  const point = { cachePoint: { type: 'default' } }
  const marksOf = ({ body }: { body: Block }) =>
    [{ content: body.system }, ...body.messages].map(({ content }) =>
      content
        .map((block: Block, n: number) => (block.cachePoint ? n : undefined))
        .filter((n?: number) => n !== undefined),
    )
  for (const [model, first, second] of [
    [BUDGET_MODEL, [[1], [1]], [[1], [], [], [1]]],
    [NOVA_MODEL, [[1], [1]], [[1], [1], [], []]],
    [OLD_MODEL, [[], []], [[], [], [], []]],
  ] as const) {
    const opened = await open(model)
    fake.queue({ text: ['Wait.'], ...listing })
    const { content } = await callModel(opened, { prompt, tools })
    await callModel(opened, { tools, prompt: goOn(prompt, content) })
    t.strictSame(fake.requests.slice(-2).map(marksOf), [first, second], model)
  }
  t.strictSame(fake.requests[0]!.body.messages, [{ role: 'user', content: [{ text: 'Hello' }, point] }])
})

t.test('models that are not known to cache are not asked to', async (t) => {
  const isAsked = async (model: string) => {
    let body: Promise<string> | undefined
    const connection = connect((request) => {
      body = request.text()
      return Response.json({ message: 'no' }, { status: 500 })
    })
    await failureOf(call(connection, model), kind)
    return (await body!).includes('cachePoint')
  }
  for (const model of [
    'anthropic.claude-3-5-haiku-20241022-v1:0',
    'global.anthropic.claude-sonnet-5',
    'us.amazon.nova-pro-v1:0',
  ])
    t.ok(await isAsked(model), model)
  for (const model of [
    'anthropic.claude-3-5-sonnet-20240620-v1:0',
    'anthropic.claude-v2:1',
    'us.amazon.nova-2-lite-v1:0',
    'us.deepseek.r1-v1:0',
    'openai.gpt-oss-120b-1:0',
  ])
    t.notOk(await isAsked(model), model)
})

t.test(
  'exceptions within a stream are sorted by their name, those the library passes over too',
  async (t) => {
    const reasons = {
      throttlingException: 'rate_limit',
      internalServerException: 'outage',
      modelStreamErrorException: 'outage',
      serviceUnavailableException: 'outage',
      validationException: 'bad_request',
      modelTimeoutException: 'timeout',
      accessDeniedException: 'auth',
      expiredTokenException: 'auth',
      serviceQuotaExceededException: 'quota',
    }
    const word = frame('event', 'contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hm' } })
    for (const [name, reason] of Object.entries(reasons)) {
      const bytes = Buffer.concat([word, frame('exception', name, { message: `It was ${name}.` })])
      const connection = connect(() => new Response(bytes))
      const { parts, error } = await readParts(await kind.languageModel(connection, ADAPTIVE_MODEL))
      t.strictSame(
        parts.map(({ type }) => type),
        ['stream-start', 'response-metadata', 'text-start', 'text-delta', 'error'],
        name,
      )
      t.match(error, { message: `It was ${name}.` })
      t.strictSame(explainFailure(error, kind), { reason })
    }
  },
)

/** Connects to an upstream whose models have these targets by the path of their lookup; calls are refused. */
function connectToTargets(targets: Record<string, object>) {
  const lookups: string[] = []
  const bodies: Block[] = []
  const connection = connectionTo(undefined, {
    api_key: API_KEY,
    options: { region, thinking: true },
    fetch: async (input, init) => {
      const path = decodeURIComponent(new URL(String(input)).pathname)
      if (init?.method === 'POST') {
        bodies.push(JSON.parse(String(init.body)))
        return Response.json({ message: 'no' }, { status: 500 })
      }
      lookups.push(path)
      const target = targets[path]
      return target ? Response.json(target) : Response.json({ message: 'not allowed' }, { status: 403 })
    },
  })
  return { connection, lookups, bodies }
}

t.test('a profile of the account and provisioned throughput are treated as their model', async (t) => {
  const profile = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123'
  const provisioned = 'arn:aws:bedrock:us-east-1:123456789012:provisioned-model/def456'
  const modelArn = 'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-4-8'
  const paths = {
    [profile]: `/inference-profiles/${profile}`,
    [provisioned]: `/provisioned-model-throughput/${provisioned}`,
  }
  for (const [id, path] of Object.entries(paths)) {
    const target = { models: [{ modelArn }], foundationModelArn: modelArn }
    const { connection, lookups, bodies } = connectToTargets({ [path]: target })
    const model = await kind.languageModel(connection, id)
    for (let n = 0; n < 2; n += 1) await failureOf(callModel(model, { ...hello, temperature: 0.5 }), kind)
    t.strictSame(lookups, [path], 'the upstream is asked once')
    t.match(bodies[1], {
      additionalModelRequestFields: { thinking: { type: 'adaptive', display: 'summarized' } },
      messages: [{ content: [{}, { cachePoint: {} }] }],
      inferenceConfig: undefined,
    })
  }
})

t.test('a profile that the key may not read is called without its model', async (t) => {
  const id = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123'
  const { connection, lookups, bodies } = connectToTargets({})
  const model = await kind.languageModel(connection, id)
  for (let n = 0; n < 2; n += 1) await failureOf(callModel(model), kind)
  t.equal(lookups.length, 1)
  t.strictSame(bodies[1].additionalModelRequestFields, undefined)
})

t.test('an answer with tools is not streamed if the model streams none', async (t) => {
  const paths: string[] = []
  const connection = connect((request) => {
    paths.push(new URL(request.url).pathname.split('/').at(-1)!)
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm.' } } },
      { text: 'I look.' },
      { toolUse: { toolUseId: 'tooluse_1', name: 'ls', input: { path: '.' } } },
    ]
    const usage = { inputTokens: 7, outputTokens: 3, totalTokens: 10 }
    return Response.json({
      output: { message: { role: 'assistant', content } },
      stopReason: 'tool_use',
      usage,
    })
  })
  const model = await kind.languageModel(connection, 'us.meta.llama3-3-70b-instruct-v1:0')
  const options = { ...hello, tools, adaptations: ['no_tools_stream'] } as typeof hello
  const { content, finishReason, usage } = await callModel(model, options)
  t.match(content, [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'I look.' },
    { type: 'tool-call', toolName: 'ls', input: '{"path":"."}' },
  ])
  t.match(finishReason, { unified: 'tool-calls' })
  t.match(usage, { inputTokens: { total: 7 }, outputTokens: { total: 3 } })
  await callModel(model, { ...options, tools: undefined })
  t.strictSame(paths, ['converse', 'converse-stream'])
})

t.test('JSON is asked for by its schema or an instruction, beside the tools of the call', async (t) => {
  const schema = { type: 'object', properties: { answer: { type: 'string' } } } as const
  const asked = async (model: string) => {
    const { connection, bodies } = connectToTargets({})
    const options = {
      ...hello,
      tools,
      stopSequences: [' ', 'END'],
      responseFormat: { type: 'json' as const, schema },
    }
    await failureOf(callModel(await kind.languageModel(connection, model), options), kind)
    const { toolConfig, system, additionalModelRequestFields, inferenceConfig } = bodies.at(-1)
    t.match(toolConfig, { tools: [{ toolSpec: { name: 'ls' } }], toolChoice: undefined }, model)
    t.strictSame(inferenceConfig.stopSequences, ['END'])
    return {
      instruction: system?.[0]?.text ?? '',
      format: additionalModelRequestFields?.output_config?.format,
    }
  }
  t.match(await asked('us.anthropic.claude-sonnet-4-5-20250929-v1:0'), {
    instruction: /^$/,
    format: { type: 'json_schema' },
  })
  for (const model of ['us.anthropic.claude-opus-4-8', NOVA_MODEL])
    t.match(await asked(model), { instruction: /"answer".*\n.*JSON object/, format: undefined }, model)
})

t.test('a refusal shows the setting that is refused', (t) => {
  const cases = {
    no_cache_points: 'You invoked an unsupported model or your request did not allow prompt caching.',
    no_tools_stream: "This model doesn't support tool use in streaming mode.",
    no_thinking: 'extraneous key [thinking] is not permitted',
    output_8192: 'The maximum tokens you requested exceeds the model limit of 8192.',
    no_sampling: '`temperature` and `top_p` cannot both be specified for this model.',
  }
  for (const [name, message] of Object.entries(cases)) {
    const report = { headers: {}, body: undefined, error: {}, code: '', type: '', message }
    const needed = Object.entries(kind.adaptations!).filter(([, adaptation]) => adaptation.isNeeded(report))
    t.strictSame(
      needed.map(([name]) => name),
      [name],
      message,
    )
  }
  t.end()
})

t.test('an answer that does not end, or whose frames are broken, fails', async (t) => {
  const word = frame('event', 'contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hm' } })
  const changed = Buffer.from(word)
  changed[changed.length - 8]! ^= 1
  for (const bytes of [Buffer.from(word), Buffer.from(word).subarray(0, -5), changed]) {
    t.strictSame(await failureOf(call(connect(() => new Response(bytes))), kind), { reason: 'outage' })
  }
})

t.test('refusals are classified by the exception and, if that is not enough, by its message', async (t) => {
  const refused = async (name: string, status: number, message: string) => {
    const headers = { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/` }
    const answer = () => Response.json({ message }, { status, headers })
    return failureOf(call(connect(answer)), kind)
  }
  const cases: [string, number, string, string][] = [
    ['AccessDeniedException', 403, 'You don’t have access to the model with the specified model ID.', 'auth'],
    ['AccessDeniedException', 403, 'Model access is denied due to INVALID_PAYMENT_INSTRUMENT: …', 'quota'],
    ['UnrecognizedClientException', 403, 'The security token included in the request is invalid.', 'auth'],
    ['ExpiredTokenException', 400, 'The security token included in the request is expired', 'auth'],
    ['ThrottlingException', 429, 'Too many requests, please wait before trying again.', 'rate_limit'],
    ['ThrottlingException', 429, 'Too many tokens per day, please wait before trying again.', 'quota'],
    ['ServiceQuotaExceededException', 400, 'Your request exceeds the service quota.', 'quota'],
    ['ModelNotReadyException', 429, 'The model is not ready for inference.', 'outage'],
    ['ModelErrorException', 424, 'The model returned an error.', 'outage'],
    ['ModelTimeoutException', 408, 'The model took too long.', 'timeout'],
    [
      'ResourceNotFoundException',
      404,
      'This model version has reached the end of its life.',
      'model_not_found',
    ],
    [
      'ValidationException',
      400,
      'The maximum tokens you requested exceeds the model limit of 64000.',
      'bad_request',
    ],
    ['InternalServerException', 500, 'Something went wrong.', 'outage'],
  ]
  for (const [name, status, message, reason] of cases)
    t.strictSame(await refused(name, status, message), { reason, status }, `${name}: ${message}`)
})

t.test('a model that is called only by its profile is not found by its own id', async (t) => {
  const { open } = await start(t)
  for (const id of [ADAPTIVE_MODEL.slice('us.'.length), 'nobody.nothing-v1:0'])
    t.strictSame(await failureOf(callModel(await open(id)), kind), {
      reason: 'model_not_found',
      status: 400,
    })
})

t.test('what can be called is listed, models at once and others by their profiles', async (t) => {
  const { fake, connection } = await start(t)
  const models = await listModels(kind, connection)
  t.strictSame(models, [
    {
      id: OLD_MODEL,
      name: `anthropic ${OLD_MODEL.split('.')[1]}`,
      model_kind: 'chat',
      input: ['text', 'image'],
    },
    { id: NOVA_MODEL, name: 'amazon nova-lite-v1:0', model_kind: 'chat', input: ['text', 'image'] },
    { id: TITAN_MODEL, name: 'amazon titan-embed-text-v2:0', model_kind: 'embedding', input: ['text'] },
    { id: COHERE_MODEL, name: 'cohere embed-multilingual-v3', model_kind: 'embedding', input: ['text'] },
    { id: CANVAS_MODEL, name: 'amazon nova-canvas-v1:0', model_kind: 'image', input: ['text', 'image'] },
    { id: 'cohere.rerank-v3-5:0', name: 'cohere rerank-v3-5:0', model_kind: 'rerank', input: ['text'] },
    {
      id: ADAPTIVE_MODEL,
      name: `US ${ADAPTIVE_MODEL.slice(3)}`,
      model_kind: 'chat',
      input: ['text', 'image'],
    },
    { id: BUDGET_MODEL, name: `US ${BUDGET_MODEL.slice(3)}`, model_kind: 'chat', input: ['text', 'image'] },
    {
      id: 'us.stability.stable-image-core-v1:1',
      name: 'US stability.stable-image-core-v1:1',
      model_kind: 'image',
      input: ['text'],
    },
  ])
  t.strictSame(
    fake.requests.map(({ path }) => path),
    [
      '/foundation-models',
      '/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED',
      '/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED&nextToken=2',
    ],
  )
})

t.test('a Cohere model embeds several texts at once', async (t) => {
  const { fake, connection } = await start(t)
  const { embeddings, usage } = await embedTexts(kind, connection, COHERE_MODEL, ['one', 'two', 'one'])
  t.equal(embeddings.length, 3)
  t.strictSame(embeddings[0], embeddings[2])
  t.notSame(embeddings[0], embeddings[1])
  t.strictSame(usage, { tokens: 3 })
  t.equal(fake.requests.length, 1)
})
