import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { AppError, Locale } from '#kernel'
import type { ModelCallOptions, ModelDescription, ProviderKind, TokenUsage } from '#plugin-api'

/** One provider; a global one belongs to nobody and is visible to everybody. Times are Unix seconds. */
export interface ProviderDocument {
  _id: string
  /** Unique among the globals, or among its owner's. */
  name: string
  kind: string
  scope: 'user' | 'global'
  owner_id: string | null
  /** True if an administrator was the last to change it: its addresses are not checked. */
  is_trusted?: boolean
  base_url: string | null
  /** Sealed for the purpose `provider:<_id>`. */
  api_key: string | null
  /** Empty: the upstream is asked. */
  models: ModelDescription[]
  /** Without those that the kind's schema marks writeOnly. */
  options: Record<string, unknown>
  /** The others, JSON, sealed for the purpose `provider:<_id>:options`. */
  secret_options: string | null
  /** Calls at a time in one server process; null: as the configuration says. */
  max_concurrency: number | null
  enabled: boolean
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

/** What a model is called for. */
export type ModelPurpose = 'turn' | 'task' | 'summary' | 'polish'

/** Whom a model call is for, and who pays for it; `token_quota` is the account's, null where it has none. */
export interface ModelAccount {
  user_id: string
  token_quota: number | null
  agent_id: string
  thread_id: string | null
}

/** One call of a model; `call_id` is unique. */
export interface ModelCall {
  call_id: string
  account: ModelAccount
  purpose: ModelPurpose
  options: ModelCallOptions
}

/** A model ready to be called, also by many at a time. */
export interface OpenedModel {
  /** `<provider>:<model>`. */
  reference: string
  /**
   * Calls it, at its provider's pace; the parts of the answer come as they are said, a failure is thrown. What the call
   * took is stored before the last part has been read.
   */
  stream(call: ModelCall): AsyncIterable<LanguageModelV3StreamPart>
  description: ModelDescription
  /** Sorts what a call threw; an AppError comes back as it is. */
  explain(error: unknown, locale: Locale): AppError
}

/** A model that an agent or a turn may name. */
export interface ModelRow {
  id: string
  provider: string
  model: string
  name: string
  kind: string
  context_window: number | null
  max_output_tokens: number | null
  input: ('text' | 'image' | 'audio')[]
  reasoning: boolean
}

/** The models that users can choose. */
export interface Models {
  list(user_id: string): Promise<ModelRow[]>
  active(): Promise<ActiveModel>
  activate(reference: string): Promise<void>
  /** Throws PROVIDER_NOT_VISIBLE unless the user could run a turn with this model, as far as is known. */
  assertUsable(reference: string, user_id: string): Promise<void>
  /**
   * Opens the first model that is named: of those chosen, else the agent's, else the active one. Never another one in its
   * place: throws MODEL_DISABLED if it cannot be used, NO_MODEL if none is named.
   */
  open(
    chosen: readonly (string | null | undefined)[],
    user_id: string,
    agent?: ModelOwner,
  ): Promise<OpenedModel>
}

/** An agent's own choice of a model, which is its owner's. */
export interface ModelOwner {
  owner_id: string
  default_model: string | null
}

/** The model of those who choose none; `model` is null and `disabled_model` set while its provider is off or lacks it. */
export interface ActiveModel {
  model: string | null
  disabled_model?: string
}

/** A model is about to be called; whoever refuses throws. */
export interface ModelCalling extends Omit<ModelCall, 'options'> {
  /** What the call takes at most, in tokens: its prompt as it is estimated, and its longest answer. */
  estimate(): { prompt: number; output: number }
  /** Keeps the answer from becoming longer than so many tokens. */
  limitOutput(tokens: number): void
  /** Aborted when nobody needs the call any more. */
  signal?: AbortSignal
}

/** A call has ended. Of one that was cut or failed within its answer, `usage` is estimated; of one that failed before, none. */
export interface ModelCalled extends Omit<ModelCall, 'options'> {
  /** `<provider>:<model>`. */
  model: string
  usage: TokenUsage | null
  is_estimated: boolean
}

declare module '#kernel/types' {
  interface Events {
    /** A call of a model has ended, and what it took is stored. */
    'model.called': ModelCalled
  }
  interface ExtensionPoints {
    /** Vendors of models. A folder in `~/.svc/providers` is one, too. */
    'providers.kinds': ProviderKind
    /** What still needs a provider, by sorts; any that is returned keeps it from being deleted or renamed. */
    'providers.references': (asked: {
      name: string
      scope: ProviderDocument['scope']
      owner_id: string | null
    }) => Promise<Record<string, unknown>>
    /** Reserves what a call may take; throws to refuse it, for instance TOKEN_QUOTA_EXCEEDED. */
    'providers.reservations': (asked: ModelCalling) => unknown
    /** Stores what a call took; once for each that was not refused. */
    'providers.usage': (asked: ModelCalled) => unknown
  }
}
