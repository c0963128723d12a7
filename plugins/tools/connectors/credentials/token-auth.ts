import { setTimeout as pause } from 'node:timers/promises'
import type { AuthProvider } from '@modelcontextprotocol/client'
import type { ConnectorTarget } from '#plugin-api'
import { toFailure } from '../connections/failure.ts'
import type { Audiences } from './audiences.ts'
import { refreshTokens } from './authorization.ts'
import { type Challenge, MissingCredentials, readChallenge } from './challenge.ts'
import type { Credentials, CredentialsKey } from './credentials.ts'
import { withOAuthRequest } from './oauth-request.ts'
import type { OAuthState } from './oauth-state.ts'
import { isClientUnknown, SignInFailure } from './sign-in-failure.ts'

type HttpTarget = Extract<ConnectorTarget, { transport: 'http' }>

/** The time after the latest end of a refresh at which another process may refresh, in milliseconds. */
const CLAIM_EXTRA_MS = 10_000
const POLL_MS = 200

/** Sends the tokens of an account. */
export interface TokenAuth extends AuthProvider {
  /** The tokens, which no words of a server may repeat. */
  secrets(): string[]
}

/** The dependencies of an account's sign-in. */
interface TokenParts {
  target: HttpTarget
  audiences: Audiences
  fetch: typeof globalThis.fetch
  credentials: Credentials
  /** The time for a refresh. */
  seconds: number
}

/**
 * Creates the authentication with the tokens of an account. Tokens that the server refuses are refreshed, by one
 * process at a time, because a refresh token may work only once. Throws MissingCredentials without a sign-in, and
 * SignInFailure if the authorization server does not refresh them at the moment.
 */
export function createTokenAuth(
  key: CredentialsKey,
  first: { oauth?: OAuthState; revision: number } | undefined,
  { target, audiences, fetch, credentials, seconds }: TokenParts,
): TokenAuth {
  const claimMs = seconds * 1000 + CLAIM_EXTRA_MS
  let current = first
  let refreshing: Promise<void> | undefined

  const refresh = async (challenge: Challenge) => {
    const refused = current
    for (let waited = 0; waited <= claimMs; waited += POLL_MS) {
      current = await credentials.find(key, audiences)
      if (!current?.oauth?.tokens) throw new MissingCredentials({ challenge })
      if (current.revision !== refused?.revision) return
      if (await credentials.claim(key, current.revision, claimMs)) break
      await pause(POLL_MS)
    }
    const { oauth, revision } = current!
    const end = async () => {
      await credentials.remove(key, revision)
      throw new MissingCredentials({ challenge })
    }
    if (!oauth!.tokens!.refresh_token) return end()
    let refreshed: OAuthState
    try {
      refreshed = await withOAuthRequest({ fetch, seconds }, (request) =>
        refreshTokens(request, target, oauth!),
      )
    } catch (error) {
      if (isFinal(error, target)) return end()
      await credentials.release(key, revision)
      throw error instanceof SignInFailure
        ? error
        : new SignInFailure('unavailable', toFailure(error).message, { cause: error })
    }
    await credentials.renew(key, revision, refreshed)
    current = await credentials.find(key, audiences)
  }

  return {
    token: async () => current?.oauth?.tokens?.access_token,
    secrets: () => {
      const { access_token, refresh_token } = current?.oauth?.tokens ?? {}
      return [access_token, refresh_token].filter((token) => token !== undefined)
    },
    async onUnauthorized({ response }) {
      refreshing ??= refresh(readChallenge(response)).finally(() => {
        refreshing = undefined
      })
      await refreshing
    },
  }
}

/** True if a refresh failed because the sign-in has ended; a client that was entered by hand is mended by hand. */
const isFinal = (error: unknown, { client }: HttpTarget): boolean =>
  (error instanceof SignInFailure && error.code === 'invalid_grant') || (isClientUnknown(error) && !client)
