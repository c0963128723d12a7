import type { ChannelSettings } from '#plugin-api'
import { untilAborted } from '#toolbox'
import { type QQConfig, readSecret } from './config.ts'
import { Refusal, toConnectionFailure } from './failure.ts'
import { toNumber, toText } from './fields.ts'
import { requestJson } from './request.ts'

/** The access token of an app. */
export interface AccessTokens {
  /** Returns a valid token. */
  get(signal: AbortSignal): Promise<string>
  /** Returns another token than the refused one; concurrent calls share one request. */
  renew(refused: string, signal: AbortSignal): Promise<string>
  /** Lists the app's secret and its token, which must not be shown. */
  secrets(): string[]
}

/** A token is replaced this long before it expires, or a third of its validity if that is less. */
const RENEW_BEFORE_MS = 5 * 60_000

/** The code of this call for an unknown app id; in other calls the code has another meaning. */
const UNKNOWN_APP = 10004

interface Token {
  value: string
  /** In milliseconds of `performance.now()`. */
  renew_at: number
}

/** Creates the source of tokens, which requests them on demand. Throws `invalid_credentials`. */
export function createAccessTokens(
  { config, endpoints, fetch }: Pick<ChannelSettings<QQConfig>, 'config' | 'endpoints' | 'fetch'>,
  lifetime: AbortSignal,
): AccessTokens {
  const secret = readSecret(config) ?? ''
  let token: Token | undefined
  let asking: Promise<Token> | undefined

  async function ask(): Promise<Token> {
    const asked_at = performance.now()
    const reply = await requestJson({
      fetch,
      url: `${endpoints.auth}/app/getAppAccessToken`,
      method: 'POST',
      body: { appId: config.app_id, clientSecret: secret },
      what: 'the credentials',
      signal: lifetime,
      secrets: [secret],
    }).catch(explain)
    const value = toText(reply.access_token)
    if (!value)
      throw new Refusal('invalid_credentials', 'QQ returned no access token.', { code: 0, status: 200 })
    const ttl = (toNumber(reply.expires_in) ?? 0) * 1000
    return { value, renew_at: asked_at + ttl - Math.min(RENEW_BEFORE_MS, ttl / 3) }
  }

  /** Shares one request among callers; a caller that aborts does not end it for the others. */
  async function fresh(signal: AbortSignal): Promise<string> {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    token = await untilAborted(signal, asking).catch((error) => {
      throw toConnectionFailure('the credentials', error, signal)
    })
    return token.value
  }

  return {
    get: (signal) =>
      token && performance.now() < token.renew_at ? Promise.resolve(token.value) : fresh(signal),
    renew: (refused, signal) =>
      token && token.value !== refused ? Promise.resolve(token.value) : fresh(signal),
    secrets: () => (token ? [secret, token.value] : [secret]),
  }
}

function explain(error: unknown): never {
  if (error instanceof Refusal && error.code === UNKNOWN_APP)
    throw new Refusal(
      'invalid_credentials',
      `QQ refused the credentials (${UNKNOWN_APP}): the app is unknown.`,
      error,
    )
  throw error
}
