import { adoptLanguage } from '../i18n/language.ts'
import { openSession } from '../session/token.ts'
import { toOwnPage } from './own-page.ts'
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
