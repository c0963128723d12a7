import { RequestError } from '@agentclientprotocol/sdk'
import { type Api, RefusedError, UnreachableError } from '../api.ts'
import type { ErrorFrame } from '../frames.ts'
import { createLogin } from '../login.ts'
import type { TokenStore } from '../token-store.ts'

/** Thrown if nobody is logged in and nobody can be asked for a password. */
class NotLoggedInError extends Error {
  constructor(advice: string) {
    super(`You are not signed in. ${advice}`)
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

/** JSON-RPC's code for an internal error. */
const INTERNAL_ERROR = -32603

/** The protocol's code for a request that needs a login. */
export const AUTH_REQUIRED = RequestError.authRequired().code

/** Converts an error for an editor: with the server's own message, and its code in `data`. */
export function toRequestError(error: unknown, session_id?: string): RequestError {
  if (error instanceof RequestError) return error
  if (error instanceof NotLoggedInError) return RequestError.authRequired(undefined, error.message)
  if (error instanceof UnreachableError)
    return new RequestError(INTERNAL_ERROR, error.message, { code: 'UNREACHABLE' })
  if (error instanceof RefusedError) {
    const { code, status, message, issues } = error
    if (status === 401) return RequestError.authRequired({ code }, message)
    if (session_id !== undefined && code === 'THREAD_NOT_FOUND')
      return RequestError.sessionNotFound(session_id)
    return new RequestError(INTERNAL_ERROR, message, { code, ...(issues.length > 0 && { issues }) })
  }
  return new RequestError(INTERNAL_ERROR, error instanceof Error ? error.message : String(error))
}

/** Converts the error of a turn to the error of its prompt. */
export function toTurnError({ code, message, details }: ErrorFrame, session_id: string): RequestError {
  if (code === 'THREAD_NOT_FOUND') return RequestError.sessionNotFound(session_id)
  return new RequestError(INTERNAL_ERROR, message, { code, details })
}
