import type { ChannelSettings } from '#plugin-api'
import { type AccessTokens, createAccessTokens } from './access-token.ts'
import { apiAddressOf } from './config.ts'
import { Refusal } from './failure.ts'
import type { Fields } from './fields.ts'
import { requestJson } from './request.ts'

/** QQ's API in the bot's name. */
export interface Api {
  tokens: AccessTokens
  /** Calls with a valid token, once more with another where QQ refuses it. Throws as `requestJson` does. */
  call(method: 'GET' | 'POST' | 'PUT', path: string, call: ApiCall): Promise<Fields>
}

/** What a call is about; `what` completes "QQ refused …". */
export interface ApiCall {
  body?: unknown
  what: string
  signal: AbortSignal
  timeout_ms?: number
}

const TOKEN_REFUSED = [11241, 11242, 11243, 11244]

/** Makes the client of one app; what it does ends with `lifetime`. */
export function createApi(settings: ChannelSettings, lifetime: AbortSignal): Api {
  const address = apiAddressOf(settings)
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
