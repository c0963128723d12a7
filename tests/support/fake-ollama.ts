import { createHash } from 'node:crypto'
import type { Exchange, FakeVendor, Refusal, VendorReply } from '../../plugin-api/testing/fake-vendor.ts'
import { startFakeVendor, vectorOf } from '../../plugin-api/testing/fake-vendor.ts'

interface Model {
  name: string
  architecture: string
  context: number
  capabilities: string[]
  parameters?: string
}

const MODELS: Model[] = [
  {
    name: 'qwen3-vl:8b',
    architecture: 'qwen3vl',
    context: 262_144,
    capabilities: ['completion', 'vision', 'tools', 'thinking'],
    parameters: 'top_k                          20\ntemperature                    1',
  },
  {
    name: 'gemma3:4b',
    architecture: 'gemma3',
    context: 131_072,
    capabilities: ['completion', 'vision'],
    parameters: 'num_ctx                        8192\nstop                           "<end_of_turn>"',
  },
  {
    name: 'nomic-embed-text:latest',
    architecture: 'nomic-bert',
    context: 2048,
    capabilities: ['embedding'],
    parameters: 'num_ctx                        8192',
  },
  { name: 'x/z-image-turbo:latest', architecture: 'z-image', context: 512, capabilities: ['image'] },
]

/** The differences from a local server of the newest release. */
export interface FakeOllamaOptions {
  /** Asked for as a bearer token, as ollama.com and proxies do. */
  key?: string
  /** True if tool calls have ids, as they do since the end of 2025. */
  hasCallIds?: boolean
  /** True if `/api/show` reports capabilities, as it does since April 2025. */
  hasCapabilities?: boolean
  /** A model whose card cannot be read. */
  damaged?: string
}

/** Starts a fake of an Ollama server. */
export function createFakeOllama({
  key,
  hasCallIds = true,
  hasCapabilities = true,
  damaged,
}: FakeOllamaOptions = {}): Promise<FakeVendor> {
  async function serve(exchange: Exchange): Promise<void> {
    const { method, path, headers, body } = exchange.request
    if (key && headers.authorization !== `Bearer ${key}`)
      return exchange.sendJson(401, { error: 'unauthorized' })
    if (method === 'GET' && path === '/api/tags') return exchange.sendJson(200, { models: MODELS.map(toRow) })
    if (method !== 'POST' || !/^\/api\/(chat|embed|show)$/.test(path)) {
      exchange.open('text/plain')
      await exchange.write('404 page not found')
      return exchange.end()
    }
    if (!body?.model) return refuse(exchange, 400, 'model is required')
    const model = MODELS.find(({ name }) => name === body.model || name === `${body.model}:latest`)
    if (!model) return refuse(exchange, 404, notFound(path, body.model))
    if (path === '/api/show') return show(exchange, model)
    if (path === '/api/embed') return embed(exchange, model)

    const complaint = complain(model, body)
    if (complaint) return refuse(exchange, 400, complaint)
    const reply = exchange.takeReply()
    const { refusal, breakAfter, retryAfter } = reply
    if (refusal && breakAfter === undefined) {
      const [status, error] = REFUSALS[refusal]
      const pause = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) }
      return exchange.sendJson(status, { error }, pause)
    }
    return stream(exchange, reply, toLines(reply, body, { model, hasCallIds }))
  }

  function show(exchange: Exchange, { name, architecture, context, capabilities, parameters }: Model) {
    if (name === damaged) return refuse(exchange, 500, 'unexpected end of JSON input')
    exchange.sendJson(200, {
      modelfile: `FROM ${name}`,
      parameters,
      template: '{{ .Prompt }}',
      details: { parent_model: '', format: 'gguf', family: architecture, families: [architecture] },
      model_info: {
        'general.architecture': architecture,
        'general.parameter_count': 8_000_000_000,
        [`${architecture}.context_length`]: context,
        [`${architecture}.embedding_length`]: 4096,
      },
      ...(hasCapabilities && { capabilities }),
      modified_at: '2026-05-10T08:06:48.639712648-07:00',
    })
  }

  return startFakeVendor({ serve })
}

const toRow = ({ name, architecture }: Model) => ({
  name,
  model: name,
  modified_at: '2026-05-10T08:06:48.639712648-07:00',
  size: 4_683_075_271,
  digest: createHash('sha256').update(name).digest('hex'),
  details: { format: 'gguf', family: architecture, families: [architecture], parameter_size: '8.0B' },
})

const refuse = (exchange: Exchange, status: number, error: string) => exchange.sendJson(status, { error })

const notFound = (path: string, name: string) =>
  path === '/api/embed' ? `model "${name}" not found, try pulling it first` : `model '${name}' not found`

