import type { Readable } from 'node:stream'
import type { EmbeddingModelV3, LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { JSONSchema, LocalizedText } from '#kernel'
import type { AnyConfig } from './config-of.ts'

/** The connection to a model: the fields of a provider row, with the key in the clear. */
export interface ProviderConnection<Options = AnyConfig> {
  /** The provider's own or the kind's `default_base_url`. No slash at the end. */
  base_url: string | undefined
  api_key: string | undefined
  /** Valid by the kind's schema, its secrets in the clear. */
  options: Options
  fetch: typeof globalThis.fetch
  /** For answers that come in many small parts; missing if only `fetch` reaches the upstream. */
  request?: StreamingRequest
}

/**
 * Sends a request like `fetch`, but follows no redirects and returns the body as a stream of Node.js, whose parts cost
 * much less processor time than those of a web stream.
 */
export type StreamingRequest = (
  url: string,
  init: { method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<StreamedAnswer>

/** An answer whose body is still to be read. */
export interface StreamedAnswer {
  status: number
  /** By their names in lower case. */
  headers: Record<string, string | string[] | undefined>
  body: Readable
}

/** Why an upstream refused, in the contract's words. */
export const PROVIDER_FAILURES = [
  'auth',
  'quota',
  'rate_limit',
  'outage',
  'timeout',
  'unreachable',
  'model_not_found',
  'bad_request',
  'unknown',
] as const

/** One of these reasons. */
export type ProviderFailure = (typeof PROVIDER_FAILURES)[number]

/** One model as an upstream lists it; sizes are in tokens. Where `embedding` is not said, its id tells what it is. */
export interface ModelDescription {
  id: string
  name: string
  enabled?: boolean
  embedding?: boolean
  context_window?: number
  max_output_tokens?: number
  input?: ('text' | 'image' | 'audio')[]
  reasoning?: boolean
}

/** The facts about a failed call. */
export interface ExplainedFailure {
  reason: ProviderFailure
  /** The upstream's HTTP status, if it answered. */
  status?: number
  /** Milliseconds for which the upstream asks not to be called. */
  retry_after_ms?: number
}

/** The upstream's account of a failed call, wherever its client library has put it. */
export interface UpstreamReport {
  /** The HTTP status; what comes within a stream has none, or one that the library made up. */
  status?: number
  headers: Readonly<Record<string, string>>
  /** The body of the answer, or the data of an event: parsed, or as text if it is not JSON. */
  body: unknown
  /** The error object in it, unwrapped; empty if it has none. */
  error: Readonly<Record<string, unknown>>
  /** Its code, type and message as text, or empty; a body of plain text is the `message`. */
  code: string
  type: string
  message: string
}

/** The amount of thinking before an answer; `off` is as little as it can. */
export const REASONING_LEVELS = ['off', 'low', 'medium', 'high'] as const

/** The JSON Schema of one of these levels. */
export const reasoningLevel = { title: 'ReasoningLevel', enum: REASONING_LEVELS } as const

/** One of these levels. */
export type ReasoningLevel = (typeof REASONING_LEVELS)[number]

/** The options of a call; a kind leaves out what its model does not take. */
export interface ModelCallOptions extends LanguageModelV3CallOptions {
  /** Wins over what the options of the provider say of thinking. */
  reasoning?: ReasoningLevel
}

/** The subset of a language model used here; every language model of the AI SDK is one. */
export interface StreamingModel {
  doStream(options: ModelCallOptions): ReturnType<LanguageModelV3['doStream']>
}

/** A model that embeds, as far as it is used here. */
export type EmbeddingModel = Pick<EmbeddingModelV3, 'doEmbed'> &
  Partial<Pick<EmbeddingModelV3, 'maxEmbeddingsPerCall'>>

/**
 * A sort of LLM upstream. The default export of each folder in `providers/`, or registered by a plugin.
 * `defineProviderKind` types `Options` by the schema.
 */
export interface ProviderKind<Options = AnyConfig> {
  kind: string
  label: LocalizedText
  /** JSON Schema of a provider's `options`; what it marks writeOnly is stored encrypted and never shown. */
  config_schema: JSONSchema
  default_base_url?: string
  /** True if a provider must name its address, because the kind has no default. */
  requires_base_url?: boolean
  /** Advice for a person about a failure at this upstream, if it is more specific than the general one. */
  guidance?: Partial<Record<ProviderFailure, LocalizedText>>
  /** A model whose calls are not repeated: that is done for all kinds alike. */
  languageModel(
    connection: ProviderConnection<Options>,
    modelId: string,
  ): StreamingModel | Promise<StreamingModel>
  embeddingModel?(
    connection: ProviderConnection<Options>,
    modelId: string,
  ): EmbeddingModel | Promise<EmbeddingModel>
  /** The models that the upstream offers; throws what its client throws, or an error with the HTTP `status`. */
  listModels(connection: ProviderConnection<Options>, signal: AbortSignal): Promise<ModelDescription[]>
  /** Classifies an upstream's error if it says more than its HTTP status and its cause. */
  explainError?(report: UpstreamReport, error: unknown): ExplainedFailure | undefined
}
