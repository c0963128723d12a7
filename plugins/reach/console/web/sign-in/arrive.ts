import { adoptLanguage } from '../i18n/language.ts'
import { openSession } from '../session/token.ts'
import type { Login } from './post.ts'

/** Addresses that lead to no page after a sign-in; `/chat` alone is where the server sends a sign-in that asked for no page. */
const ELSEWHERE = /^\/(chat\/?($|\?)|(login|invite)(?![\w-]))/

/** Opens the session of a sign-in on the page that was asked for, or otherwise on the first page. */
export function arrive(login: Login, page = '/'): void {
  const address = toOwnPage(page)
  history.replaceState(null, '', ELSEWHERE.test(address.slice(location.origin.length)) ? '/' : address)
  adoptLanguage(login.user.locale)
  openSession(login)
}

/** The page that was asked for before the sign-in. */
export const wantedPage = () => location.pathname + location.search

/**
 * Resolves the address of a page of the console, as an absolute one. Anybody can write an address into a link to the
 * console, so each that leads elsewhere or to the API becomes that of the first page.
 */
export function toOwnPage(address: string): string {
  const first = new URL('/', location.origin)
  return (isOwnPage(address) ? new URL(address, first) : first).href
}

/** True unless a browser, or a reader that decodes the path first, would leave the origin. */
function isOwnPage(address: string): boolean {
  if (!/^\/[^\\\p{Cc}]*$/u.test(address) || !URL.canParse(address, location.origin)) return false
  const { origin, pathname } = new URL(address, location.origin)
  return origin === location.origin && !/^\/(\/|\\|%2f|%5c|api(\/|$))/i.test(pathname)
}

const KEY = 'svc.sign-in-state'

/** Remembers which sign-in this tab began at another service, so that it completes no other one. */
export const keepState = (state: string) => sessionStorage.setItem(KEY, state)

/** Returns the state of the sign-in that this tab began, once. */
export function takeState(): string | undefined {
  const state = sessionStorage.getItem(KEY) ?? undefined
  sessionStorage.removeItem(KEY)
  return state
}
