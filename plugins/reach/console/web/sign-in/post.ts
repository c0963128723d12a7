import type { components } from '#client'
import { language } from '../i18n/language.ts'

/** The reply to every successful sign-in. */
export type Login = components['schemas']['Login']

/** Sends a call that needs no session; throws the error of the API. The client of all other calls is loaded later. */
export async function post<Reply>(path: string, body: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json', 'accept-language': language }
  const response = await fetch(`/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  // A proxy in front of a server that is down answers with a page of its own.
  const reply = await response.json().catch(() => {
    throw new TypeError(`The server answered ${response.status}.`)
  })
  if (!response.ok) throw reply
  return reply
}
