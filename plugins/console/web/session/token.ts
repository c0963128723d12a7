/** The access token of the page. It is kept in memory alone; the refresh cookie outlives a reload. */
let token: string | undefined
/** Why the session ended, or `undefined` while it lasts. */
const listeners = new Set<() => void>()

/** Reads the token of the running session. */
export const readToken = () => token

/** Takes over a session that was opened, or ends the one of the page. */
export function setToken(value: string | undefined): void {
  if (token === value) return
  token = value
  for (const listener of listeners) listener()
}

/** Calls a listener when the session of the page begins, is renewed or ends. */
export function onToken(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the token, or a new one in place of a refused one. Ends the session of the page if there is none. */
export async function renewToken(refused?: string): Promise<string> {
  if (token !== undefined && token !== refused) return token
  const renewed = await oneAtATime(refresh)
  setToken(renewed)
  if (renewed === undefined) throw new SignedOut()
  return renewed
}

/** Thrown by calls after the session has ended. */
export class SignedOut extends Error {}

/** Asks for a token by the refresh cookie. Throws a TypeError if the server cannot be reached. */
async function refresh(): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json', 'x-requested-with': 'console' }
  const reply = await fetch('/api/auth/refresh', { method: 'POST', headers, body: '{}' })
  if (reply.status >= 500) throw new TypeError(`The server answered ${reply.status}.`)
  return reply.ok ? (await reply.json()).access_token : undefined
}

/** Tabs share the cookie, which each refresh replaces. Browsers have locks in secure contexts only. */
const oneAtATime = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? (navigator.locks.request('svc-refresh', work) as Promise<T>) : work()
