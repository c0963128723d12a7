import { setTimeout as pause } from 'node:timers/promises'
import type { AuthProvider } from '@modelcontextprotocol/client'
import type { ConnectorTarget } from '#plugin-api'
import { readChallenge } from './challenge.ts'
import type { Credentials, CredentialsKey } from './credentials.ts'
import { type Challenge, MissingCredentials } from './missing-credentials.ts'
import { createOAuthClient, type OAuthState } from './oauth-client.ts'

type HttpTarget = Extract<ConnectorTarget, { transport: 'http' }>

/** The time for which one process may refresh tokens before another does, in milliseconds. */
const CLAIM_MS = 30_000
const POLL_MS = 200

/** The parts of an account's sign-in besides its key. */
interface TokenParts {
  target: HttpTarget
  fetch: typeof globalThis.fetch
  redirect_uri: string
  credentials: Credentials
}

/**
 * Creates what sends the tokens of an account, and refreshes them when the server refuses them: once among all
 * processes, because a refresh token may work only once. Throws MissingCredentials without a sign-in.
 */
export function createTokenAuth(
  key: CredentialsKey,
  first: { oauth?: OAuthState; revision: number } | undefined,
  { target, fetch, redirect_uri, credentials }: TokenParts,
): AuthProvider {
  let known = first
  let refreshing: Promise<void> | undefined

  const refresh = async (challenge: Challenge) => {
    const refused = known
    for (let waited = 0; waited <= CLAIM_MS; waited += POLL_MS) {
      known = await credentials.find(key)
      if (!known?.oauth?.tokens) throw new MissingCredentials({ challenge })
      if (known.revision !== refused?.revision) return
      if (await credentials.claim(key, known.revision, CLAIM_MS)) break
      await pause(POLL_MS)
    }
    const { auth } = await import('@modelcontextprotocol/client')
    const client = createOAuthClient(target, { redirect_uri, kept: known!.oauth })
    const result = await auth(client.provider, { serverUrl: target.url, fetchFn: fetch })
    if (result !== 'AUTHORIZED' || !client.state.tokens) {
      await credentials.remove(key)
      throw new MissingCredentials({ challenge })
    }
    await credentials.put(key, { oauth: client.state })
    known = await credentials.find(key)
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
