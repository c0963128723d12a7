import { QueryClient } from '@tanstack/react-query'
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
