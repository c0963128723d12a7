import {
  AppError,
  type BoundedFetch,
  createBoundedFetch,
  createDeadline,
  type Locale,
  type SearchAge,
  untilAborted,
} from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import { explainSearchFailure } from './failure.ts'
import { toPlainResults } from './plain-results.ts'
import type { SetEngine } from './search-settings.ts'
import type { ExplainedSearchFailure, SearchAnswer } from './types.ts'

/** The largest answer of an engine, in bytes. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024

/** Fetches for different hosts that are kept with their connections. */
const MAX_FETCHES = 32

/** A search, and the means to charge for it. */
export interface SearchRequest {
  text: string
  count: number
  freshness?: SearchAge
  locale: Locale
  signal?: AbortSignal
  /** Called around the call of an engine. */
  charge?<Result>(engine: SetEngine, call: () => Promise<Result>): Promise<Result>
}

/** Asks the search engines that are set. */
export type WebSearches = ReturnType<typeof createWebSearches>

/** Creates the service. */
export function createWebSearches({
  config: { allow_hosts, search_seconds },
  log,
  searchCounters,
}: Pick<Cradle, 'config' | 'log' | 'searchCounters'>) {
  const fetches = new Map<string, BoundedFetch>()

  /** Returns the fetch for an engine. An administrator has entered the hosts in its settings, so they may be private. */
  function fetchFor({ engine, config }: SetEngine): typeof globalThis.fetch {
    const hosts = engine.hostsIn(config)
    const key = hosts.join(' ')
    const bounded = fetches.get(key) ?? createBoundedFetch([...allow_hosts, ...hosts])
    if (fetches.size >= MAX_FETCHES) fetches.clear()
    fetches.set(key, bounded)
    const bounds = { max_bytes: MAX_ANSWER_BYTES, timeout_ms: Math.ceil(search_seconds * 1000) }
    return ((url: string | URL, init?: RequestInit) =>
      bounded(url, { ...init, redirect: 'manual', ...bounds })) as typeof globalThis.fetch
  }

  async function askOne(set: SetEngine, request: SearchRequest): Promise<SearchAnswer> {
    const { engine } = set
    const { text, count, freshness, locale, signal } = request
    const config = engine.withDefaults(set.config)
    const deadline = createDeadline([signal], { milliseconds: search_seconds * 1000 })
    try {
      const query = { text, count, locale, ...(freshness && { freshness }) }
      const context = { config, fetch: fetchFor({ ...set, config }), signal: deadline.signal }
      const searching = Promise.resolve().then(() => engine.search(query, context))
      const results = await untilAborted(deadline.signal, searching)
      return { kind: engine.name, results: toPlainResults(results, count) }
    } catch (error) {
      // The engine may have wrapped the end of the time in an error of its own.
      throw deadline.signal.aborted ? deadline.signal.reason : error
    } finally {
      deadline.release()
    }
  }

  return {
    /**
     * Asks engines in their order until one answers; an answer without results is one. Throws WEB_SEARCH_FAILED with the
     * reason of each if all fail, and what `charge` throws.
     */
    async search(
      engines: readonly SetEngine[],
      request: SearchRequest,
    ): Promise<SearchAnswer & { ms: number }> {
      const { locale, signal, charge = (_, call) => call() } = request
      const failures: ExplainedSearchFailure[] = []
      for (const set of engines) {
        const kind = set.engine.name
        const startedAt = performance.now()
        let isCalled = false
        try {
          const answer = await charge(set, () => {
            isCalled = true
            return askOne(set, request)
          })
          searchCounters.note(kind, 'ok')
          return { ...answer, ms: Math.round(performance.now() - startedAt) }
        } catch (error) {
          signal?.throwIfAborted()
          if (!isCalled) throw error
          const failure = explainSearchFailure(error, set, locale)
          failures.push(failure)
          searchCounters.note(kind, failure.reason)
          const { reason, status, detail } = failure
          log.warn({ kind, reason, status, detail }, 'a search engine did not answer')
        }
      }
      throw toError(failures)
    },
  }
}

/** Returns the error for a search that no engine answered. */
function toError(failures: readonly ExplainedSearchFailure[]): AppError {
  const [first] = failures
  if (!first) return new AppError('WEB_SEARCH_NOT_SET')
  const guidance = failures.map(({ label, guidance }) => `${label}: ${guidance}`).join('\n')
  return new AppError('WEB_SEARCH_FAILED', { ...first, guidance, failures })
}
