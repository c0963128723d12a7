import {
  type Locale,
  type LocalizedText,
  type ModelDescription,
  type ModelKind,
  type ProviderConnection,
  type ProviderFailure,
  type ProviderKind,
  untilAborted,
} from '#plugin-api'
import type { Connected } from './connections.ts'
import { explainFailure } from './explained-failure.ts'
import { findGuidance, redactError, sortFailure } from './failure.ts'
import { kindOf, readListed } from './listed-models.ts'
import type { Cradle } from './manifest.ts'
import type { ProviderDocument } from './types.ts'
import { readReport } from './upstream-report.ts'
import { parseReference } from './visible-providers.ts'

const PROBE_MS = 15_000
const MAX_OUTPUT_TOKENS = 16

const NOTHING_LISTED: LocalizedText = {
  en: 'The provider lists no model of this kind. Set model_id, or add its models by name.',
  zh: '服务商未列出此类模型。请用 model_id 指定模型，或手动填写服务商的模型。',
}
const NO_EMBEDDING: LocalizedText = {
  en: 'Providers of this kind do not offer embedding models.',
  zh: '此类服务商不提供嵌入模型。',
}

/** The model to test; without `model_id`, any suitable one. */
export interface ProbeRequest {
  model_id?: string
  embedding?: boolean
}

/** The result of a test; `detail` is guidance in the caller's language. */
export type ProbeResult =
  | { ok: true; latency_ms: number; model: string }
  | { ok: false; reason: ProviderFailure; detail: string; status?: number }

/** One test of a provider; its upstream is asked for its models at most once. */
interface Attempt extends Connected {
  provider: ProviderDocument
  signal: AbortSignal
  listModels(): Promise<ModelDescription[]>
}

/** Tests providers with the smallest request that shows whether they work. */
export type ProviderProbe = ReturnType<typeof createProviderProbe>

/** Creates the probe; it opens a new connection for each test and uses nothing that is cached. */
export function createProviderProbe({ providerConnections, models, log }: Cradle) {
  /** Chooses the model to test: the requested one, otherwise the active one, otherwise the first in the list. */
  async function choose(
    provider: ProviderDocument,
    { model_id, embedding }: ProbeRequest,
    listed: () => Promise<readonly ModelDescription[]>,
  ): Promise<{ id: string; embedding: boolean } | undefined> {
    if (model_id !== undefined) {
      const entered = provider.models.find(({ id }) => id === model_id)
      return { id: model_id, embedding: embedding ?? (!!entered && kindOf(entered) === 'embedding') }
    }
    if (!embedding && provider.scope === 'global') {
      const { model, disabled_model } = await models.active()
      const active = parseReference(model ?? disabled_model ?? '')
      if (active?.provider === provider.name) return { id: active.model, embedding: false }
    }
    const enabled = (await listed()).filter((model) => model.enabled !== false)
    const find = (kind: ModelKind) => enabled.find((model) => kindOf(model) === kind)
    const chat = embedding ? undefined : find('chat')
    const chosen = chat ?? (embedding === false ? undefined : find('embedding'))
    return chosen && { id: chosen.id, embedding: chosen !== chat }
  }

  const begin = (provider: ProviderDocument): Attempt => {
    const connected = providerConnections.connect(provider)
    const { kind, connection } = connected
    const signal = AbortSignal.timeout(PROBE_MS)
    let listing: Promise<ModelDescription[]> | undefined
    return {
      ...connected,
      provider,
      signal,
      listModels: () => {
        listing ??= untilAborted(signal, kind.listModels(connection, signal)).then(readListed)
        return listing
      },
    }
  }

  const run = async (attempt: Attempt, request: ProbeRequest, locale: Locale): Promise<ProbeResult> => {
    const { provider, kind, connection, redact, signal } = attempt
    const refuse = (reason: ProviderFailure, text: LocalizedText): ProbeResult => ({
      ok: false,
      reason,
      detail: text[locale],
    })
    const cannotEmbed = !kind.embeddingModel
    if (request.embedding && cannotEmbed) return refuse('bad_request', NO_EMBEDDING)
    try {
      const listed = async () => (provider.models.length > 0 ? provider.models : attempt.listModels())
      const chosen = await choose(provider, request, listed)
      if (!chosen) return refuse('model_not_found', NOTHING_LISTED)
      if (chosen.embedding && cannotEmbed) return refuse('bad_request', NO_EMBEDDING)
      const startedAt = performance.now()
      await untilAborted(signal, (chosen.embedding ? embed : ask)(kind, connection, chosen.id, signal))
      return { ok: true, latency_ms: Math.round(performance.now() - startedAt), model: chosen.id }
    } catch (error) {
      if (signal.aborted) return refuse('timeout', findGuidance('timeout', kind.guidance))
      const { reason, guidance, detail, status } = sortFailure(error, attempt, locale)
      if (reason === 'unknown')
        log.warn(
          { error: redactError(error, redact), provider: provider.name },
          'the test of a provider failed',
        )
      const text = guidance + (detail ? ` (${detail})` : '')
      return { ok: false, reason, detail: text, ...(status !== undefined && { status }) }
    }
  }

  return {
    /** Tests a provider, for at most 15 seconds; throws ADDRESS_NOT_ALLOWED. */
    test: (provider: ProviderDocument, request: ProbeRequest, locale: Locale): Promise<ProbeResult> =>
      run(begin(provider), request, locale),
    /** Tests a provider that need not be stored, and returns the models that its upstream lists as well. */
    async probe(
      provider: ProviderDocument,
      request: ProbeRequest,
      locale: Locale,
    ): Promise<ProbeResult & { models: ModelDescription[] }> {
      const attempt = begin(provider)
      const [result, models] = await Promise.all([
        run(attempt, request, locale),
        // The test reports the same failure.
        attempt.listModels().catch(() => []),
      ])
      return { ...result, models }
    },
  }
}

type Probing = (
  kind: ProviderKind,
  connection: ProviderConnection,
  id: string,
  signal: AbortSignal,
) => Promise<void>

/** Waits for the first part of an answer and cancels the rest. */
const ask: Probing = async (kind, connection, id, abortSignal) => {
  const model = await kind.languageModel(connection, id)
  try {
    const { stream } = await model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Reply with OK.' }] }],
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      abortSignal,
    })
    for await (const part of stream) {
      if (part.type === 'error') throw part.error
      if (part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'finish') break
    }
  } catch (error) {
    // Some models report an error if they reach the limit while thinking; that error proves that they answer.
    const isAnswer = /(max_tokens|limit) was reached/i.test(readReport(error).message)
    if (!isAnswer || explainFailure(error, kind).reason !== 'bad_request') throw error
  }
}

const embed: Probing = async (kind, connection, id, abortSignal) => {
  const model = await kind.embeddingModel!(connection, id)
  await model.doEmbed({ values: ['OK'], abortSignal })
}
