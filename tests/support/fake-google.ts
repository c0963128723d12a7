import { createHash } from 'node:crypto'
import type { Exchange, FakeVendor, Refusal, VendorReply } from '../../plugin-api/testing/fake-vendor.ts'
import { startFakeVendor, vectorOf } from '../../plugin-api/testing/fake-vendor.ts'
import { PIXEL, SPOKEN } from '../../plugin-api/testing/media-samples.ts'
import { type Content, complain, type Part, type Thinking } from './fake-google-rules.ts'

const MODELS = [
  { name: 'gemini-2.0-flash', displayName: 'Gemini 2.0 Flash', outputTokenLimit: 8192 },
  { name: 'gemini-2.5-flash', displayName: 'Gemini 2.5 Flash', outputTokenLimit: 65_536, thinking: true },
  {
    name: 'gemini-2.5-flash-lite',
    displayName: 'Gemini 2.5 Flash-Lite',
    outputTokenLimit: 65_536,
    thinking: true,
  },
  { name: 'gemini-3.5-flash', displayName: 'Gemini 3.5 Flash', outputTokenLimit: 65_536, thinking: true },
  { name: 'gemini-3.5-transcribe', displayName: 'Gemini 3.5 Transcribe', outputTokenLimit: 65_536 },
  { name: 'imagen-4.0-generate-001', displayName: 'Imagen 4', methods: ['predict'], inputTokenLimit: 480 },
  {
    name: 'gemini-embedding-001',
    displayName: 'Gemini Embedding 001',
    methods: ['embedContent', 'countTextTokens', 'countTokens', 'asyncBatchEmbedContent'],
    inputTokenLimit: 2048,
    outputTokenLimit: 1,
  },
].map(({ name, methods, ...facts }) => ({
  name: `models/${name}`,
  version: '001',
  inputTokenLimit: 1_048_576,
  ...facts,
  supportedGenerationMethods: methods ?? ['generateContent', 'countTokens', 'createCachedContent'],
  temperature: 1,
}))

const TYPE = 'type.googleapis.com/google.rpc.'

/** Starts a fake of the Gemini API that returns at most `pageSize` models per page. */
export function createFakeGoogle({
  key,
  pageSize = 1000,
}: {
  key: string
  pageSize?: number
}): Promise<FakeVendor> {
  /** Signatures made so far; only these are known again. */
  const signatures = new Set<string>()

  async function serve(exchange: Exchange): Promise<void> {
    const { method, path, headers, body } = exchange.request
    const url = new URL(path, 'http://fake')
    const apiKey = headers['x-goog-api-key'] ?? url.searchParams.get('key')
    if (!apiKey) return refuse(exchange, UNREGISTERED)
    if (apiKey !== key) return refuse(exchange, REFUSALS.auth())
    if (method === 'GET' && url.pathname === '/v1beta/models') return list(exchange, url.searchParams)

    if (method === 'POST' && url.pathname === '/v1beta/interactions') return transcribe(exchange)
    const [, id, call = ''] = /^\/v1beta\/models\/([^/:]+):(\w+)$/.exec(url.pathname) ?? []
    const model = MODELS.find(({ name }) => name === `models/${id}`)
    const needed =
      { streamGenerateContent: 'generateContent', batchEmbedContents: 'embedContent' }[call] ?? call
    if (method !== 'POST' || !model?.supportedGenerationMethods.includes(needed))
      return refuse(exchange, notFound(id ?? '', call))
    if (call === 'predict') return draw(exchange, id!)
    if (call === 'embedContent') {
      if (body.model !== model.name) return refuse(exchange, invalid('model does not match the URL'))
      return exchange.sendJson(200, { embedding: embed(body.content) })
    }
    if (call === 'batchEmbedContents')
      return exchange.sendJson(200, {
        embeddings: body.requests.map((one: { content: Content }) => embed(one.content)),
      })

    const complaint = complain({ id: id!, canThink: model.thinking === true }, body, signatures)
    if (complaint) return refuse(exchange, invalid(complaint))
    const reply = exchange.takeReply()
    const { refusal, breakAfter, retryAfter } = reply
    if (refusal && breakAfter === undefined) return refuse(exchange, REFUSALS[refusal](retryAfter, id))
    const chunks = toChunks(reply, { id: id!, thinking: body.generationConfig?.thinkingConfig, signatures })
    return stream(exchange, reply, chunks)
  }

  function list(exchange: Exchange, query: URLSearchParams): void {
    const start = Number(query.get('pageToken') ?? 0)
    const end = start + Math.min(Number(query.get('pageSize') ?? 50), pageSize)
    const nextPageToken = end < MODELS.length ? String(end) : undefined
    exchange.sendJson(200, { models: MODELS.slice(start, end), nextPageToken })
  }

  return startFakeVendor({ basePath: '/v1beta', serve })
}

/** The answer of Imagen. */
async function draw(exchange: Exchange, id: string): Promise<void> {
  const { instances, parameters } = exchange.request.body
  const { refusal, retryAfter, hold } = exchange.takeReply()
  if (refusal) return refuse(exchange, REFUSALS[refusal](retryAfter, id))
  await exchange.wait(hold)
  if (!instances?.[0]?.prompt || !/^(1:1|3:4|4:3|9:16|16:9)$/.test(parameters?.aspectRatio))
    return refuse(exchange, invalid('Invalid value at parameters.aspectRatio'))
  exchange.sendJson(200, { predictions: [{ bytesBase64Encoded: PIXEL, mimeType: 'image/png' }] })
}

