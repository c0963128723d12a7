import type { ChatError, Client } from '#client'
import { RefusedError, UnreachableError } from './api.ts'
import type { Session } from './session.ts'

/** Creates the client of the server, which has the login of the session. */
export async function createService({
  url,
  language,
  session,
}: {
  url: string
  language: string
  session: Session
}): Promise<Client> {
  // A server loads this plugin as well, and needs no client.
  const { createClient } = await import('#client')
  return createClient({
    baseUrl: url,
    headers: { 'accept-language': language },
    async getToken(refused) {
      const token = await session.readToken()
      return token === refused ? session.renewLogin() : token
    },
    onToken: session.keep,
  })
}

/** An answer of the client; `data` or `error` is set. */
interface Answer<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** Returns the data of an answer; throws a `RefusedError` or an `UnreachableError`. */
export async function readAnswer<Data>(answer: Promise<Answer<Data>>, url: string): Promise<Data> {
  const { data, error, response } = await answer.catch((error: unknown) => {
    throw error instanceof TypeError ? new UnreachableError(url, error) : error
  })
  if (!response.ok) throw new RefusedError({ status: response.status, body: JSON.stringify(error ?? '') })
  return data as Data
}

/** True for an error of the client. */
export const isChatError = (error: unknown): error is ChatError =>
  error instanceof Error && error.name === 'ChatError'

/** Converts an error of a chat to that of a call. */
export function toTerminalError(error: unknown, url: string): unknown {
  if (!isChatError(error)) return error
  const { code, message, details, status = 0 } = error
  if (code === 'UNREACHABLE') return new UnreachableError(url, error)
  return new RefusedError({ status, body: JSON.stringify({ error: { code, message, details } }) })
}
