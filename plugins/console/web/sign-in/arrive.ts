import { adoptLanguage } from '../i18n/language.ts'
import { openSession } from '../session/token.ts'
import type { Login } from './post.ts'

/** Addresses that lead to no page after a sign-in; `/chat` alone is where the server sends those who asked for none. */
const ELSEWHERE = /^\/(chat\/?($|\?)|(login|invite)(?![\w-]))/

/** Opens the session of a sign-in on the page that was asked for, or otherwise on the first page. */
export function arrive(login: Login, page = '/'): void {
  history.replaceState(null, '', ELSEWHERE.test(page) ? '/' : page)
  adoptLanguage(login.user.locale)
  openSession(login)
}

/** The page that was asked for before the sign-in. */
export const wantedPage = () => location.pathname + location.search
