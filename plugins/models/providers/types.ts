import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import type {
  AppError,
  Locale,
  Managed,
  MediaUsage,
  ModelCallOptions,
  ModelDescription,
  ModelKind,
  ModelPrice,
  Page,
  PictureLimits,
  ProviderKind,
  Shared,
  TokenUsage,
  TypeOf,
} from '#plugin-api'
import type { Budget } from '../../identity/users/types.ts'
import type { Lesson } from './lessons.ts'
import type { modelQuery, modelRow } from './schemas.ts'

/** A provider; a global one has no owner and is for all users, unless it has a list of grants. Times are Unix seconds. */
export interface ProviderDocument extends Managed, Shared {
  _id: string
  /** Unique among the global providers, or among the providers of its owner. */
  name: string
  kind: string
  scope: 'user' | 'global'
  owner_id: string | null
  /** True if an administrator made the last change: its addresses are not checked. */
  is_trusted?: boolean
  base_url: string | null
  /** Sealed for the purpose `provider:<_id>`. */
  api_key: string | null
  /** If empty, the upstream lists them. */
  models: ModelDescription[]
  /** The options that the kind's schema does not mark writeOnly. */
  options: Record<string, unknown>
  /** The other options, as JSON, sealed for the purpose `provider:<_id>:options`. */
  secret_options: string | null
  /** The most concurrent calls in one server process; null uses the configured limit. */
  max_concurrency: number | null
  enabled: boolean
  /** The changes that calls of its models need, as refusals of the upstream have shown. */
  learned?: Lesson[]
  /** Rises with every change. */
  revision: number
  created_at: number
  updated_at: number
}

/** The system-wide default model, as a reference to a global provider's model. */
export interface ModelSettingsDocument {
  _id: 'active'
  model: string
}

/** The model that the server uses for one kind of calls; `reference` is `<provider>:<model>` as it was when chosen. */
export interface ModelDefaultDocument {
  _id: MediaKind
  provider_id: string
  model: string
  reference: string
}

/** A price that administrators have set; `_id` is `<provider>:<model>`, or the id of a model at any provider. */
export interface ModelPriceDocument {
  _id: string
  price: ModelPrice
}

/** The kinds of models of which the server uses one for all accounts. */
export type MediaKind = Exclude<ModelKind, 'chat' | 'embedding'>

/** The purpose of a model call; `search` is a search of the web, whose model is `search:<engine>`. */
export type ModelPurpose =
  | 'turn'
  | 'task'
  | 'summary'
  | 'title'
  | 'polish'
  | 'memory'
  | 'embedding'
  | 'search'
  | MediaKind

/**
 * The account that pays for a model call, with its agent and thread; `token_quota` and `budget` are null without one,
 * and `agent_id` is empty for calls that belong to no agent.
 */
export interface ModelAccount {
  user_id: string
  token_quota: number | null
  budget: Budget | null
  /** The zone in which the budget begins anew; null for that of the server. */
  timezone: string | null
  agent_id: string
  thread_id: string | null
  /** The turn that the call is for. */
  turn_id?: string
}

/** One call of a model; `call_id` is unique. */
export interface ModelCall {
  call_id: string
  account: ModelAccount
  purpose: ModelPurpose
  options: ModelCallOptions
}

/** The end of an answer with its tokens, which are estimated if the upstream has not counted them. */
export type FinishPart = Extract<LanguageModelV3StreamPart, { type: 'finish' }> & { tokens: TokenUsage }

/** Something that a person should know about a call; `details` are the values in the text of its code. */
export interface CallNotice {
  code: 'PICTURES_NOT_SEEN'
  details: Record<string, string | number>
}

/**
 * A part of an answer. After `restarted` the answer begins anew, since its upstream failed or said nothing: the thoughts
 * before it do not belong to it; `usage` is what they cost.
 */
