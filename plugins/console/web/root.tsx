import { lazy, Suspense, useSyncExternalStore } from 'react'
import { onToken, readToken } from './session/token.ts'

const App = lazy(() => import('./app.tsx'))
const SignIn = lazy(() => import('./sign-in/sign-in.tsx'))

/** Addresses that sign somebody in, also somebody who has a session. */
const SIGN_IN_PATHS = ['/login/oauth/complete', '/invite']

/** The page: the console for those who are signed in, otherwise the way to sign in. */
export function Root() {
  const token = useSyncExternalStore(onToken, readToken)
  const isSigningIn = token === undefined || SIGN_IN_PATHS.includes(location.pathname)
  return <Suspense>{isSigningIn ? <SignIn /> : <App />}</Suspense>
}
