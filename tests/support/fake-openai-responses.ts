import { setImmediate as letOthersRead } from 'node:timers/promises'
import { answerMedia, MEDIA_PATHS } from '../../plugin-api/testing/fake-media.ts'
import { type Exchange, type FakeVendor, startFakeVendor } from '../../plugin-api/testing/fake-vendor.ts'
import { streamChat } from './fake-openai-chat.ts'
import { eventsOf } from './fake-openai-events.ts'
import { findChatFault, findResponsesFault, type IssuedThoughts } from './fake-openai-faults.ts'
import { type RefusalWords, refusalWords, type VendorWords } from './fake-openai-refusals.ts'

/** A model that a fake offers; on Azure a deployment, whose model may have another name. */
export interface FakeModel {
  id: string
  model?: string
  isReasoning?: boolean
  isEmbedding?: boolean
}

export interface FakeOpenAIOptions {
  key: string
  flavour?: 'openai' | 'azure'
  models: FakeModel[]
  /** True if the organization may see summaries of thoughts. */
  isVerified?: boolean
  /** True if each delta of a thought is a separate part of the summary. */
  isPartPerThought?: boolean
  /** True if Azure lists its deployments to API keys. */
  listsDeployments?: boolean
}

interface Route {
  path: string
  deployment?: string
  apiVersion?: string
}

/** OpenAI's service, or Azure's: Responses, what is needed of Chat Completions, embeddings, lists. */
export async function createFakeOpenAIResponses(options: FakeOpenAIOptions): Promise<FakeVendor> {
  const { key, flavour = 'openai', models, listsDeployments = true } = options
  const isAzure = flavour === 'azure'
  const words = refusalWords(flavour)
  const issued: IssuedThoughts = new Map()
  let answers = 0

  async function sendMedia(exchange: Exchange, { path, id }: { path: string; id: string }): Promise<void> {
    const { body } = exchange.request
    const { refusal, retryAfter, hold } = exchange.takeReply()
    if (refusal) {
      const { headers, ...said } = words.of(refusal, { model: id, retryAfter })
      return refuse(exchange, said, headers)
    }
    await exchange.wait(hold)
    const { status, type, body: sent } = answerMedia(path, { model: id, ...body })
    exchange.send(status, type, sent)
  }

  async function answer(exchange: Exchange, { path, deployment }: Route): Promise<void> {
    const { body } = exchange.request
    const id = deployment ?? body?.model
    const model = models.find((model) => model.id === id)
    if (typeof id !== 'string') return refuse(exchange, words.missing('model'))
    const isChat = path === '/chat/completions'
    const absent = isChat ? words.noChatModel(id) : words.noModel(id)
    if (!model) return refuse(exchange, absent)
    if (path === '/embeddings')
      return model.isEmbedding ? embed(exchange, model) : refuse(exchange, words.cannotEmbed(id))
    if (MEDIA_PATHS.includes(path)) return sendMedia(exchange, { path, id })
    const context = { body, model, issued, isVerified: options.isVerified ?? true }
    const fault = isChat ? findChatFault(context) : findResponsesFault(context)
    if (fault) return refuse(exchange, fault)

    const reply = exchange.takeReply()
    if (reply.refusal && reply.breakAfter === undefined) {
      const { headers, ...refusal } = words.of(reply.refusal, { model: id, retryAfter: reply.retryAfter })
      return refuse(exchange, refusal, headers)
    }
    answers += 1
    const serial = answers
    if (isChat) return streamChat({ exchange, reply, serial, model, words, isAzure })
    return streamEvents({ exchange, reply, serial, words, issued, isAzure, ...options })
  }

  return startFakeVendor({
    basePath: isAzure ? '/openai' : '/v1',
    async serve(exchange) {
      const { method, path, headers } = exchange.request
      const denied = isAzure
        ? words.denied(headers['api-key'], key)
        : words.denied(headers.authorization, `Bearer ${key}`)
      if (denied) return refuse(exchange, denied)
      const route = (isAzure ? routeAzure : routeOpenAI)(new URL(path, 'http://fake'))
      if (method === 'GET' && route?.path === '/models') return listModels(exchange, models, isAzure)
      if (method === 'GET' && route?.path === '/deployments' && listsDeployments)
        return listDeployments(exchange, models)
      const serves = /^\/(responses|chat\/completions|embeddings)$/
      if (method !== 'POST' || !route || !(serves.test(route.path) || MEDIA_PATHS.includes(route.path)))
        return refuse(exchange, words.noRoute(method, path))
      return answer(exchange, route)
    },
  })
}