export type ModelPart =
  | Exclude<LanguageModelV3StreamPart, { type: 'finish' }>
  | FinishPart
  | { type: 'restarted'; usage?: LanguageModelV3Usage }
  | ({ type: 'notice' } & CallNotice)

/** A model that is ready for calls, which may be concurrent. */
export interface OpenedModel {
  /** `<provider>:<model>`. */
  reference: string
  /**
   * Calls the model at its provider's pace and yields the parts of the answer as they arrive; throws a failure. The usage
   * of the call is stored before the iteration ends.
   */
  stream(call: ModelCall): AsyncIterable<ModelPart>
  description: ModelDescription
  /** The pictures that the kind of its provider takes. */
  limits: PictureLimits
  /** Converts an error of a call; an AppError is returned as it is. */
  explain(error: unknown, locale: Locale): AppError
}

/** The text of an answer that has ended, and the reason why it did. */
export interface WholeAnswer {
  text: string
  finish_reason: LanguageModelV3FinishReason['unified']
}

/** A model that a user can use. */
export type ModelRow = TypeOf<typeof modelRow>

/** The models to list, and the page of them. */
export type ModelQuery = TypeOf<typeof modelQuery>

/** The models that users can choose. */
export interface Models {
  /** Lists models by their references. Throws VALIDATION_FAILED for an unknown cursor. */
  list(user_id: string, query: ModelQuery): Promise<Page<ModelRow>>
  /** The time that a model has for its first token before its fallback is asked, in milliseconds. */
  readonly first_token_ms: number
  /** Returns the model that is active for a user, or that of the server. */
  active(user_id?: string): Promise<ActiveModel>
  activate(reference: string): Promise<void>
  /** Throws PROVIDER_NOT_VISIBLE if the user is known to be unable to run a turn with this model. */
  assertUsable(reference: string, user_id: string): Promise<void>
  /**
   * Opens the first of the chosen models, otherwise that of the agent, otherwise the active one. The models that an agent
   * names are usable by right of its owner if they belong to providers of the server. There is no fallback to another
   * model: throws MODEL_DISABLED if the model cannot be used, NO_MODEL if none is set. Each call throws
   * PROVIDER_NOT_VISIBLE once the right is gone.
   */
  open(
    chosen: readonly (string | null | undefined)[],
    user_id: string,
    agent?: ModelOwner,
  ): Promise<OpenedModel>
  /**
   * Calls a model and returns its whole answer. Throws the errors of the call, the signal's reason, and `reason()` after
   * `milliseconds`.
   */
  readWhole(
    model: Pick<OpenedModel, 'stream'>,
    call: ModelCall,
    limits: { signal: AbortSignal; milliseconds: number; reason: () => Error },
  ): Promise<WholeAnswer>
}

/** The models that an agent names, chosen by its owner. */
export interface ModelOwner {
  owner_id: string
  default_model: string | null
  config?: { fallback_models?: unknown }
}

/** The default model; `model` is null and `disabled_model` set while its provider is disabled or lacks it. */
export interface ActiveModel {
  model: string | null
  disabled_model?: string
}

/** The model that the server uses for calls of one kind. */
export interface MediaModel {
  /** `<provider>:<model>`. */
  model: string
  /** The name that people read. */
  name: string
  provider_id: string
}

/** The account that a call is for and pays, and the end of its patience. */
export interface MediaCaller {
  account_id: string
  /** The agent and thread that the call belongs to, if there are any. */
  agent_id?: string
  thread_id?: string
  /** The language of the advice in an error; English by default. */
  locale?: Locale
  signal?: AbortSignal
}

/** The formats of speech; `opus` comes in Ogg. */
export type SpeechFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav'

/** A file that a model reads or makes; its media type is that of its bytes. */
export interface MediaFile {
  data: Uint8Array
  media_type: string
}

