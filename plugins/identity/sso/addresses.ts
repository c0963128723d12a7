import type { EntryPoint } from './errors.ts'
import type { Cradle } from './manifest.ts'

/** The redirect URIs of the server, and the pages of the console that continue a sign-in. */
export type SsoAddresses = ReturnType<typeof createAddresses>

/** Creates the addresses from the server's public one, which the console shares unless the settings name another. */
export function createAddresses({ server }: Pick<Cradle, 'server'>) {
  const base = server.public_url?.replace(/\/+$/, '')
  const frontend = (dashboard_origin: string | null) => dashboard_origin ?? base ?? ''
  return {
    isSecure: base?.startsWith('https:') ?? false,

    /** The redirect URI to register with a service; null if no public address is configured. */
    redirectUri: (entry: EntryPoint): string | null =>
      base === undefined ? null : new URL(`${base}/api/auth/${entry}/callback`).href,

    /** The page of the console that completes a sign-in; its data is in the fragment, which browsers do not send. */
    complete: (entry: EntryPoint, dashboard_origin: string | null, data: Record<string, string>): string =>
      `${frontend(dashboard_origin)}/login/${entry}/complete#${new URLSearchParams(data)}`,

    /** The page of the console that shows why a sign-in failed. */
    failed: (entry: EntryPoint, dashboard_origin: string | null, reason: string): string =>
      `${frontend(dashboard_origin)}/login?${new URLSearchParams({ [`${entry}_error`]: reason })}`,
  }
}

/** The page of the console after a sign-in that names no other. */
export const DEFAULT_PAGE = '/'
