import type { ChannelSettings } from '#plugin-api'
import { type AccessTokens, createAccessTokens } from './access-token.ts'
import { findApiAddress, type QQConfig } from './config.ts'
import { Refusal } from './failure.ts'
import type { Fields } from './fields.ts'
import { requestJson } from './request.ts'

/** QQ's API with the bot's token. */
export interface Api {
  tokens: AccessTokens
  /** Makes a call with a valid token, and again with a new one if QQ refuses it. Throws as `requestJson` does. */
  call(method: 'GET' | 'POST' | 'PUT', path: string, call: ApiCall): Promise<Fields>
}

/** The content of a call; `what` completes "QQ refused …". */
export interface ApiCall {
  body?: unknown
  what: string
  signal: AbortSignal
  timeout_ms?: number
}

const TOKEN_REFUSED = [11241, 11242, 11243, 11244]

/** Creates the client of one app; `lifetime` aborts its calls. */
export function createApi(settings: ChannelSettings<QQConfig>, lifetime: AbortSignal): Api {
  const address = findApiAddress(settings)
  const tokens = createAccessTokens(settings, lifetime)

  return {
    tokens,
    async call(method, path, { signal, ...call }) {
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
        if (!(error instanceof Refusal) || !(error.status === 401 || TOKEN_REFUSED.includes(error.code)))
          throw error
        return attempt(await tokens.renew(token, both))
      }
    },
  }
}
