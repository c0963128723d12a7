import { ChannelFailure } from '#plugin-api'
import type { DingtalkConfig } from './config.ts'
import { toOutage, toRefusal } from './failure.ts'
import type { Request } from './request.ts'
import { toText } from './wire-value.ts'

/** A token is replaced this long before it expires. */
const RENEW_BEFORE_MS = 5 * 60_000

/** The access token of an app. */
export interface AccessToken {
  /** Returns a valid token. Concurrent calls share one request; a caller may stop waiting without ending it. */
  get(signal?: AbortSignal): Promise<string>
  /** Discards a refused token, so that the next `get` fetches another. */
  drop(refused: string): void
}

/** Creates the source of access tokens, which fetches them with the app's credentials on demand. */
export function createAccessToken({
  request,
  api,
  config,
}: {
  request: Request
  api: string
  config: DingtalkConfig
}): AccessToken {
  let current: { value: string; expires: number } | undefined
  let coming: Promise<string> | undefined

  async function fetchToken(): Promise<string> {
    const answer = await request(`${api}/v1.0/oauth2/accessToken`, {
      body: { appKey: config.client_id, appSecret: config.client_secret },
    })
    const value = toText(answer.body.accessToken)
    if (answer.status !== 200) throw toRefusal(answer, 'the client id or the client secret')
    if (!value) throw new ChannelFailure('unknown', 'DingTalk answered without an access token.')
    current = { value, expires: Date.now() + Number(answer.body.expireIn ?? 0) * 1000 - RENEW_BEFORE_MS }
    return value
  }

  return {
    async get(signal) {
      if (current && current.expires > Date.now()) return current.value
      coming ??= fetchToken().finally(() => {
        coming = undefined
      })
      return signal ? waitFor(coming, signal) : coming
    },

    drop(refused) {
      if (current?.value === refused) current = undefined
    },
  }
}

function waitFor(shared: Promise<string>, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(toOutage(undefined, signal))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
