import { type Api, RefusedError } from '../api.ts'
import { createLogin } from '../login.ts'
import type { TokenStore } from '../token-store.ts'

/** Thrown if nobody is logged in and nobody can be asked for a password. */
export class NotLoggedInError extends Error {
  constructor(advice: string) {
    super(`Nobody is logged in. ${advice}`)
    this.name = 'NotLoggedInError'
  }
}

/**
 * Creates the function that logs a user in if nobody can be asked for a password: with the login that `svc chat` has
 * stored since, otherwise as `svc chat` does before it asks. It throws a `NotLoggedInError` or the server's refusal.
 */
export const createSignIn = ({
  store,
  username,
  advice,
  ...parts
}: Omit<Parameters<typeof createLogin>[0], 'askSecret'> & {
  store: TokenStore
  username: string | undefined
  /** Tells the user what to do. */
  advice: string
}) => {
  const login = createLogin({ ...parts, askSecret: () => Promise.reject(new NotLoggedInError(advice)) })

  return async (name: string | undefined) => {
    const stored = await store.read()
    const isForUser = stored && (username === undefined || stored.username === username)
    if (isForUser && (await isAccepted(parts.api, stored.access_token))) return stored
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
