import type { createLogin } from './login.ts'
import type { TokenStore } from './token-store.ts'

/** The source of a session's token, and the place to keep it. */
interface SignIn {
  login: ReturnType<typeof createLogin>
  store: TokenStore
}

/** Returns the API key in the environment as a sign-in that asks nobody and stores nothing; without one, `otherwise()`. */
export function readApiKey(env: NodeJS.ProcessEnv, otherwise: () => SignIn): SignIn {
  const { SVC_API_KEY: access_token } = env
  if (!access_token) return otherwise()
  return {
    login: async () => ({ username: '', access_token }),
    store: { read: async () => undefined, write: async () => {} },
  }
}
