import { randomUUID } from 'node:crypto'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { fromUtf8, toUtf8 } from '@smithy/util-utf8'
import type { Exchange, FakeVendor, Refusal, VendorReply } from '../../plugin-api/testing/fake-vendor.ts'
import { startFakeVendor, vectorOf } from '../../plugin-api/testing/fake-vendor.ts'
import { PIXEL } from '../../plugin-api/testing/media-samples.ts'
import {
  type AwsException,
  CANVAS_MODEL,
  FOUNDATION_MODELS,
  listProfiles,
  NO_SUCH_MODEL,
  RERANK_MODEL,
  refusalOfModel,
} from './fake-bedrock-models.ts'
import {
  type ConverseBody,
  type Credentials,
  refusalOfAccess,
  refusalOfBody,
  refusalOfTexts,
} from './fake-bedrock-rules.ts'
import { REDACTION_TRIGGER, sign, stopReasonOf } from './fake-claude.ts'

/** Starts a fake of Bedrock's runtime and of its control plane at one address. */
export async function createFakeBedrock(allowed: Credentials): Promise<FakeVendor> {
  const fake: FakeVendor = await startFakeVendor({
    async serve(exchange) {
      const { method, path, body } = exchange.request
      const refused = await refusalOfAccess(exchange.request, fake.url, allowed)
      if (refused) return fail(exchange, refused)
      const { pathname, searchParams } = new URL(path, fake.url)
      if (method === 'GET' && pathname === '/foundation-models')
        return exchange.sendJson(200, { modelSummaries: FOUNDATION_MODELS })
      if (method === 'GET' && pathname === '/inference-profiles')
        return exchange.sendJson(200, listProfiles(searchParams))
      if (method === 'POST' && pathname === '/rerank') return answerMedia(exchange, rank(body))
      const [, id = '', operation] = /^\/model\/([^/]+)\/([\w-]+)$/.exec(pathname) ?? []
      const model = decodeURIComponent(id)
      if (operation === 'invoke' && model === CANVAS_MODEL) return answerMedia(exchange, draw(body))
      const complaint =
        refusalOfModel(model) ?? (operation === 'invoke' ? refusalOfTexts(body) : refusalOfBody(model, body))
      if (complaint) return fail(exchange, complaint)
      const reply = exchange.takeReply()
      if (reply.refusal && reply.breakAfter === undefined)
        return fail(exchange, REFUSALS[reply.refusal], reply.retryAfter)
      if (operation === 'invoke') return exchange.sendJson(200, embed(body), TOKENS)
      if (operation === 'converse-stream') return streamReply(exchange, reply)
      return fail(exchange, ['UnknownOperationException', 404, 'Unknown operation'])
    },
  })
  return fake
}

const REFUSALS: Record<Refusal, AwsException> = {
  auth: ['ExpiredTokenException', 403, 'The security token included in the request is expired'],
  quota: ['ServiceQuotaExceededException', 400, 'Your request exceeds the service quota for your account.'],
  rate_limit: ['ThrottlingException', 429, 'Too many tokens, please wait before trying again.'],
  outage: ['ServiceUnavailableException', 503, 'Bedrock is unable to process your request.'],
  model_not_found: NO_SUCH_MODEL,
  bad_request: ['ValidationException', 400, 'The text field in the ContentBlock object is blank.'],
  context_too_long: ['ValidationException', 400, 'Input is too long for requested model.'],
}

const requestId = () => ({ 'x-amzn-requestid': randomUUID() })

