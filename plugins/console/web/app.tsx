import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { followThreads } from './chat/thread-events.ts'
import { router } from './routes.tsx'
import { followEvents } from './server/events.ts'
import { prefetchFacts } from './server/facts.ts'
import { queries } from './server/queries.ts'

followThreads()

/** The console of somebody who is signed in. */
export default function App() {
  useEffect(() => {
    prefetchFacts()
    const leaving = new AbortController()
    void followEvents(leaving.signal)
    return () => leaving.abort()
  }, [])
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  )
}
