import type { components } from '#client'

/** A session of this page: its access token, and the account that it belongs to. */
export interface Session {
  token: string
  user: SessionUser
}

/** The account of a session as the reply to a sign-in describes it. */
export type SessionUser = components['schemas']['CurrentUser']

/** The session of the page. It is kept in memory alone; the refresh cookie outlives a reload. */
let session: Session | undefined
/** True after a session of this page has ended without being left: the page waits for another sign-in. */
let hasEnded = false
const listeners = new Set<() => void>()

const notify = () => {
  for (const listener of listeners) listener()
}

const KEY = 'svc.had_session'

/** True if this browser had a session when it left the last page. */
export const hadSession = () => localStorage.getItem(KEY) !== null

/** Reads the session of the page. */
export const readSession = () => session

/** Reads the token of the session. */
export const readToken = () => session?.token

/** True if the page shows what somebody was doing, and waits until they sign in again. */
export const isInterrupted = () => hasEnded

/** Resolves when the session has ended, once the page waits for another sign-in. */
export const waitForInterruption = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = onSession(() => {
      if (!hasEnded) return
      stop()
      resolve()
    })
  })

/** Calls a listener when the session of the page begins, changes or ends. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Takes over a session that was opened. */
export function openSession({ access_token, user }: components['schemas']['Login']): void {
  session = { token: access_token, user }
  hasEnded = false
  localStorage.setItem(KEY, 'yes')
  notify()
}

/** Takes over a token that the server has renewed. */
export function setToken(token: string): void {
  if (session) session = { ...session, token }
}

/** Changes what the page knows about the account of its session. */
export function updateUser(changes: Partial<SessionUser>): void {
  if (!session) return
  session = { ...session, user: { ...session.user, ...changes } }
  notify()
}

/** Leaves the session: the page begins again at the sign-in. */
export function leaveSession(): void {
  localStorage.removeItem(KEY)
  // The server ends the notifications of this browser with the session.
  localStorage.removeItem('svc.push')
  location.assign('/login')
}

/** Continues the session of an earlier page by its cookie, if there is one. */
export async function resumeSession(): Promise<void> {
  const login = await oneAtATime(refresh).catch((error) => {
    if (!(error instanceof TypeError)) throw error
  })
  if (login) openSession(login)
}

/**
 * Returns the token, or a new one in place of a refused one. If the session has ended, waits until somebody has signed
 * in again, so that calls under way are not lost.
 */
export async function renewToken(refused?: string): Promise<string> {
  if (session && session.token !== refused && !hasEnded) return session.token
  const asking = session
  const login = hasEnded ? undefined : await oneAtATime(refresh)
  if (login) openSession(login)
  // Unless somebody has signed in while the cookie of nobody was refused.
  else if (session && session === asking) await waitForSignIn()
  if (!session) throw new SignedOut()
  return session.token
}

/** Thrown by calls of a page that nobody has signed in to. */
export class SignedOut extends Error {}

function waitForSignIn(): Promise<void> {
  hasEnded = true
  notify()
  return new Promise((resolve) => {
    const stop = onSession(() => {
      if (hasEnded) return
      stop()
      resolve()
    })
  })
}

/** Asks for a session by the refresh cookie. Throws a TypeError if the server cannot be reached. */
async function refresh(): Promise<components['schemas']['Login'] | undefined> {
  const headers = { 'content-type': 'application/json', 'x-requested-with': 'console' }
  const reply = await fetch('/api/auth/refresh', { method: 'POST', headers, body: '{}' })
  if (reply.status >= 500) throw new TypeError(`The server answered ${reply.status}.`)
  if (reply.ok) return reply.json()
  // A body that nobody reads keeps its connection.
  await reply.text()
  return undefined
}

/** Tabs share the cookie, which each refresh replaces. Browsers have locks in secure contexts only. */
const oneAtATime = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? (navigator.locks.request('svc-refresh', work) as Promise<T>) : work()
