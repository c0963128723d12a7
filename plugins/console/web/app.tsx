import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { followThreads } from './chat/thread-events.ts'
import { router } from './routes.tsx'
import { followEvents } from './server/events.ts'
import { prefetchFacts } from './server/facts.ts'
import { queries } from './server/queries.ts'
import { prefetchAccount } from './session/account.ts'
import { waitForInterruption } from './session/token.ts'

followThreads()

/**
 * Reads what the first page needs, so that it is shown at once instead of in parts. If the session ends meanwhile, the
 * page is shown without it, as the sign-in is above the page.
 */
export function prepareApp(): Promise<unknown> {
  // The page follows events until it is left. Those who read after the stream has begun need not read again.
  void followEvents(new AbortController().signal)
  const reads = Promise.all([prefetchFacts(), prefetchAccount(), router.load()])
  return Promise.race([reads, waitForInterruption()])
}

/** The console of somebody who is signed in. */
export default function App() {
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  )
}
