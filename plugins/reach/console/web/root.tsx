import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { withAppWords, withPageWords } from './i18n/load.ts'
import { loadApp } from './load-app.ts'
import { isInterrupted, onSession, readSession } from './session/token.ts'
import { SignIn } from './sign-in/sign-in.tsx'

const App = lazy(async () => {
  const { default: openApp } = await loadApp()
  return { default: await openApp() }
})
const NewPassword = lazy(() => import('./sign-in/new-password.tsx'))
const RequiredAction = lazy(withPageWords(() => import('./sign-in/required-action.tsx')))
const StrangerPage = lazy(withAppWords(withPageWords(() => import('./shares/stranger-page.tsx'))))
const SignInAgain = lazy(() => import('./sign-in/sign-in-again.tsx'))

/** Addresses that sign somebody in, also somebody who has a session. */
const SIGN_IN_PATHS = ['/login', '/login/oauth/complete', '/invite', '/set-password']

/** The page: the console after a sign-in, otherwise the sign-in. */
export function Root() {
  const session = useSyncExternalStore(onSession, readSession)
  const isWaiting = useSyncExternalStore(onSession, isInterrupted)
  if (!session && location.pathname.startsWith('/shared/')) return load(<StrangerPage />)
  if (!session || SIGN_IN_PATHS.includes(location.pathname)) return <SignIn />
  if (session.user.required_actions?.length) return load(<RequiredAction />)
  if (session.user.must_change_password && !isWaiting) return load(<NewPassword />)
  return (
    <>
      {/* Without a boundary, what was shown before stays until the console is ready. */}
      <App />
      {isWaiting && load(<SignInAgain user={session.user} />)}
    </>
  )
}

const load = (page: ReactNode) => <Suspense>{page}</Suspense>
