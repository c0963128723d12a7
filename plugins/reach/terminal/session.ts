import { type Answer, type Api, type Call, RefusedError } from './api.ts'
import type { createLogin } from './login.ts'
import type { TokenStore } from './token-store.ts'

/** A page of a list; `next` is the path of the following page. */
interface ListPage<Row> {
  rows: Row[]
  next: string | undefined
}

/** Creates the session of one user, which logs in when there is no token or the server refuses it. */
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
    const { username, access_token } = await login(name)
    name = username
    await keep(access_token)
    return access_token
  }

  const readToken = async () => {
    if (token) return token
    const stored = await store.read()
    if (!stored || (username && stored.username !== username)) return renewLogin()
    name = stored.username
    token = stored.access_token
    return token
  }

  /** Runs a call with a token; if the server refuses it, once more with the token of a new login. */
  const withToken = async <Result>(call: (token: string) => Promise<Result>): Promise<Result> =>
    call(await readToken()).catch(async (error: unknown) => {
      if (!(error instanceof RefusedError) || error.status !== 401) throw error
      return call(await renewLogin())
    })

  /** Calls the API as this user; a refused token is replaced once. */
  const call = async (request: Omit<Call, 'token'>): Promise<Answer> => {
    const answer = await withToken((token) => api({ ...request, token }))
    if (answer.renewed) await keep(answer.renewed)
    return answer
  }

  const readPage = async <Row>(path: string): Promise<ListPage<Row>> => {
    const { data, next } = await call({ method: 'GET', path })
    return { rows: data as Row[], next }
  }

  return {
    /** The token to use now. */
    readToken,
    /** Stores the renewed token of an answer. */
    keep,
    /** Logs in again, even if there is a token. */
    renewLogin,

    /** Calls the API and returns the answer's JSON. */
    request: async <Data>(request: Omit<Call, 'token'>): Promise<Data> => (await call(request)).data as Data,

    /** Reads one page of a list. */
    readPage,

    /** Reads all pages of a list. */
    async *list<Row>(path: string): AsyncGenerator<Row, void, void> {
      for (let next: string | undefined = path; next !== undefined; ) {
        const page: ListPage<Row> = await readPage(next)
        yield* page.rows
        next = page.next
      }
    },
  }
}

/** The session of one user. */
export type Session = ReturnType<typeof createSession>