function fail({ sendJson }: Exchange, [name, status, message]: AwsException, retryAfter?: number): void {
  sendJson(
    status,
    { message },
    {
      'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
      ...requestId(),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
  )
}

/** Answers a call of a model that draws or ranks; a text is a complaint. */
async function answerMedia(exchange: Exchange, answer: object | string): Promise<void> {
  const { refusal, retryAfter, hold } = exchange.takeReply()
  if (refusal) return fail(exchange, REFUSALS[refusal], retryAfter)
  await exchange.wait(hold)
  if (typeof answer === 'string') return fail(exchange, ['ValidationException', 400, answer])
  exchange.sendJson(200, answer, requestId())
}

/** The answer of Nova Canvas. */
const draw = ({
  taskType,
  textToImageParams,
}: {
  taskType?: string
  textToImageParams?: { text?: string }
}) => (taskType === 'TEXT_IMAGE' && textToImageParams?.text ? { images: [PIXEL] } : 'Malformed input request')

interface Ranked {
  queries: { textQuery: { text: string } }[]
  rerankingConfiguration: {
    bedrockRerankingConfiguration: { modelConfiguration: { modelArn: string }; numberOfResults?: number }
  }
  sources: { inlineDocumentSource: { textDocument: { text: string } } }[]
}

/** The answer of the service that ranks. */
function rank({ queries, rerankingConfiguration, sources }: Ranked): object | string {
  const { modelConfiguration, numberOfResults } = rerankingConfiguration.bedrockRerankingConfiguration
  if (!modelConfiguration.modelArn.endsWith(`::foundation-model/${RERANK_MODEL}`)) return NO_SUCH_MODEL[2]
  const { text: query } = queries[0]!.textQuery
  const results = sources.map(({ inlineDocumentSource }, index) => ({
    index,
    relevanceScore: inlineDocumentSource.textDocument.text.includes(query) ? 0.9 : 0.1,
  }))
  results.sort((one, other) => other.relevanceScore - one.relevanceScore)
  return { results: results.slice(0, numberOfResults) }
}

const TOKENS = { 'x-amzn-bedrock-input-token-count': '3' }

/** The answer of a Titan model, or of a Cohere model, which takes several texts. */
function embed({ inputText, texts }: { inputText?: string; texts?: string[] }): object {
  if (inputText === undefined)
    return { id: randomUUID(), texts, response_type: 'embeddings_floats', embeddings: texts!.map(vectorOf) }
  const embedding = vectorOf(inputText)
  return { embedding, embeddingsByType: { float: embedding }, inputTextTokenCount: 3 }
}

/** The blocks of a reply with their deltas in the form of `converse-stream`. */
function blocksOf({ reasoning = [], text = [], toolCalls = [] }: VendorReply, body: ConverseBody) {
  const blocks: { start?: object; deltas: object[]; last?: object }[] = []
  const { type, display = 'summarized' } = body.additionalModelRequestFields?.thinking ?? {}
  if (reasoning.length > 0 && (type === 'enabled' || type === 'adaptive')) {
    const said = display === 'summarized' ? reasoning : []
    const signature = sign(reasoning.join(''))
    const redactedContent = Buffer.from(signature).toString('base64')
    if (JSON.stringify(body.messages).includes(REDACTION_TRIGGER))
      blocks.push({ deltas: [], last: { reasoningContent: { redactedContent } } })
    else
      blocks.push({
        deltas: said.map((text) => ({ reasoningContent: { text } })),
        last: { reasoningContent: { signature } },
      })
  }
  if (text.length > 0) blocks.push({ deltas: text.map((text) => ({ text })) })
  for (const { id: toolUseId, name, input } of toolCalls)
    blocks.push({
      start: { toolUse: { toolUseId, name } },
      deltas: JSON.stringify(input)
        .match(/[\s\S]{1,12}/g)!
        .map((input) => ({ toolUse: { input } })),
    })
  return blocks
}

function costOf({ usage = { input: 0, cached: 0, output: 0, reasoning: 0 } }: VendorReply) {
  const { input, cached, output } = usage
  const counted = { inputTokens: input - cached, outputTokens: output, totalTokens: input + output }
  const cache = { cacheReadInputTokens: cached, cacheWriteInputTokens: 0 }
  return { usage: { ...counted, ...cache, serverToolUsage: {} }, metrics: { latencyMs: 312 } }
}

const codec = new EventStreamCodec(toUtf8, fromUtf8)

/** One frame, with both its checksums. */
export const frame = (kind: 'event' | 'exception', type: string, payload: object): Uint8Array =>
  codec.encode({
    headers: {
      [`:${kind}-type`]: { type: 'string', value: type },
      ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: kind },
    },
    body: Buffer.from(JSON.stringify(payload)),
  })

async function streamReply(exchange: Exchange, reply: VendorReply): Promise<void> {
  const { open, write, wait, end, hangUp, request } = exchange
  const { breakAfter = Number.POSITIVE_INFINITY, refusal } = reply
  const send = (type: string, payload: object) => {
    // Events are padded to about one length, so that nobody can tell the words by it.
    const p = 'abcdefghijklmnopqrstuvwxyzABCDEFGH'.slice(JSON.stringify(payload).length % 34)
    return write(frame('event', type, { ...payload, p }))
  }

  let room = breakAfter
  /** True if the reply continues; otherwise it was cut. */
  const goesOn = async () => {
    if (room > 0) return true
    if (!refusal) hangUp()
    else {
      const [name, , message] = REFUSALS[refusal]
      await write(frame('exception', name[0]!.toLowerCase() + name.slice(1), { message }))
      end()
    }
    return false
  }

  open('application/vnd.amazon.eventstream', requestId())
  await send('messageStart', { role: 'assistant' })
  await wait(reply.hold)
  for (const [contentBlockIndex, { start, deltas, last }] of blocksOf(reply, request.body).entries()) {
    if (!(await goesOn())) return
    // Only calls of tools are announced.
    if (start) await send('contentBlockStart', { contentBlockIndex, start })
    for (const delta of deltas) {
      if (!(await goesOn())) return
      await send('contentBlockDelta', { contentBlockIndex, delta })
      room -= 1
    }
    if (last) await send('contentBlockDelta', { contentBlockIndex, delta: last })
    await send('contentBlockStop', { contentBlockIndex })
  }
  if (!(await goesOn())) return
  await send('messageStop', { stopReason: stopReasonOf(reply) })
  await send('metadata', costOf(reply))
  end()
}
