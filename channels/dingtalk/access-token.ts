import { ChannelFailure } from '#plugin-api'
import type { DingtalkConfig } from './config.ts'
import { outageOf, refusalOf } from './failure.ts'
import type { Request } from './request.ts'
import { textOf } from './wire-value.ts'

/** A token is replaced so long before it expires, in milliseconds. */
const MARGIN = 5 * 60_000

/** The access token of an app. */
export interface AccessToken {
  /** The token that is valid now; all who ask at the same time wait for the same one, each as long as it likes. */
  get(signal?: AbortSignal): Promise<string>
  /** Says that a token was refused, so that the next `get` fetches another. */
  drop(refused: string): void
}

/** Fetches access tokens with the app's credentials, when one is needed. */
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
    const value = textOf(answer.body.accessToken)
    if (answer.status !== 200) throw refusalOf(answer, 'the client id or the client secret')
    if (!value) throw new ChannelFailure('unknown', 'DingTalk has answered without an access token.')
    current = { value, expires: Date.now() + Number(answer.body.expireIn ?? 0) * 1000 - MARGIN }
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
    const leave = () => reject(outageOf(undefined, signal))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
