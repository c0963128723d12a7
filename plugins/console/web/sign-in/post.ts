import type { components } from '#client'
import { language } from '../i18n/language.ts'

/** The reply to every successful sign-in. */
export type Login = components['schemas']['Login']

/** Sends a call that needs no session; throws the error of the API. The client of all other calls is loaded later. */
export async function post<Reply>(path: string, body: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json', 'accept-language': language }
  const response = await fetch(`/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const reply = await response.json()
  if (!response.ok) throw reply
  return reply
}
