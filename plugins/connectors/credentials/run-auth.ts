import type { AuthResult, OAuthClientProvider } from '@modelcontextprotocol/client'
import { untilAborted, withDeadline } from '#toolbox'
import { boundedFetch } from '../connections/bounded-fetch.ts'

/** The most bytes of one reply of an authorization server, or about one. */
const MAX_AUTH_BYTES = 1024 * 1024

type AuthOptions = Parameters<typeof import('@modelcontextprotocol/client').auth>[1]

/** The options of a step of a sign-in. */
interface StepOptions extends Omit<AuthOptions, 'fetchFn'> {
  fetch: typeof globalThis.fetch
  /** The time for all its requests. */
  seconds: number
}

/** Runs the next step of a sign-in with replies of a bounded size; rejects with a TimeoutError if it takes too long. */
export async function runAuth(
  provider: OAuthClientProvider,
  { fetch, seconds, ...options }: StepOptions,
): Promise<AuthResult> {
  const { auth } = await import('@modelcontextprotocol/client')
  return withDeadline(seconds * 1000, [], (signal) => {
    const fetchFn = boundedFetch((input, init) => fetch(input, { ...init, signal }), MAX_AUTH_BYTES)
    return untilAborted(signal, auth(provider, { ...options, fetchFn }))
  })
}