/** The answer of the Interactions API to a recording. */
async function transcribe(exchange: Exchange): Promise<void> {
  const { model, input } = exchange.request.body
  const { refusal, retryAfter, hold } = exchange.takeReply()
  if (refusal) return refuse(exchange, REFUSALS[refusal](retryAfter, model))
  await exchange.wait(hold)
  if (!input?.[0]?.data || !/^audio\//.test(input[0].mime_type))
    return refuse(exchange, invalid('Invalid value at input'))
  exchange.sendJson(200, { steps: [{ type: 'model_output', content: [{ type: 'text', text: SPOKEN }] }] })
}

type Chunk = ReturnType<typeof toChunk>

async function stream(exchange: Exchange, reply: VendorReply, chunks: Chunk[]): Promise<void> {
  const { hold, breakAfter = chunks.length, refusal, retryAfter } = reply
  if (new URL(exchange.request.path, 'http://fake').searchParams.get('alt') !== 'sse')
    throw new Error('the stream is asked for as a JSON array')
  exchange.open('text/event-stream')
  await exchange.wait(hold)
  for (const chunk of chunks.slice(0, breakAfter))
    await exchange.write(`data: ${JSON.stringify(chunk)}\r\n\r\n`)
  if (breakAfter === chunks.length) return exchange.end()
  if (!refusal) return exchange.hangUp()
  // An error halfway is not an event: the service ends the body with the bare object.
  await exchange.write(JSON.stringify({ error: REFUSALS[refusal](retryAfter) }, null, 2))
  exchange.end()
}

function toChunks(
  reply: VendorReply,
  { id, thinking, signatures }: { id: string; thinking?: Thinking; signatures: Set<string> },
): Chunk[] {
  const { reasoning = [], text = [], toolCalls = [], finish } = reply
  const thoughtSignature = createHash('sha256').update(JSON.stringify(reply)).digest('base64')
  signatures.add(thoughtSignature)
  const parts: Part[] = [
    ...(thinking?.includeThoughts ? reasoning.map((text) => ({ text, thought: true })) : []),
    ...text.map((text) => ({ text })),
    ...toolCalls.map(({ id, name, input }, index) => ({
      functionCall: { name, args: input, id },
      // Of parallel calls only the first is signed.
      ...(index === 0 && { thoughtSignature }),
    })),
  ]
  const last: Part = { text: '', ...(toolCalls.length === 0 && { thoughtSignature }) }
  const finishReason = finish === 'length' ? 'MAX_TOKENS' : 'STOP'
  return [...parts.map((part) => toChunk(id, part, reply)), toChunk(id, last, reply, finishReason)]
}

function toChunk(id: string, part: Part, { usage }: VendorReply, finishReason?: string) {
  const { input, cached, output, reasoning } = usage ?? { input: 5, cached: 0, output: 3, reasoning: 0 }
  return {
    candidates: [
      { content: { parts: [part], role: 'model' }, ...(finishReason && { finishReason }), index: 0 },
    ],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output - reasoning,
      totalTokenCount: input + output,
      ...(cached > 0 && {
        cachedContentTokenCount: cached,
        cacheTokensDetails: [{ modality: 'TEXT', tokenCount: cached }],
      }),
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
      ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
      serviceTier: 'standard',
    },
    modelVersion: id,
    responseId: 'R5sqaJaWNrPYj8MPjK2X2Q4',
  }
}

interface RpcError {
  code: number
  message: string
  status: string
  details?: object[]
}

const error = (code: number, status: string, message: string, details?: object[]): RpcError => ({
  code,
  message,
  status,
  ...(details && { details }),
})

const invalid = (message: string) => error(400, 'INVALID_ARGUMENT', message)

const notFound = (id: string, call: string) =>
  error(
    404,
    'NOT_FOUND',
    `models/${id} is not found for API version v1beta, or is not supported for ${call}. Call ModelService.ListModels to see the list of available models and their supported methods.`,
  )

const UNREGISTERED = error(
  403,
  'PERMISSION_DENIED',
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
)

const BAD_KEY = 'API key not valid. Please pass a valid API key.'

const exhausted = (quotaId: string, seconds: number) =>
  error(
    429,
    'RESOURCE_EXHAUSTED',
    `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. \n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 20\nPlease retry in ${seconds}s.`,
    [
      {
        '@type': `${TYPE}QuotaFailure`,
        violations: [
          {
            quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
            quotaId,
            quotaDimensions: { location: 'global', model: 'gemini-3.5-flash' },
            quotaValue: '20',
          },
        ],
      },
      { '@type': `${TYPE}Help`, links: [{ description: 'Learn more about Gemini API quotas' }] },
      { '@type': `${TYPE}RetryInfo`, retryDelay: `${seconds}s` },
    ],
  )

const REFUSALS: Record<Refusal, (retryAfter?: number, model?: string) => RpcError> = {
  auth: () => ({
    ...invalid(BAD_KEY),
    details: [
      {
        '@type': `${TYPE}ErrorInfo`,
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
        metadata: { service: 'generativelanguage.googleapis.com' },
      },
      { '@type': `${TYPE}LocalizedMessage`, locale: 'en-US', message: BAD_KEY },
    ],
  }),
  quota: () => exhausted('GenerateRequestsPerDayPerProjectPerModel-FreeTier', 33),
  rate_limit: (seconds = 1) => exhausted('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', seconds),
  outage: () => error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
  model_not_found: (_, model) => notFound(model ?? '', 'generateContent'),
  bad_request: () => invalid('Request contains an invalid argument.'),
  context_too_long: () =>
    invalid('The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).'),
}

const refuse = (exchange: Exchange, error: RpcError) => exchange.sendJson(error.code, { error })

const embed = ({ parts = [] }: Content) => ({ values: vectorOf(parts.map(({ text }) => text).join('')) })
