import { RequestError } from '@agentclientprotocol/sdk'
import { RefusedError, UnreachableError } from '../api.ts'
import type { ErrorFrame } from '../frames.ts'
import { NotLoggedInError } from './sign-in.ts'

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
