import { untilAborted } from '#kernel'
import type { ChannelSettings } from '#plugin-api'
import { appIdOf, secretOf } from './config.ts'
import { connectionFailure, Refusal } from './failure.ts'
import { numberOf, textOf } from './fields.ts'
import { requestJson } from './request.ts'

/** The access token of an app, kept fresh. */
export interface AccessTokens {
  /** A token that is valid for now. */
  get(signal: AbortSignal): Promise<string>
  /** Another one than that which QQ has just refused; calls that come together ask for it once. */
  renew(refused: string, signal: AbortSignal): Promise<string>
  /** What must not be shown: the app's secret and its token. */
  secrets(): string[]
}

/** A token is replaced so long before its end, or a third of its time where that is less. */
const AHEAD_MS = 5 * 60_000

/** There is no app with this id, says this call; elsewhere the code means something else. */
const NO_SUCH_APP = 10004

interface Token {
  value: string
  /** Milliseconds of the process's clock. */
  renew_at: number
}

/** Asks for tokens when they are needed; requests end with `lifetime`. Throws `invalid_credentials`. */
export function createAccessTokens(
  { config, endpoints, fetch }: Pick<ChannelSettings, 'config' | 'endpoints' | 'fetch'>,
  lifetime: AbortSignal,
): AccessTokens {
  const secret = secretOf(config) ?? ''
  let token: Token | undefined
  let asking: Promise<Token> | undefined

  async function ask(): Promise<Token> {
    const asked_at = performance.now()
    const reply = await requestJson({
      fetch,
      url: `${endpoints.auth}/app/getAppAccessToken`,
      method: 'POST',
      body: { appId: appIdOf(config), clientSecret: secret },
      what: 'the credentials',
      signal: lifetime,
      secrets: [secret],
    }).catch(explain)
    const value = textOf(reply.access_token)
    if (!value) throw new Refusal('invalid_credentials', 'QQ gave no access token.', { code: 0, status: 200 })
    const ttl = (numberOf(reply.expires_in) ?? 0) * 1000
    return { value, renew_at: asked_at + ttl - Math.min(AHEAD_MS, ttl / 3) }
  }

  /** One request at a time, which those who wait for it may leave without ending it for the others. */
  async function fresh(signal: AbortSignal): Promise<string> {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    token = await untilAborted(signal, asking).catch((error) => {
      throw connectionFailure('the credentials', error, signal)
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
  if (error instanceof Refusal && error.code === NO_SUCH_APP)
    throw new Refusal(
      'invalid_credentials',
      `QQ refused the credentials (${NO_SUCH_APP}): there is no such app.`,
      error,
    )
  throw error
}
