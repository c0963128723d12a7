import {
  ChannelFailure,
  type ChannelSettings,
  createDeadline,
  createTokenCache,
  type Json,
  toFilledText,
  toNumber,
} from '#plugin-api'
import { findApiAddress, type QQConfig, readSecret } from './config.ts'
import { isTokenRefusal, readCode, toConnectionFailure } from './failure.ts'
import { requestJson } from './request.ts'

/** The content of a call; `what` completes "QQ refused …". */
interface ApiCall {
  body?: unknown
  what: string
  signal: AbortSignal
  timeout_ms?: number
}

/** Creates the client of one app; `lifetime` aborts its calls. */
export function createApi(settings: ChannelSettings<QQConfig>, lifetime: AbortSignal) {
  const address = findApiAddress(settings)
  const tokens = createAccessTokens(settings, lifetime)

  return {
    tokens,
    /** Makes a call with a valid token, and again with a new one if QQ refuses it. Throws as `requestJson` does. */
    async call(method: 'GET' | 'POST' | 'PUT', path: string, { signal, ...call }: ApiCall): Promise<Json> {
      const both = createDeadline([signal, lifetime])
      const attempt = (token: string) =>
        requestJson({
          ...call,
          fetch: settings.fetch,
          url: `${address}${path}`,
          method,
          headers: { authorization: `QQBot ${token}` },
          signal: both.signal,
          secrets: [...tokens.secrets(), token],
        })
      try {
        const token = await tokens.get(both.signal)
        return await attempt(token).catch(async (error) => {
          if (!isTokenRefusal(error)) throw error
          return attempt(await tokens.renew(token, both.signal))
        })
      } finally {
        both.release()
      }
    },
  }
}

/** QQ's API with the bot's token. */
export type Api = ReturnType<typeof createApi>

/** The code of this call for an unknown app id; in other calls the code has another meaning. */
const UNKNOWN_APP = 10004

/** Creates the source of tokens, which requests them on demand. Throws `invalid_credentials`. */
function createAccessTokens(
  { config, endpoints, fetch }: Pick<ChannelSettings<QQConfig>, 'config' | 'endpoints' | 'fetch'>,
  lifetime: AbortSignal,
) {
  const secret = readSecret(config) ?? ''
  let latestToken: string | undefined

  const cache = createTokenCache(async () => {
    const reply = await requestJson({
      fetch,
      url: `${endpoints.auth}/app/getAppAccessToken`,
      method: 'POST',
      body: { appId: config.app_id, clientSecret: secret },
      what: 'the credentials',
      signal: lifetime,
      secrets: [secret],
    }).catch(explain)
    const token = toFilledText(reply.access_token)
    if (!token) throw new ChannelFailure('invalid_credentials', 'QQ returned no access token.')
    latestToken = token
    return { token, lifetime_ms: (toNumber(reply.expires_in) ?? 0) * 1000 }
  })

  const within = (signal: AbortSignal, token: Promise<string>) =>
    token.catch((error) => {
      throw toConnectionFailure(error, signal)
    })

  return {
    /** Returns a valid token. */
    get: (signal: AbortSignal) => within(signal, cache.get(signal)),
    /** Returns another token than the refused one; concurrent calls share one request. */
    renew: (refused: string, signal: AbortSignal) => within(signal, cache.replace(refused, signal)),
    /** Lists the app's secret and its token, which must not be shown. */
    secrets: () => (latestToken ? [secret, latestToken] : [secret]),
  }
}

function explain(error: unknown): never {
  if (readCode(error) === UNKNOWN_APP)
    throw new ChannelFailure(
      'invalid_credentials',
      `QQ refused the credentials (${UNKNOWN_APP}): the app is unknown.`,
    )
  throw error
}
