import type { ChannelSettings } from '#plugin-api'
import type { Json } from '#toolbox'
import { createAccessTokens } from './access-token.ts'
import { findApiAddress, type QQConfig } from './config.ts'
import { isTokenRefusal } from './failure.ts'
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
      const both = AbortSignal.any([signal, lifetime])
      const attempt = (token: string) =>
        requestJson({
          ...call,
          fetch: settings.fetch,
          url: `${address}${path}`,
          method,
          headers: { authorization: `QQBot ${token}` },
          signal: both,
          secrets: [...tokens.secrets(), token],
        })
      const token = await tokens.get(both)
      try {
        return await attempt(token)
      } catch (error) {
        if (!isTokenRefusal(error)) throw error
        return attempt(await tokens.renew(token, both))
      }
    },
  }
}

/** QQ's API with the bot's token. */
export type Api = ReturnType<typeof createApi>
