import { type AccessToken, createAccessToken } from './access-token.ts'
import type { DingtalkConfig } from './config.ts'
import { isTokenRefusal, toRefusal } from './failure.ts'
import { type Answer, createRequest, type Question, type Request } from './request.ts'
import { toText, type WireObject } from './wire-value.ts'

/** DingTalk's HTTP API with the access token of an app; all calls throw `ChannelFailure`. */
export interface Api {
  /** The address of the newer API, without a slash at the end. */
  api: string
  token: AccessToken
  /** Sends a request without a token. */
  request: Request
  /** Calls the newer API; `what` names the refused object in errors. */
  call(path: string, question: Question, what: string): Promise<WireObject>
  /** Calls the older API, which takes the token in the address and reports failures in the body. */
  callOld(path: string, query: Record<string, string>, question: Question, what: string): Promise<WireObject>
}

/** Creates the API of one app; `closing` aborts its requests. */
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

  /** Repeats a call once with a new token if DingTalk revoked the old one early. */
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
      if (answer.status !== 200 || answer.body.success === false) throw toRefusal(answer, what)
      return answer.body
    },

    async callOld(path, query, question, what) {
      const answer = await withToken(question.signal, (access_token) =>
        request(`${oapi}${path}?${new URLSearchParams({ access_token, ...query })}`, question),
      )
      if (answer.status !== 200 || toText(answer.body.errcode) !== '0') throw toRefusal(answer, what)
      return answer.body
    },
  }
}
