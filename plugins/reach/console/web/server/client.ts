import createQueryHooks from 'openapi-react-query'
import { createClient } from '#client'
import { language } from '../i18n/language.ts'
import { renewToken, setToken } from '../session/token.ts'

/** The client of this server; it signs in by the session of the page. */
export const client = createClient({
  baseUrl: location.origin,
  headers: { 'accept-language': language },
  getToken: renewToken,
  onToken: setToken,
})

/** Query hooks over the client, by method and path of the API. */
export const api = createQueryHooks(client)