/**
 * The models that draw, speak, transcribe and rank, of which the server uses one each. Every call keeps the pace of its
 * provider, has a deadline and is charged to its account. Throws MODEL_NOT_CHOSEN if there is no model,
 * TOKEN_QUOTA_EXCEEDED, BUDGET_EXCEEDED, PRICE_UNKNOWN, the failures of the provider as turns have them, and MODEL_RESULT_INVALID if the model returns
 * nothing, too much or something else.
 */
export interface MediaModels {
  /**
   * Returns the model for a kind, as an account may use it or, without one, the server; undefined if none is chosen, or
   * if the chosen one cannot be used now.
   */
  find(kind: MediaKind, account_id?: string): Promise<MediaModel | undefined>
  /** Draws pictures; with `inputs` it changes them. */
  draw(
    request: MediaCaller & { prompt: string; size?: `${number}x${number}`; inputs?: readonly MediaFile[] },
  ): Promise<MediaFile[]>
  /** Speaks a text; without a format, as MP3. The voice is one of the model's own. */
  speak(request: MediaCaller & { text: string; voice?: string; format?: SpeechFormat }): Promise<MediaFile>
  /** Transcribes audio; languages are ISO 639-1, the language and the length are null if the model does not say them. */
  transcribe(
    request: MediaCaller & { audio: Uint8Array; media_type: string; language?: string },
  ): Promise<{ text: string; language: string | null; seconds: number | null }>
  /** Ranks documents by their relevance, the best first; `index` is the place in `documents`. */
  rerank(
    request: MediaCaller & { query: string; documents: readonly string[]; top_n?: number },
  ): Promise<{ index: number; score: number }[]>
}

/** A model call that is about to begin. */
export interface ModelCalling extends Omit<ModelCall, 'options'> {
  /** `<provider>:<model>`. */
  model: string
  /**
   * Returns the most tokens of the call: the estimate of its prompt, and the limit of its answer; with the cost of the
   * prompt and of one token of the answer in billionths, null if the price is not known.
   */
  estimate(): { prompt: number; output: number; cost: { prompt: number; token: number } | null }
  /** Limits the tokens of the answer. */
  limitOutput(tokens: number): void
  /** Aborted when the call is no longer needed. */
  signal?: AbortSignal
}

/** The tokens and the cost of a call. `usage` is estimated if its answer was cut or failed halfway, null if it failed before. */
export interface ModelSpending extends Omit<ModelCall, 'options'> {
  /** `<provider>:<model>`. */
  model: string
  usage: TokenUsage | null
  is_estimated: boolean
  /** The measures of a call besides tokens. */
  media?: MediaUsage
}

/** A model call that has ended. */
export interface ModelCalled extends ModelSpending {
  provider: { name: string; kind: string; scope: ProviderDocument['scope'] }
  outcome: 'ok' | 'failed' | 'aborted'
  /** Unix milliseconds. */
  started_ms: number
  /** Milliseconds until the end, and until the first part of the answer; null if there was none. */
  ms: number
  first_part_ms: number | null
}

declare module '#kernel/types' {
  interface Events {
    /** A call of a model has ended, and its usage is stored. */
    'model.called': ModelCalled
  }
  interface ExtensionPoints {
    /** The kinds of provider. A folder in `~/.svc/providers` is one, too. */
    'providers.kinds': ProviderKind
    /** Returns the users of a provider, by kind of user; while it has any, it cannot be deleted or renamed. */
    'providers.references': (question: {
      name: string
      scope: ProviderDocument['scope']
      owner_id: string | null
    }) => Promise<Record<string, unknown>>
    /** The currency of the server, an ISO 4217 code. At most one plugin answers; without an answer it is USD. */
    'providers.currency': (question: object) => string
    /** Reserves the tokens of a call; throws to refuse it, for instance TOKEN_QUOTA_EXCEEDED. */
    'providers.reservations': (question: ModelCalling) => unknown
    /** Stores the usage of a call; called once for each call that was not refused. */
    'providers.usage': (question: ModelSpending) => unknown
  }
}
