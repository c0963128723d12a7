import { parseCookie, stringifySetCookie } from 'cookie'
import { ATTEMPT_SECONDS } from './attempts.ts'
import { digestOf } from './digest.ts'

/** Each attempt has a cookie of its own, so that several tabs do not disturb each other. */
const nameOf = (state: string) => `svc_sso_${digestOf(state).slice(0, 12)}`

const options = (secure: boolean) => ({ httpOnly: true, sameSite: 'lax', path: '/api/auth', secure }) as const

/** The header that has a browser keep the state, by which it is known again when it comes back. */
export const keepState = (state: string, secure: boolean): string =>
  stringifySetCookie(nameOf(state), state, { ...options(secure), maxAge: ATTEMPT_SECONDS })

/** The header that has it forget the state. */
export const dropState = (state: string, secure: boolean): string =>
  stringifySetCookie(nameOf(state), '', { ...options(secure), maxAge: 0 })

/** Whether it is the browser that the state was given to. */
export const hasState = (cookies: string | undefined, state: string): boolean =>
  parseCookie(cookies ?? '')[nameOf(state)] === state
