import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { followThreads } from './chat/thread-events.ts'
import { followBudgets } from './frame/budget-notice.ts'
import { router } from './routes.tsx'
import { followEvents } from './server/events.ts'
import { prefetchFacts } from './server/facts.ts'
import { queries } from './server/queries.ts'
import { noteTimeZone, prefetchAccount } from './session/account.ts'
import { waitForInterruption } from './session/token.ts'

followThreads()
followBudgets()

/** The pause before what the first page does not need, in milliseconds. */
const PRESENCE_MS = 3_000

/**
 * Returns the console of somebody who is signed in, once what its first page needs was read, so that it is shown at once
 * instead of in parts. If the session ends meanwhile, it comes without, as the sign-in is shown above it.
 */
export default async function openApp() {
  // The page follows events until it is left. Queries that read after the stream has begun need not read again.
  void followEvents(new AbortController().signal)
  const reads = Promise.all([prefetchFacts(), prefetchAccount().then(noteTimeZone), router.load()])
  await Promise.race([reads, waitForInterruption()])
  setTimeout(() => import('./push/presence.ts').then(({ startPresence }) => startPresence()), PRESENCE_MS)
  return App
}

const App = () => (
  <QueryClientProvider client={queries}>
    <RouterProvider router={router} />
  </QueryClientProvider>
)
