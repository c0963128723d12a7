import { ChannelFailure, createTokenCache, type Json, toNumber, toScalarText } from '#plugin-api'
import type { DingtalkConfig } from './config.ts'
import { isTokenRefusal, toOutage, toRefusal } from './failure.ts'
import { type Answer, createRequest, type Question } from './request.ts'

/** Creates DingTalk's HTTP API with the access token of an app. Calls throw a `ChannelFailure`; `closing` aborts them. */
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
}) {
  const { api, oapi } = endpoints as { api: string; oapi: string }
  const request = createRequest({ fetch, closing })
  const tokens = createTokenCache(async () => {
    const answer = await request(`${api}/v1.0/oauth2/accessToken`, {
      body: { appKey: config.client_id, appSecret: config.client_secret },
    })
    if (answer.status !== 200) throw toRefusal(answer, 'the client id or the client secret')
    const token = toScalarText(answer.body.accessToken)
    if (!token) throw new ChannelFailure('unknown', 'DingTalk answered without an access token.')
    return { token, lifetime_ms: (toNumber(answer.body.expireIn) ?? 0) * 1000 }
  })

  /** Returns an access token, other than the refused one. */
  const getToken = (signal: AbortSignal, refused?: string): Promise<string> =>
    (refused === undefined ? tokens.get(signal) : tokens.replace(refused, signal)).catch((error) => {
      throw signal.aborted ? toOutage(error, signal) : error
    })

  /** Repeats a call once with a new token if DingTalk revoked the old one early. */
  async function withToken(
    signal: AbortSignal = closing,
    ask: (token: string) => Promise<Answer>,
  ): Promise<Answer> {
    const token = await getToken(signal)
    const answer = await ask(token)
    return isTokenRefusal(answer) ? ask(await getToken(signal, token)) : answer
  }

  return {
    /** The address of the newer API, without a slash at the end. */
    api,
    getToken,
    /** Sends a request without a token. */
    request,

    /** Calls the newer API; `what` names the refused object in errors. */
    async call(path: string, question: Question, what: string): Promise<Json> {
      const answer = await withToken(question.signal, (value) =>
        request(api + path, {
          ...question,
          headers: { ...question.headers, 'x-acs-dingtalk-access-token': value },
        }),
      )
      if (answer.status !== 200 || answer.body.success === false) throw toRefusal(answer, what)
      return answer.body
    },

    /** Calls the older API, which takes the token in the address and reports failures in the body. */
    async callOld(
      path: string,
      query: Record<string, string>,
      question: Question,
      what: string,
    ): Promise<Json> {
      const answer = await withToken(question.signal, (access_token) =>
        request(`${oapi}${path}?${new URLSearchParams({ access_token, ...query })}`, question),
      )
      if (answer.status !== 200 || toScalarText(answer.body.errcode) !== '0') throw toRefusal(answer, what)
      return answer.body
    },
  }
}

/** DingTalk's HTTP API. */
export type Api = ReturnType<typeof createApi>
