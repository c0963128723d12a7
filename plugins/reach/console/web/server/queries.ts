import { type InvalidateQueryFilters, QueryClient } from '@tanstack/react-query'
import { readFailure } from './failure.ts'

/** Failures that another attempt may not have. */
const isPassing = (error: unknown) => {
  const { code } = readFailure(error)
  return code === undefined || ['DATABASE_UNAVAILABLE', 'SHUTTING_DOWN', 'RATE_LIMITED'].includes(code)
}

/** The cache of all lists and objects of the page. Events of the server say what has changed, so nothing is polled. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 3 && isPassing(error),
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 5_000),
    },
  },
})

/** Reads the matching lists and objects again if they are shown, because they have changed. */
export function readAgain(filters: InvalidateQueryFilters = {}): void {
  void queries.invalidateQueries(filters)
  // A first read that is under way may be older than the change, and would pass for new when it arrives.
  for (const { state, promise, queryKey } of queries.getQueryCache().findAll(filters))
    if (state.data === undefined && state.fetchStatus === 'fetching')
      promise?.then(
        () => queries.invalidateQueries({ queryKey, exact: true }),
        () => {},
      )
}
