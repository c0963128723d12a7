import { AppError, type JSONSchema, type Locale, type LocalizedText } from '#kernel'
import type { AnyConfig } from './config-of.ts'
import { isObject } from './toolbox/json-object.ts'
import { cutText } from './toolbox/text.ts'

/** The ages of pages that a search can be limited to: at most a day, a week, a month or a year. */
export const SEARCH_AGES = ['day', 'week', 'month', 'year'] as const

/** One of these. */
export type SearchAge = (typeof SEARCH_AGES)[number]

/** A search of the web: `count` is the most results that are used. */
export interface SearchQuery {
  text: string
  count: number
  freshness?: SearchAge
  /** The language of the person who asks. */
  locale: Locale
}

/** A page that a search engine found, as the engine describes it. Tags and entities of HTML are removed later. */
export interface SearchResult {
  title: string
  /** Results without an address of http or https are left out. */
  url: string
  snippet: string
  /** The date of the page in the words of the engine, preferably ISO 8601. */
  published_at?: string
}

/** The means of one search. */
export interface SearchContext<Config = AnyConfig> {
  /** The settings with their defaults; secrets are in the clear. */
  config: Config
  /**
   * Reaches public addresses, and the hosts in the settings that have the format `url`. It follows no redirects, so that
   * keys go nowhere else, and refuses bodies of more than 2 MiB.
   */
  fetch: typeof globalThis.fetch
  /** Aborted when the time for the search is over, or nobody waits for it any more. */
  signal: AbortSignal
}

/** A search engine that agents can use once an administrator has entered its settings. */
export interface SearchEngine<Config = AnyConfig> {
  /** Unique, such as `brave`. */
  name: string
  label: LocalizedText
  /**
   * The JSON Schema of its settings, an object without further properties. A property marked `writeOnly` is a secret; it is
   * kept only while the properties of the format `url` lead to the same place. `kind`, `label` and `price` are taken.
   */
  config_schema: JSONSchema
  /** Advice about failures that means more than the general one. */
  guidance?: Partial<Record<SearchFailureReason, LocalizedText>>
  /** Finds pages, best first; throws a SearchFailure if it knows why it cannot. No results are no failure. */
  search(query: SearchQuery, context: SearchContext<Config>): Promise<readonly SearchResult[]>
}

/** Why a search engine did not answer. */
export const SEARCH_FAILURES = [
  'auth',
  'quota',
  'rate_limit',
  'outage',
  'timeout',
  'unreachable',
  'address_not_allowed',
  'redirected',
  'not_found',
  'not_enabled',
  'bad_request',
  'unreadable',
  'unknown',
] as const

/** One of these. */
export type SearchFailureReason = (typeof SEARCH_FAILURES)[number]

/**
 * The error that a search engine throws if it knows why a search failed. Administrators read the message, in which the
 * secrets of the settings are masked. An engine that imports nothing of ours throws any error with a `reason`.
 */
export class SearchFailure extends Error {
  readonly reason: SearchFailureReason
  /** The HTTP status of the answer, if there was one. */
  readonly status: number | undefined

  constructor(
    reason: SearchFailureReason,
    message: string = reason,
    { status, cause }: { status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = 'SearchFailure'
    this.reason = reason
    this.status = status
  }
}

/**
 * Reads the JSON of an engine's answer. Throws a SearchFailure for a status other than 2xx, whose reason `reasons` may
 * change by status, and for a body that is not a JSON object.
 */
export async function readSearchAnswer(
  response: Response,
  reasons: Readonly<Record<number, SearchFailureReason>> = {},
): Promise<Record<string, unknown>> {
  const { status } = response
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    const location = response.headers.get('location') ?? 'another address'
    throw new SearchFailure('redirected', `It redirects to ${cutText(location, 200)}.`, { status })
  }
  const body = parse(await response.text())
  if (response.ok && isObject(body)) return body
  const reason = response.ok ? 'unreadable' : (reasons[status] ?? toReason(status))
  throw new SearchFailure(reason, readMessage(body) ?? `It answered ${status}.`, { status })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toReason(status: number): SearchFailureReason {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'quota'
  if (status === 404 || status === 405) return 'not_found'
  if (status === 429) return 'rate_limit'
  if (status === 408 || status === 504) return 'timeout'
  return status >= 500 ? 'outage' : 'bad_request'
}

/** The part of an upstream's own message that is passed on. */
const MAX_MESSAGE_CHARS = 300

/** Finds the message in the body of an error: vendors put it below `message`, `error` or `detail`, in one or two objects. */
function readMessage(body: unknown, depth = 2): string | undefined {
  if (typeof body === 'string' && body.trim() !== '') return cutText(body.trim(), MAX_MESSAGE_CHARS)
  if (!isObject(body) || depth === 0) return undefined
  for (const part of [body.message, body.error, body.detail]) {
    const message = readMessage(part, depth - 1)
    if (message !== undefined) return message
  }
  return undefined
}

/** True for an error that says why a search failed, of whatever class. */
export const isSearchFailure = (
  error: unknown,
): error is { reason: SearchFailureReason; message: string; status?: number } =>
  error instanceof Error &&
  !(error instanceof AppError) &&
  'reason' in error &&
  SEARCH_FAILURES.includes(error.reason as SearchFailureReason)
