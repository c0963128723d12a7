import { type Api, RefusedError } from '../api.ts'
import { createLogin } from '../login.ts'
import type { TokenStore } from '../token-store.ts'

/** Nobody is logged in, and nobody is there to ask for a password. */
export class NotLoggedInError extends Error {
  constructor(advice: string) {
    super(`Nobody is logged in. ${advice}`)
    this.name = 'NotLoggedInError'
  }
}

/**
 * Makes the function that logs a user in where nobody can be asked: with the login that `svc chat` has stored
 * meanwhile, else as `svc chat` does before it asks. It throws a `NotLoggedInError` or the server's refusal.
 */
export const createSignIn = ({
  store,
  username,
  advice,
  ...parts
}: Omit<Parameters<typeof createLogin>[0], 'askSecret'> & {
  store: TokenStore
  username: string | undefined
  /** What the user is told to do. */
  advice: string
}) => {
  const login = createLogin({ ...parts, askSecret: () => Promise.reject(new NotLoggedInError(advice)) })

  return async (name: string | undefined) => {
    const stored = await store.read()
    const isTheirs = stored && (username === undefined || stored.username === username)
    if (isTheirs && (await isAccepted(parts.api, stored.access_token))) return stored
    return login(name)
  }
}

async function isAccepted(api: Api, token: string): Promise<boolean> {
  try {
    await api({ method: 'GET', path: '/agents?limit=1', token })
    return true
  } catch (error) {
    if (error instanceof RefusedError && error.status === 401) return false
    throw error
  }
}
