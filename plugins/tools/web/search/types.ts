import type { SearchEngine, SearchFailureReason, SearchResult, StoredConfig } from '#plugin-api'

/** The settings of a search engine; `_id` is its name. */
export interface SearchEngineDocument extends StoredConfig {
  /** Counts from 0; the engine at 0 is asked first. */
  position: number
  /** The price of a search in the currency of the server; null if searches are not charged. */
  price: number | null
}

/** The settings of all searches; there is one document. */
export interface SearchSettingsDocument {
  _id: 'settings'
  /** The most searches of an account in a UTC day; null for no limit. */
  per_day: number | null
  /** The number of changes of all settings. */
  revision: number
}

/** The searches of an account in its last UTC day with any; `_id` is the account's id. */
export interface SearchCountDocument {
  _id: string
  /** YYYY-MM-DD. */
  day: string
  count: number
}

/** Why an engine did not answer, for people. */
export interface ExplainedSearchFailure {
  kind: string
  label: string
  reason: SearchFailureReason
  /** Advice in the language of the request. */
  guidance: string
  /** The HTTP status of the answer. */
  status?: number
  /** The engine's own words, without secrets. */
  detail?: string
}

/** The results of a search, bounded and without HTML, and the engine that found them. */
export interface SearchAnswer {
  kind: string
  results: SearchResult[]
}

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Search engines for the tool `web_search`. */
    'web.search_engines': SearchEngine
  }
  interface Collections {
    web: {
      search_engines: SearchEngineDocument
      search_settings: SearchSettingsDocument
      search_counts: SearchCountDocument
    }
  }
}