const refuse = ({ sendJson }: Exchange, { status, error }: VendorWords, headers?: Record<string, string>) =>
  sendJson(status, { error }, { 'x-request-id': 'req_fake', ...headers })

const routeOpenAI = ({ pathname }: URL): Route | undefined =>
  pathname.startsWith('/v1/') ? { path: pathname.slice('/v1'.length) } : undefined

/** `/openai/v1/…`, or `/openai/deployments/NAME/…`, which needs a version and has no Responses. */
function routeAzure({ pathname, searchParams }: URL): Route | undefined {
  const [, v1, deployments, name, path] =
    /^\/openai(?:\/v1(\/.+)|(\/deployments)(?:\/([^/]+)(\/.+))?)$/.exec(pathname) ?? []
  const version = searchParams.get('api-version')
  if (v1) return version === null || /^(v1|preview)$/.test(version) ? { path: v1 } : undefined
  if (name)
    return /^\d{4}-/.test(version ?? '') && path !== '/responses'
      ? { path: path!, deployment: name }
      : undefined
  return deployments && version === '2023-03-15-preview' ? { path: deployments } : undefined
}

function listModels({ sendJson }: Exchange, models: FakeModel[], isAzure: boolean): void {
  const rows = models.map(({ id, model = id }, index) =>
    isAzure
      ? {
          id: model,
          object: 'model',
          created_at: 1_700_000_000 + index,
          status: 'succeeded',
          lifecycle_status: 'generally-available',
        }
      : { id, object: 'model', created: 1_700_000_000 + index, owned_by: 'system' },
  )
  sendJson(200, { object: 'list', data: rows })
}

function listDeployments({ sendJson }: Exchange, models: FakeModel[]): void {
  const rows = models.map(({ id, model = id }) => ({
    scale_settings: { scale_type: 'standard' },
    model,
    owner: 'organization-owner',
    id,
    status: 'succeeded',
    created_at: 1_700_000_000,
    updated_at: 1_700_000_000,
    object: 'deployment',
  }))
  sendJson(200, { data: rows, object: 'list' })
}

function embed(exchange: Exchange, { id }: FakeModel): void {
  const texts: string[] = [exchange.request.body.input].flat()
  const data = texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: [text.length / 100, 0.25, -0.5, index / 10],
  }))
  const tokens = texts.join('').length
  exchange.sendJson(200, {
    object: 'list',
    data,
    model: id,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  })
}

/** Sends a reply event by event; it breaks with the vendor's words, or by cutting the connection. */
async function streamEvents({
  exchange,
  reply,
  words,
  ...context
}: Omit<Parameters<typeof eventsOf>[0], 'body'> & {
  exchange: Exchange
  words: RefusalWords
}): Promise<void> {
  const { body } = exchange.request
  const events = eventsOf({ ...context, reply, body })
  exchange.open('text/event-stream; charset=utf-8', { 'x-request-id': 'req_fake' })
  let deltas = 0
  let sequence = 0
  const send = (event: { type: string }) =>
    exchange.write(
      `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence++ })}\n\n`,
    )
  for (const event of events) {
    if (event.type.endsWith('.delta') && deltas === 0) await exchange.wait(reply.hold)
    if (deltas === reply.breakAfter && event.type !== 'response.created') {
      if (!reply.refusal) return exchange.hangUp()
      for (const failure of words.events(reply.refusal, { model: body.model, retryAfter: reply.retryAfter }))
        await send(failure)
      return exchange.end()
    }
    await send(event)
    if (!event.type.endsWith('.delta')) continue
    deltas += 1
    await letOthersRead()
  }
  exchange.end()
}
