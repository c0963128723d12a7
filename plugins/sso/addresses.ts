import { AppError } from '#kernel'
import type { Cradle } from './manifest.ts'
import type { EntryName } from './types.ts'

/** Where people come back to, and where they are sent on to. */
export type SsoAddresses = ReturnType<typeof createAddresses>

/** Makes the addresses out of the server's public one, under which the console is unless the settings say otherwise. */
export function createAddresses({ server }: Pick<Cradle, 'server'>) {
  const base = server.public_url?.replace(/\/+$/, '')
  const frontend = (dashboard_origin: string | null) => dashboard_origin ?? base ?? ''
  return {
    isSecure: base?.startsWith('https:') ?? false,

    /** Null where no public address is configured. */
    redirectUri: (entry: EntryName): string | null =>
      base === undefined ? null : new URL(`${base}/api/auth/${entry}/callback`).href,

    /** The page of the console that goes on; what it is told stands behind the `#`, which browsers send to nobody. */
    complete: (entry: EntryName, dashboard_origin: string | null, told: Record<string, string>): string =>
      `${frontend(dashboard_origin)}/login/${entry}/complete#${new URLSearchParams(told)}`,

    /** The page of the console that says why nobody was signed in. */
    failed: (entry: EntryName, dashboard_origin: string | null, reason: string): string =>
      `${frontend(dashboard_origin)}/login?${new URLSearchParams({ [`${entry}_error`]: reason })}`,
  }
}

/** Where people go on to unless they say otherwise. */
export const DEFAULT_PAGE = '/chat'

/** Throws VALIDATION_FAILED unless a path leads to a page of the console, whoever reads it. */
export function assertOwnPage(path: string): void {
  if (isPath(path) && isPath(decoded(path.split(/[?#]/)[0]!))) return
  const issue = { path: '/redirect_after', rule: 'path', message: 'must be a path that begins with one "/"' }
  throw new AppError('VALIDATION_FAILED', { issues: [issue] })
}

const ANYWHERE = 'https://console.invalid'

const isPath = (text: string) =>
  /^\/(?!\/)[^\\\p{Cc}]*$/u.test(text) &&
  URL.canParse(text, ANYWHERE) &&
  new URL(text, ANYWHERE).origin === ANYWHERE

/** Nothing that is a path where it cannot be decoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // What is no UTF-8 might be read as anything.
    return ''
  }
}
