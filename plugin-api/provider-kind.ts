import type {
  EmbeddingModelV3,
  ImageModelV3,
  ImageModelV3CallOptions,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  RerankingModelV3,
  RerankingModelV3CallOptions,
  SpeechModelV3,
  SpeechModelV3CallOptions,
  TranscriptionModelV3,
  TranscriptionModelV3CallOptions,
} from '@ai-sdk/provider'
import type { JSONSchema, LocalizedText, StreamingRequest } from '#kernel'
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

/** The kinds of models. Agents use models of the kind `chat`. */
export const MODEL_KINDS = ['chat', 'embedding', 'image', 'speech', 'transcription', 'rerank'] as const

/** One of these kinds. */
export type ModelKind = (typeof MODEL_KINDS)[number]

/** The media that a model may read. */
export const MODEL_INPUTS = ['text', 'image', 'audio'] as const

/** One of these media. */
export type ModelInput = (typeof MODEL_INPUTS)[number]

/**
 * The price of a million tokens and, for models that are not paid by tokens, of a picture, a million characters or a
 * minute of audio; `as_of` is an ISO date. A price that is not known is null or missing.
 */
export interface ModelPrice {
  input: number | null
  output: number | null
  cache_read: number | null
  cache_write: number | null
  image?: number | null
  million_characters?: number | null
  minute?: number | null
  currency: string
  as_of: string
}

/**
 * One model as an upstream lists it; sizes are in tokens. A missing field is unknown. Without `model_kind` and
 * `embedding`, the id tells the kind of the model.
 */
export interface ModelDescription {
  id: string
  name: string
  enabled?: boolean
  embedding?: boolean
  model_kind?: ModelKind
  context_window?: number
  max_output_tokens?: number
  input?: ModelInput[]
  /** True if the model calls tools. */
  tools?: boolean
  reasoning?: boolean
  price?: ModelPrice
}

/** The facts about a failed call. */
export interface ExplainedFailure {
  reason: ProviderFailure
  /** The upstream's HTTP status, if it answered. */
  status?: number
  /** Milliseconds for which the upstream asks not to be called. */
  retry_after_ms?: number
  /** True if the prompt is longer than the model takes. */
  is_too_long?: boolean
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
  /** The names of the kind's adaptations that the model needs. */
  adaptations?: readonly string[]
}

/** A change to the calls of a model whose upstream refuses a common setting. */
export interface Adaptation {
  /** Names the change in the settings of the provider. */
  label: LocalizedText
  /** True if this refusal shows that the upstream needs the change. */
  isNeeded(report: UpstreamReport): boolean
}

/** The largest pictures that an upstream accepts. */
export interface PictureLimits {
  /** Bytes of one picture, before Base64. */
  image_bytes?: number
  /** Pictures of one call. */
  images?: number
}

/**
 * The subset of a language model used here; every language model of the AI SDK is one. In its stream, a number of tokens
 * that the upstream did not count is undefined; a tool call that the upstream has carried out itself is
 * `providerExecuted`; the raw finish reason is `refusal` if the model refuses to answer, and `pause_turn` if the
 * upstream wants the answer back to continue it. Metadata of texts, thoughts and calls returns with the history as
 * provider options.
 */
export interface StreamingModel {
  doStream(options: ModelCallOptions): ReturnType<LanguageModelV3['doStream']>
}

/** The subset of an embedding model used here. */
export type EmbeddingModel = Pick<EmbeddingModelV3, 'doEmbed'> &
  Partial<Pick<EmbeddingModelV3, 'maxEmbeddingsPerCall'>>

/** Some parts of the answer of a method of the AI SDK. */
type AnswerOf<Method extends (options: never) => PromiseLike<object>, Parts extends string> = Pick<
  Awaited<ReturnType<Method>>,
  Parts & keyof Awaited<ReturnType<Method>>
>

/** The subset of an image model used here. With `files` it edits pictures; images are bytes or Base64. */
export interface ImageModel {
  doGenerate(
    options: ImageModelV3CallOptions,
  ): PromiseLike<AnswerOf<ImageModelV3['doGenerate'], 'images' | 'usage'>>
}

/** The subset of a speech model used here; the audio is bytes or Base64, in the `outputFormat` of the call. */
export interface SpeechModel {
  doGenerate(options: SpeechModelV3CallOptions): PromiseLike<AnswerOf<SpeechModelV3['doGenerate'], 'audio'>>
}

/** The options of a transcription. */
export interface TranscriptionCallOptions extends TranscriptionModelV3CallOptions {
  /** The language of the audio if it is known, as ISO 639-1; the AI SDK has no common option for it. */
  language?: string
}

/** The subset of a transcription model used here. */
export interface TranscriptionModel {
  doGenerate(
    options: TranscriptionCallOptions,
  ): PromiseLike<
    AnswerOf<TranscriptionModelV3['doGenerate'], 'text'> &
      Partial<AnswerOf<TranscriptionModelV3['doGenerate'], 'language' | 'durationInSeconds'>>
  >
}

/** The subset of a reranking model used here. */
export interface RerankingModel {
  doRerank(
    options: RerankingModelV3CallOptions,
  ): PromiseLike<AnswerOf<RerankingModelV3['doRerank'], 'ranking'>>
}

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
  limits?: PictureLimits
  /**
   * The changes that a refusal may show to be needed, by name. The call is then repeated with the change; if that
   * succeeds, later calls of the model have it from the start.
   */
  adaptations?: Readonly<Record<string, Adaptation>>
  /** Advice for a person about a failure at this upstream, if it is more specific than the general one. */
  guidance?: Partial<Record<ProviderFailure, LocalizedText>>
  /** Opens a model that chats. Its calls are not repeated: that is done for all kinds alike. */
  languageModel?(
    connection: ProviderConnection<Options>,
    modelId: string,
  ): StreamingModel | Promise<StreamingModel>
  /** Opens a model of another kind. A provider kind has the methods of the models that its vendor offers. */
  embeddingModel?(
    connection: ProviderConnection<Options>,
    modelId: string,
  ): EmbeddingModel | Promise<EmbeddingModel>
  imageModel?(connection: ProviderConnection<Options>, modelId: string): ImageModel | Promise<ImageModel>
  speechModel?(connection: ProviderConnection<Options>, modelId: string): SpeechModel | Promise<SpeechModel>
  transcriptionModel?(
    connection: ProviderConnection<Options>,
    modelId: string,
  ): TranscriptionModel | Promise<TranscriptionModel>
  rerankingModel?(
    connection: ProviderConnection<Options>,
    modelId: string,
  ): RerankingModel | Promise<RerankingModel>
  /** The models that the upstream offers; throws what its client throws, or an error with the HTTP `status`. */
  listModels(connection: ProviderConnection<Options>, signal: AbortSignal): Promise<ModelDescription[]>
  /** Classifies an upstream's error if it says more than its HTTP status and its cause. */
  explainError?(report: UpstreamReport, error: unknown): ExplainedFailure | undefined
}

/** A provider kind whose models chat. */
export interface ChatProviderKind<Options = AnyConfig> extends ProviderKind<Options> {
  languageModel: NonNullable<ProviderKind<Options>['languageModel']>
}
