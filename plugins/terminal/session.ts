import { type Api, type Call, RefusedError } from './api.ts'
import type { createLogin } from './login.ts'
import type { TokenStore } from './token-store.ts'

/** Speaks for one logged-in user; logs in when there is no token or when the server refuses it. */
export const createSession = ({
  api,
  store,
  login,
  username,
}: {
  api: Api
  store: TokenStore
  login: ReturnType<typeof createLogin>
  username: string | undefined
}) => {
  let name = username
  let token: string | undefined

  const keep = async (access_token: string) => {
    token = access_token
    await store.write({ username: name!, access_token })
  }

  const renewLogin = async () => {
    const entered = await login(name)
    name = entered.username
    await keep(entered.access_token)
    return entered.access_token
  }

  const readToken = async () => {
    if (token) return token
    const stored = await store.read()
    if (!stored || (username && stored.username !== username)) return renewLogin()
    name = stored.username
    token = stored.access_token
    return token
  }

  /** Runs a call with a token; where the server refuses it, once more with that of a new login. */
  const withToken = async <Result>(call: (token: string) => Promise<Result>): Promise<Result> =>
    call(await readToken()).catch(async (error: unknown) => {
      if (!(error instanceof RefusedError) || error.status !== 401) throw error
      return call(await renewLogin())
    })

  return {
    withToken,
    /** The token to use now. */
    readToken,
    /** Stores the fresh token that came with an answer. */
    keep,
    /** Logs in again, whatever token there is. */
    renewLogin,

    /** Calls the API as this user; a refused token is replaced once. */
    async request<Data>(call: Omit<Call, 'token'>): Promise<Data> {
      const answer = await withToken((token) => api({ ...call, token }))
      if (answer.renewed) await keep(answer.renewed)
      return answer.data as Data
    },
  }
}

/** Speaks for one logged-in user. */
export type Session = ReturnType<typeof createSession>
