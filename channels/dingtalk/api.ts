import { type AccessToken, createAccessToken } from './access-token.ts'
import type { DingtalkConfig } from './config.ts'
import { isTokenRefusal, refusalOf } from './failure.ts'
import { type Answer, createRequest, type Question, type Request } from './request.ts'
import { textOf, type WireObject } from './wire-value.ts'

/** DingTalk's HTTP API with the access token of an app; all of it throws `ChannelFailure`. */
export interface Api {
  /** The address of the newer API, without a slash at the end. */
  api: string
  token: AccessToken
  /** Asks without a token. */
  request: Request
  /** Calls the newer API; `what` names in an error what was refused. */
  call(path: string, question: Question, what: string): Promise<WireObject>
  /** Calls the older API, which has the token in the address and says its failures in the body. */
  callOld(path: string, query: Record<string, string>, question: Question, what: string): Promise<WireObject>
}

/** Makes the API of one app; whatever it is at ends with `closing`. */
export function createApi({
  config,
  endpoints,
  fetch,
  closing,
}: {
  config: DingtalkConfig
  endpoints: Readonly<Record<string, string>>
  fetch: typeof globalThis.fetch
  closing: AbortSignal
}): Api {
  const { api, oapi } = endpoints as { api: string; oapi: string }
  const request = createRequest({ fetch, closing })
  const token = createAccessToken({ request, api, config })

  /** A token may be taken back before its time: then another one is fetched, once. */
  async function withToken(
    signal: AbortSignal | undefined,
    ask: (token: string) => Promise<Answer>,
  ): Promise<Answer> {
    const first = await token.get(signal)
    const answer = await ask(first)
    if (!isTokenRefusal(answer)) return answer
    token.drop(first)
    return ask(await token.get(signal))
  }

  return {
    api,
    token,
    request,

    async call(path, question, what) {
      const answer = await withToken(question.signal, (value) =>
        request(api + path, {
          ...question,
          headers: { ...question.headers, 'x-acs-dingtalk-access-token': value },
        }),
      )
      if (answer.status !== 200 || answer.body.success === false) throw refusalOf(answer, what)
      return answer.body
    },

    async callOld(path, query, question, what) {
      const answer = await withToken(question.signal, (access_token) =>
        request(`${oapi}${path}?${new URLSearchParams({ access_token, ...query })}`, question),
      )
      if (answer.status !== 200 || textOf(answer.body.errcode) !== '0') throw refusalOf(answer, what)
      return answer.body
    },
  }
}
