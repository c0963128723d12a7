import { AppError, withDeadline } from '#kernel'
import type { AuthCaller } from '../auth/types.ts'
import { assertOwnPage, DEFAULT_PAGE, type SsoAddresses } from './addresses.ts'
import type { SignInAttempts } from './attempts.ts'
import type { SignInKinds } from './endpoints.ts'
import { refuseAt } from './entries.ts'
import type { KindName } from './kinds/index.ts'
import type { Cradle } from './manifest.ts'
import type { SignInSettings } from './settings.ts'
import { SignInFailure } from './sign-in-kind.ts'
import type { EntryName } from './types.ts'

/** Milliseconds that a service has to say where people are sent, and later who came back. */
export const SERVICE_TIMEOUT = 30_000

/** Somebody who wants to sign in; with a caller, to link the identity to that account. */
export interface Departure {
  entry: EntryName
  kind: KindName
  redirect_after?: string
  caller?: Pick<AuthCaller, 'id' | 'session_id'>
}

/** Sends people to other services. */
export type Departures = ReturnType<typeof createDepartures>

/** Makes the first half of signing in. */
export function createDepartures({
  signInKinds,
  signInSettings,
  signInAttempts,
  ssoAddresses,
  log,
}: {
  signInKinds: SignInKinds
  signInSettings: SignInSettings
  signInAttempts: SignInAttempts
  ssoAddresses: SsoAddresses
} & Pick<Cradle, 'log'>) {
  return {
    /**
     * Gives where the browser is to go, and what it has to bring back. Throws VALIDATION_FAILED, the refusals of the entry,
     * ADDRESS_NOT_ALLOWED, SSO_PROVIDER_UNREACHABLE.
     */
    async begin(
      { entry, kind: name, redirect_after = DEFAULT_PAGE, caller }: Departure,
      signal: AbortSignal,
    ): Promise<{ authorization_url: string; state: string }> {
      assertOwnPage(redirect_after)
      const kind = signInSettings.kindOf(name)
      const stored = await signInSettings.find(kind)
      if (!signInSettings.isUsable(stored, kind)) throw refuseAt(entry, 'DISABLED')
      const redirect_uri = ssoAddresses.redirectUri(entry)
      if (redirect_uri === null) throw refuseAt(entry, 'NO_PUBLIC_URL')
      const challenge = signInAttempts.challenge(redirect_uri)
      const settings = signInSettings.open(stored)
      const address = await withDeadline(SERVICE_TIMEOUT, [signal, signInKinds.signal], (signal) =>
        kind.authorize(settings, challenge, signal),
      ).catch((error: unknown) => {
        if (signal.aborted) throw signal.reason
        if (!(error instanceof SignInFailure)) throw error
        // The address is one that may not be reached, which whoever manages the server is told as such.
        if (error.cause instanceof AppError) throw error.cause
        const { reason, message: detail } = error
        log.warn({ kind: name, reason, detail }, 'nobody can be sent to sign in')
        throw new AppError('SSO_PROVIDER_UNREACHABLE', { kind: name, reason })
      })
      const { revision } = stored
      const [user_id, session_id] = [caller?.id ?? null, caller?.session_id ?? null]
      const attempt = { kind: name, entry, revision, redirect_after, redirect_uri, user_id, session_id }
      await signInAttempts.add(attempt, challenge)
      return { authorization_url: address.href, state: challenge.state }
    },
  }
}
