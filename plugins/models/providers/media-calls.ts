import {
  AppError,
  createDeadline,
  type MediaUsage,
  type ProviderKind,
  type TokenUsage,
  untilAborted,
} from '#plugin-api'
import { withBounds } from './bounded-connection.ts'
import { costOf, estimateCost } from './call-cost.ts'
import { explainFailure } from './explained-failure.ts'
import { toAppError } from './failure.ts'
import type { Cradle } from './manifest.ts'
import { METHODS, type UsableModel } from './media-defaults.ts'
import { invalidResult, MAX_ANSWER_BYTES, type ResultProblem } from './media-results.ts'
import type { MediaCaller, MediaKind, ModelCalled } from './types.ts'

/** The longest wait for an answer, in milliseconds, from the moment in which the call goes out. */
const PATIENCE_MS: Record<MediaKind, number> = {
  image: 300_000,
  speech: 120_000,
  transcription: 300_000,
  rerank: 30_000,
}

/** The clients by kind, as a provider kind opens them. */
type ClientOf<Kind extends MediaKind> = Awaited<ReturnType<NonNullable<ProviderKind[(typeof METHODS)[Kind]]>>>

/** A call of a model of another kind. */
export interface MediaCall<Kind extends MediaKind, Answer, Result> {
  kind: Kind
  caller: MediaCaller
  /** The tokens that are reserved for the call, and the measures that it asks for. */
  estimate: { tokens: number; media: MediaUsage }
  run(client: ClientOf<Kind>, signal: AbortSignal): PromiseLike<Answer>
  /** Reads the answer with what it cost; throws what `refuse` makes if the answer cannot be used. */
  read(answer: Answer, refuse: (problem: ResultProblem) => AppError): Result
  /** Counts an answer, whether or not it can be used. */
  count(answer: Answer): { usage: TokenUsage; media: MediaUsage }
}

/** Makes the calls of models that do not chat. */
export type MediaCalls = ReturnType<typeof createMediaCalls>

/** Creates the service. */
export function createMediaCalls({
  config,
  events,
  extensions,
  ids,
  mediaDefaults,
  prices,
  openedModels,
  providerConnections,
  users,
}: Cradle) {
  return {
    /** Makes one call, whose tokens are reserved before and recorded after it. */
    async call<Kind extends MediaKind, Answer, Result>({
      kind,
      caller,
      estimate,
      run,
      read,
      count,
    }: MediaCall<Kind, Answer, Result>): Promise<Result> {
      const { account_id: user_id, agent_id = '', thread_id = null, locale = 'en', signal } = caller
      const chosen: UsableModel | undefined = await mediaDefaults.find(kind, user_id)
      if (!chosen) throw new AppError('MODEL_NOT_CHOSEN', { model_kind: kind })
      const { provider, model } = chosen
      const reference = `${provider.name}:${model}`
      const refuse = (problem: ResultProblem) => invalidResult(reference, problem)
      const connected = providerConnections.connect(provider)
      const connection = withBounds(connected.connection, {
        maxBytes: MAX_ANSWER_BYTES,
        refuse: () => refuse('too_large'),
      })

      const price = prices.of(provider, model)
      const user = await users.find(user_id)
      const facts = {
        call_id: ids.make(),
        account: {
          user_id,
          token_quota: user?.token_quota ?? null,
          budget: user?.budget ?? null,
          timezone: user?.timezone ?? null,
          agent_id,
          thread_id,
        },
        purpose: kind,
      }
      await extensions['providers.reservations'].ask({
        ...facts,
        signal,
        model: reference,
        estimate() {
          const tokens = { prompt: estimate.tokens, output: 0 }
          return { ...tokens, cost: estimateCost(price, tokens, estimate.media) }
        },
        limitOutput: () => undefined,
      })

      let spent: Partial<ReturnType<typeof count>> = {}
      let outcome: ModelCalled['outcome'] = 'failed'
      let started_ms = Date.now()
      let startedAt = performance.now()
      const pace = openedModels.paceOf(provider)
      let release = () => {}
      let deadline: ReturnType<typeof createDeadline> | undefined
      try {
        release = await pace.acquire(provider.max_concurrency ?? config.max_concurrency, user_id, signal)
        await pace.waitForRest(signal)
        started_ms = Date.now()
        startedAt = performance.now()
        deadline = createDeadline([signal], { milliseconds: PATIENCE_MS[kind] })
        const client = (await connected.kind[METHODS[kind]]!(connection, model)) as ClientOf<Kind>
        const answer = await untilAborted(deadline.signal, Promise.resolve(run(client, deadline.signal)))
        spent = count(answer)
        const result = read(answer, refuse)
        outcome = 'ok'
        return result
      } catch (error) {
        if (signal?.aborted) {
          outcome = 'aborted'
          throw signal.reason
        }
        // The client may have wrapped the end of the time in an error of its own.
        const cause = deadline?.signal.aborted ? deadline.signal.reason : error
        const { retry_after_ms } = explainFailure(cause, connected.kind)
        if (retry_after_ms) pace.rest(retry_after_ms)
        throw toAppError(cause, { connected, locale, provider: provider.name, model })
      } finally {
        deadline?.release()
        release()
        const called = {
          ...facts,
          model: reference,
          usage: spent.usage ? { ...spent.usage, cost: costOf(price, spent.usage, spent.media) } : null,
          is_estimated: spent.usage?.is_estimated === true,
          ...(spent.media && { media: spent.media }),
        }
        await extensions['providers.usage'].ask(called)
        await events.emit('model.called', {
          ...called,
          provider: { name: provider.name, kind: provider.kind, scope: provider.scope },
          outcome,
          started_ms,
          ms: performance.now() - startedAt,
          first_part_ms: null,
        })
      }
    },
  }
}
