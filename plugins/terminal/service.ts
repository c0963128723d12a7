import { type Client, createClient } from '#client'
import type { Session } from './session.ts'

/** Creates the client of the server, which has the login of the session. */
export const createService = ({
  url,
  language,
  session,
}: {
  url: string
  language: string
  session: Session
}): Client =>
  createClient({
    baseUrl: url,
    headers: { 'accept-language': language },
    async getToken(refused) {
      const token = await session.readToken()
      return token === refused ? session.renewLogin() : token
    },
    onToken: session.keep,
  })