const REFUSALS: Record<Refusal, [status: number, error: string]> = {
  auth: [401, 'unauthorized'],
  quota: [
    429,
    'you (tester) have reached your weekly usage limit, upgrade for higher limits: https://ollama.com/upgrade (ref: b09c21bb)',
  ],
  rate_limit: [429, 'too many concurrent requests'],
  outage: [503, 'server busy, please try again.  maximum pending requests exceeded'],
  model_not_found: [404, 'model "qwen3-vl:8b" not found, try pulling it first'],
  bad_request: [400, 'invalid options: temperature'],
  context_too_long: [400, 'the input length exceeds the context length'],
}

interface ChatBody {
  model: string
  messages?: {
    role: string
    content?: string
    images?: string[]
    tool_calls?: { function: { arguments: unknown } }[]
  }[]
  tools?: unknown[]
  think?: unknown
  keep_alive?: unknown
  options?: Record<string, unknown>
}

/** Returns the server's refusal of a request, in its words. */
function complain({ name, capabilities }: Model, body: ChatBody): string | undefined {
  const { messages = [], tools = [], think, keep_alive, options = {} } = body
  if (!capabilities.includes('completion')) return `"${name}" does not support chat`
  if (tools.length > 0 && !capabilities.includes('tools'))
    return `registry.ollama.ai/library/${name} does not support tools`
  if (
    think !== undefined &&
    typeof think !== 'boolean' &&
    !['high', 'medium', 'low'].includes(think as string)
  )
    return `invalid think value: "${think}" (must be "high", "medium", "low", true, or false)`
  if (think && !capabilities.includes('thinking')) return `"${name}" does not support thinking`
  if (typeof keep_alive === 'string' && !/^-?(\d+(\.\d+)?(ns|us|ms|s|m|h))+$/.test(keep_alive))
    return `time: missing unit in duration "${keep_alive}"`
  for (const option of ['num_ctx', 'num_predict'])
    if (options[option] !== undefined && !Number.isInteger(options[option]))
      return `option "${option}" must be of type integer`
  for (const { role, images = [], tool_calls = [] } of messages) {
    if (!['system', 'user', 'assistant', 'tool'].includes(role))
      return `invalid role: ${role}, role must be one of [system, user, assistant, tool]`
    if (!images.every((image) => /^[A-Za-z0-9+/]+={0,2}$/.test(image)))
      return 'illegal base64 data at input byte 0'
    if (
      tool_calls.some(
        ({ function: { arguments: input } }) => typeof input !== 'object' || Array.isArray(input),
      )
    )
      return 'json: cannot unmarshal value into Go struct field ChatRequest.messages.tool_calls.function.arguments'
  }
}

type Line = Record<string, unknown>

function toLines(
  { reasoning = [], text = [], toolCalls = [], usage, finish }: VendorReply,
  { think }: ChatBody,
  { model: { name, capabilities }, hasCallIds }: { model: Model; hasCallIds: boolean },
): Line[] {
  const { input, output } = usage ?? { input: 5, output: 3 }
  const toLine = (message: object): Line => ({
    model: name,
    created_at: '2026-05-10T08:06:48.639712Z',
    message: { role: 'assistant', content: '', ...message },
    done: false,
  })
  const thinks = capabilities.includes('thinking') && think !== false
  return [
    ...(thinks ? reasoning.map((thinking) => toLine({ thinking })) : []),
    ...text.map((content) => toLine({ content })),
    ...toolCalls.map(({ id, name, input }, index) =>
      toLine({ tool_calls: [{ ...(hasCallIds && { id }), function: { index, name, arguments: input } }] }),
    ),
    {
      ...toLine({}),
      done: true,
      done_reason: finish ?? 'stop',
      total_duration: 4_883_583_458,
      load_duration: 1_334_875,
      prompt_eval_count: input,
      prompt_eval_duration: 342_546_000,
      eval_count: output,
      eval_duration: 4_535_599_000,
    },
  ]
}

async function stream(exchange: Exchange, reply: VendorReply, lines: Line[]): Promise<void> {
  const { hold, refusal, breakAfter = lines.length } = reply
  exchange.open('application/x-ndjson')
  await exchange.wait(hold)
  for (const line of lines.slice(0, breakAfter)) await exchange.write(`${JSON.stringify(line)}\n`)
  if (breakAfter === lines.length) return exchange.end()
  if (!refusal) return exchange.hangUp()
  await exchange.write(`${JSON.stringify({ error: REFUSALS[refusal][1] })}\n`)
  exchange.end()
}

function embed(exchange: Exchange, { name, capabilities }: Model) {
  if (!capabilities.includes('embedding'))
    return refuse(exchange, 501, 'this model does not support embeddings')
  const texts = [exchange.request.body.input].flat() as string[]
  exchange.sendJson(200, {
    model: name,
    embeddings: texts.map(vectorOf),
    total_duration: 14_143_917,
    load_duration: 1_019_500,
    prompt_eval_count: texts.length * 2,
  })
}
