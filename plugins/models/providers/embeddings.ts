import { AppError, CHARACTERS_PER_TOKEN, type EmbeddingModel, type ProviderKind } from '#plugin-api'
import { costOf, estimateCost } from './call-cost.ts'
import { explainFailure } from './explained-failure.ts'
import { findGuidance } from './failure.ts'
import type { Cradle } from './manifest.ts'
import type { ModelAccount, ProviderDocument } from './types.ts'
import { parseReference, SERVER } from './visible-providers.ts'

/** The most texts of one call, unless the model sets a lower limit. */
const MAX_TEXTS = 64

/** The account that pays for embeddings, and the end of its patience. */
interface Payer extends Pick<ModelAccount, 'user_id' | 'token_quota' | 'budget' | 'timezone'> {
  signal: AbortSignal
}

/** Embeds texts by models of the server's providers. */
export type Embeddings = ReturnType<typeof createEmbeddings>

/** Creates the service. Calls keep the pace of their provider. */
export function createEmbeddings({
  config,
  events,
  extensions,
  ids,
  prices,
  openedModels,
  providerConnections,
  visibleProviders,
}: Cradle) {
  /** Clients by provider, its revision and the model. */
  const clients = new Map<string, Promise<EmbeddingModel>>()

  const find = async (
    reference: string,
  ): Promise<{ provider: ProviderDocument; model: string } | undefined> => {
    const parsed = parseReference(reference)
    const { findGlobal } = await visibleProviders.of(SERVER)
    const provider = parsed && findGlobal(parsed.provider)
    const kind = provider && extensions['providers.kinds'].get(provider.kind)
    return provider?.enabled && kind?.embeddingModel ? { provider, model: parsed!.model } : undefined
  }

  const open = (
    provider: ProviderDocument,
    model: string,
  ): { kind: ProviderKind; client: Promise<EmbeddingModel> } => {
    const { kind, connection } = providerConnections.connect(provider)
    const key = JSON.stringify([provider._id, provider.revision, model])
    const client = clients.get(key) ?? Promise.resolve(kind.embeddingModel!(connection, model))
    if (!clients.has(key)) clients.clear()
    clients.set(key, client)
    client.catch(() => clients.delete(key))
    return { kind, client }
  }

  /** Makes one call, whose tokens are reserved before and recorded after it. */
  const call = async (
    {
      provider,
      reference,
      modelId,
      model,
      kind,
    }: {
      provider: ProviderDocument
      reference: string
      modelId: string
      model: EmbeddingModel
      kind: ProviderKind
    },
    values: string[],
    { signal, ...account }: Payer,
  ): Promise<number[][]> => {
    const call_id = ids.make()
    const price = prices.of(provider, modelId)
    const prompt = Math.ceil(values.join('').length / CHARACTERS_PER_TOKEN)
    const facts = {
      call_id,
      account: { ...account, agent_id: '', thread_id: null },
      purpose: 'embedding' as const,
    }
    const tokens = { prompt, output: 0 }
    const estimate = () => ({ ...tokens, cost: estimateCost(price, tokens) })
    await extensions['providers.reservations'].ask({
      ...facts,
      model: reference,
      signal,
      estimate,
      limitOutput: () => undefined,
    })
    let input_tokens: number | undefined
    let isAnswered = false
    const started_ms = Date.now()
    const begun = performance.now()
    const pace = openedModels.paceOf(provider)
    const release = await pace.acquire(
      provider.max_concurrency ?? config.max_concurrency,
      account.user_id,
      signal,
    )
    try {
      await pace.waitForRest(signal)
      const { embeddings, usage } = await model.doEmbed({ values, abortSignal: signal })
      isAnswered = true
      input_tokens = usage?.tokens
      if (embeddings.length !== values.length)
        throw new Error('the upstream returned another number of vectors')
      return embeddings
    } catch (error) {
      signal.throwIfAborted()
      const { reason, retry_after_ms } = explainFailure(error, kind)
      if (retry_after_ms) pace.rest(retry_after_ms)
      throw new AppError(
        'EMBEDDING_FAILED',
        { reason, ...findGuidance(reason, kind.guidance) },
        { cause: error },
      )
    } finally {
      release()
      const count = input_tokens ?? prompt
      const counted = { input_tokens: count, output_tokens: 0, total_tokens: count }
      const usage = isAnswered ? { ...counted, cost: costOf(price, counted) } : null
      const called = {
        ...facts,
        model: reference,
        usage,
        is_estimated: isAnswered && input_tokens === undefined,
      }
      await extensions['providers.usage'].ask(called)
      await events.emit('model.called', {
        ...called,
        provider: { name: provider.name, kind: provider.kind, scope: provider.scope },
        outcome: isAnswered ? 'ok' : signal?.aborted ? 'aborted' : 'failed',
        started_ms,
        ms: performance.now() - begun,
        first_part_ms: null,
      })
    }
  }

  return {
    /** Throws PROVIDER_NOT_VISIBLE unless a provider of the server offers embeddings by this model's name. */
    async assertUsable(reference: string): Promise<void> {
      if (!(await find(reference))) throw new AppError('PROVIDER_NOT_VISIBLE', { model: reference })
    },

    /** Returns the vectors of texts, in their order; throws MODEL_DISABLED, EMBEDDING_FAILED and what refuses calls. */
    async embed(reference: string, texts: readonly string[], payer: Payer): Promise<number[][]> {
      const chosen = await find(reference)
      if (!chosen) throw new AppError('MODEL_DISABLED', { model: reference })
      const { kind, client } = open(chosen.provider, chosen.model)
      const model = await client
      const most = Math.min(MAX_TEXTS, (await model.maxEmbeddingsPerCall) ?? MAX_TEXTS)
      const vectors: number[][] = []
      for (let start = 0; start < texts.length; start += most) {
        const values = texts.slice(start, start + most)
        const facts = { provider: chosen.provider, reference, modelId: chosen.model, model, kind }
        vectors.push(...(await call(facts, values, payer)))
      }
      return vectors
    },
  }
}
