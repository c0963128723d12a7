import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { loadAppWords } from './i18n/load.ts'
import { router } from './routes.tsx'
import { queries } from './server/queries.ts'

await loadAppWords()

/** The console of somebody who is signed in. */
export default function App() {
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  )
}
