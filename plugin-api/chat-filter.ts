import type { Locale, LocalizedText } from '#kernel'

/** A part of a message as a filter sees it, in the form of the history. */
export type FilterBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool_result'
      readonly id: string
      readonly name: string
      readonly output: string
      readonly is_error: boolean
    }
  | { readonly type: 'image' | 'file'; readonly media_type: string }

/** A message as a filter sees it, right before a model does. Messages, their blocks and their inputs are frozen. */
export interface FilterMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: readonly FilterBlock[]
}

/** The call of a model that a filter looks at. */
export interface FilterContext {
  agent: { id: string; name: string; owner_id: string }
  /** The account that the model is called for. */
  caller: { id: string; role: string }
  purpose: 'turn' | 'task' | 'summary' | 'title' | 'memory' | 'polish'
  /** The language of the person. */
  locale: Locale
  /** Aborted when the time of the filter is over, and when the turn is stopped. */
  signal: AbortSignal
}

/** The reason why a filter lets nothing pass: a code of capital letters, and a sentence of at most 1,000 characters. */
export interface FilterRefusalReason {
  code: string
  message: string | LocalizedText
}

/** Something that the person should know; the same notice is shown once in a turn. */
export type FilterNotice = FilterRefusalReason

/** A filter between people and models. */
export interface ChatFilter {
  /** Unique among the filters. */
  name: string
  /** Decides whether nothing passes if the filter fails or takes too long, or all of it unfiltered. */
  on_failure: 'refuse' | 'pass'
  /** Milliseconds of one call; 500 by default, at most 5000. */
  time_limit_ms?: number
  /**
   * Called before each call of a model with all that the model receives. Returns the same messages with other texts; only
   * images and files can be left out.
   */
  request?(
    question: FilterContext & { messages: readonly FilterMessage[] },
  ): Answer<{ messages: readonly FilterMessage[]; notices?: readonly FilterNotice[] }>
  /** Called with each paragraph of an answer, and of the thoughts of a model, before anybody sees it. */
  reply?(
    question: FilterContext & { text: string },
  ): Answer<{ text: string; notices?: readonly FilterNotice[] }>
}

type Answer<Passed> =
  | Passed
  | { refuse: FilterRefusalReason }
  | Promise<Passed | { refuse: FilterRefusalReason }>
