import {
  inferModelKind,
  type Locale,
  type LocalizedText,
  listCauses,
  MODEL_KINDS,
  type ModelDescription,
  type ModelKind,
  type ProviderFailure,
  untilAborted,
} from '#plugin-api'
import { withBounds } from './bounded-connection.ts'
import type { Connected } from './connections.ts'
import { findGuidance, redactError, sortFailure } from './failure.ts'
import { kindOf, readListed } from './listed-models.ts'
import type { Cradle } from './manifest.ts'
import { OPENERS } from './media-defaults.ts'
import { invalidResult, isInvalidResult, MAX_ANSWER_BYTES } from './media-results.ts'
import { PROBINGS } from './probings.ts'
import type { ProviderDocument } from './types.ts'
import { parseReference } from './visible-providers.ts'

const PROBE_MS = 15_000

const NOTHING_LISTED: LocalizedText = {
  en: 'The provider lists no model of this kind. Set model_id, or add its models by name.',
  zh: '服务商未列出此类模型。请用 model_id 指定模型，或手动填写服务商的模型。',
}
const NOT_OFFERED: LocalizedText = {
  en: 'Providers of this kind do not offer such models.',
  zh: '此类服务商不提供这种模型。',
}
const NOT_LISTED: LocalizedText = {
  en: 'The provider does not list this model. Pictures cost money, so a test draws none.',
  zh: '服务商未列出该模型。绘图会产生费用，因此测试不会真正绘图。',
}
const ONLY_LISTED: LocalizedText = {
  en: 'The key works and the provider lists this model. Pictures cost money, so the test drew none.',
  zh: '密钥有效，服务商列出了该模型。绘图会产生费用，因此测试没有真正绘图。',
}

const UNUSABLE: LocalizedText = {
  en: 'The model answered, but not with what a model of this kind returns. Check the model ID and its kind.',
  zh: '模型有响应，但返回的不是此类模型应有的结果。请检查模型 ID 及其类型。',
}

/** The model to test; without `model_id`, any suitable one. `embedding` is the model kind `embedding`. */
export interface ProbeRequest {
  model_id?: string
  model_kind?: ModelKind
  embedding?: boolean
}

/** The result of a test; `detail` is guidance in the caller's language, and `note` what a success does not prove. */
export type ProbeResult =
  | { ok: true; latency_ms: number; model: string; note?: string }
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
    { model_id, embedding, model_kind = embedding ? 'embedding' : undefined }: ProbeRequest,
    listed: () => Promise<readonly ModelDescription[]>,
  ): Promise<{ id: string; model_kind: ModelKind } | undefined> {
    if (model_id !== undefined) {
      const entered = provider.models.find(({ id }) => id === model_id)
      const chats = embedding === false ? 'chat' : undefined
      const own = entered ? kindOf(entered) : inferModelKind(model_id)
      return { id: model_id, model_kind: model_kind ?? chats ?? own ?? 'chat' }
    }
    if ((model_kind ?? 'chat') === 'chat' && provider.scope === 'global') {
      const { model, disabled_model } = await models.active()
      const active = parseReference(model ?? disabled_model ?? '')
      if (active?.provider === provider.name) return { id: active.model, model_kind: 'chat' }
    }
    const enabled = (await listed()).filter((model) => model.enabled !== false)
    const find = (kind: ModelKind) => enabled.find((model) => kindOf(model) === kind)
    const others = embedding === false ? [] : MODEL_KINDS.filter((modelKind) => modelKind !== 'chat')
    const chosen = (model_kind ? [model_kind] : ['chat' as const, ...others]).map(find).find(Boolean)
    return chosen && { id: chosen.id, model_kind: kindOf(chosen) }
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
    const offers = (model_kind: ModelKind) => kind[OPENERS[model_kind]] !== undefined
    const requestedKind = request.model_kind ?? (request.embedding ? 'embedding' : undefined)
    if (requestedKind && !offers(requestedKind)) return refuse('bad_request', NOT_OFFERED)
    try {
      const listed = async () => (provider.models.length > 0 ? provider.models : attempt.listModels())
      const chosen = await choose(provider, request, listed)
      if (!chosen) return refuse('model_not_found', NOTHING_LISTED)
      const { id, model_kind } = chosen
      if (!offers(model_kind)) return refuse('bad_request', NOT_OFFERED)
      const startedAt = performance.now()
      const succeed = (note?: LocalizedText): ProbeResult => ({
        ok: true,
        latency_ms: Math.round(performance.now() - startedAt),
        model: id,
        ...(note && { note: note[locale] }),
      })
      if (model_kind === 'image') {
        const offered = await attempt.listModels()
        return offered.some((model) => model.id === id)
          ? succeed(ONLY_LISTED)
          : refuse('model_not_found', NOT_LISTED)
      }
      const bounded = withBounds(connection, {
        maxBytes: MAX_ANSWER_BYTES,
        refuse: () => invalidResult(id, 'too_large'),
      })
      const used = model_kind === 'chat' || model_kind === 'embedding' ? connection : bounded
      await untilAborted(signal, PROBINGS[model_kind](kind, used, id, signal))
      return succeed()
    } catch (error) {
      if (signal.aborted) return refuse('timeout', findGuidance('timeout', kind.guidance))
      if (listCauses(error).some(isInvalidResult)) return refuse('bad_request', UNUSABLE)
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
