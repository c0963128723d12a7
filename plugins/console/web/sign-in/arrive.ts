import { adoptLanguage } from '../i18n/language.ts'
import { openSession } from '../session/token.ts'
import type { Login } from './post.ts'

/** Opens the session of a sign-in on the page that was asked for, or otherwise on the first page. */
export function arrive(login: Login, page = '/'): void {
  const target = page === '/chat' || page.startsWith('/login') || page.startsWith('/invite') ? '/' : page
  history.replaceState(null, '', target)
  adoptLanguage(login.user.locale)
  openSession(login)
}

/** The page that was asked for before the sign-in. */
export const wantedPage = () => location.pathname + location.search
