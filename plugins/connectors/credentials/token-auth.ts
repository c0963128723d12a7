import { setTimeout as pause } from 'node:timers/promises'
import type { AuthProvider } from '@modelcontextprotocol/client'
import type { ConnectorTarget } from '#plugin-api'
import type { Audiences } from './audiences.ts'
import { readChallenge } from './challenge.ts'
import type { Credentials, CredentialsKey } from './credentials.ts'
import { type Challenge, MissingCredentials } from './missing-credentials.ts'
import { createOAuthClient, type OAuthState } from './oauth-client.ts'
import { runAuth } from './run-auth.ts'

type HttpTarget = Extract<ConnectorTarget, { transport: 'http' }>

/** The time after the latest end of a refresh at which another process may refresh, in milliseconds. */
const CLAIM_EXTRA_MS = 10_000
const POLL_MS = 200

/** The parts of an account's sign-in besides its key. */
interface TokenParts {
  target: HttpTarget
  audiences: Audiences
  fetch: typeof globalThis.fetch
  redirect_uri: string
  credentials: Credentials
  /** The time for a refresh. */
  seconds: number
}

/**
 * Creates what sends the tokens of an account, and refreshes them when the server refuses them: once among all
 * processes, because a refresh token may work only once. Throws MissingCredentials without a sign-in.
 */
export function createTokenAuth(
  key: CredentialsKey,
  first: { oauth?: OAuthState; revision: number } | undefined,
  { target, audiences, fetch, redirect_uri, credentials, seconds }: TokenParts,
): AuthProvider {
  const claimMs = seconds * 1000 + CLAIM_EXTRA_MS
  let known = first
  let refreshing: Promise<void> | undefined

  const refresh = async (challenge: Challenge) => {
    const refused = known
    for (let waited = 0; waited <= claimMs; waited += POLL_MS) {
      known = await credentials.find(key, audiences)
      if (!known?.oauth?.tokens) throw new MissingCredentials({ challenge })
      if (known.revision !== refused?.revision) return
      if (await credentials.claim(key, known.revision, claimMs)) break
      await pause(POLL_MS)
    }
    const client = createOAuthClient(target, { redirect_uri, kept: known!.oauth })
    const result = await runAuth(client.provider, { serverUrl: target.url, fetch, seconds }).catch(
      async (error) => {
        await credentials.release(key, known!.revision)
        throw error
      },
    )
    if (result !== 'AUTHORIZED' || !client.state.tokens) {
      await credentials.remove(key, known!.revision)
      throw new MissingCredentials({ challenge })
    }
    await credentials.put(key, { oauth: client.state }, { audience: audiences.resource })
    known = await credentials.find(key, audiences)
  }

  return {
    token: async () => known?.oauth?.tokens?.access_token,
    async onUnauthorized({ response }) {
      refreshing ??= readChallenge(response)
        .then(refresh)
        .finally(() => {
          refreshing = undefined
        })
      await refreshing
    },
  }
}
