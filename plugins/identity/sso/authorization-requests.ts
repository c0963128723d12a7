import { AppError, assertOwnPage, reply, withDeadline } from '#plugin-api'
import type { AuthCaller } from '../auth/types.ts'
import { DEFAULT_PAGE, type SsoAddresses } from './addresses.ts'
import { createRefusal, type EntryPoint, refusalCode } from './errors.ts'
import type { SignInKinds } from './kinds/registry.ts'
import type { Cradle } from './manifest.ts'
import type { SignInSettings } from './settings.ts'
import { type KindName, SignInFailure } from './sign-in-kind.ts'
import { type SignInAttempts, setStateCookie } from './sign-in-state.ts'

/** The time that a kind has to build an authorization request, and later to identify the user. */
export const SERVICE_TIMEOUT_MS = 30_000

/** A request to sign in; with a caller, a request to link the identity to the caller's account. */
interface SignInRequest {
  entry: EntryPoint
  kind: KindName
  redirect_after?: string
  caller?: Pick<AuthCaller, 'id' | 'session_id'>
}

/** Begins sign-ins: creates the authorization requests of OAuth 2 that browsers take to other services. */
export type AuthorizationRequests = ReturnType<typeof createAuthorizationRequests>

/** Creates the first half of a sign-in. */
export function createAuthorizationRequests({
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
     * Returns the address that the browser must open, and the state that it must bring back. Throws VALIDATION_FAILED,
     * the refusals of the entry point, ADDRESS_NOT_ALLOWED, SSO_PROVIDER_UNREACHABLE.
     */
    async begin(
      { entry, kind: name, redirect_after = DEFAULT_PAGE, caller }: SignInRequest,
      signal: AbortSignal,
    ): Promise<{ authorization_url: string; state: string }> {
      assertOwnPage(redirect_after)
      const kind = signInSettings.getKind(name)
      const stored = await signInSettings.find(kind)
      if (!signInSettings.isUsable(stored, kind)) throw createRefusal(entry, 'DISABLED')
      const redirect_uri = ssoAddresses.redirectUri(entry)
      if (redirect_uri === null) throw createRefusal(entry, 'NO_PUBLIC_URL')
      const challenge = signInAttempts.makeChallenge(redirect_uri)
      const settings = signInSettings.open(stored)
      const address = await withDeadline(SERVICE_TIMEOUT_MS, [signal, signInKinds.signal], (signal) =>
        kind.authorize(settings, challenge, signal),
      ).catch((error: unknown) => {
        if (signal.aborted) throw signal.reason
        if (!(error instanceof SignInFailure)) throw error
        // ADDRESS_NOT_ALLOWED tells operators that the settings of the server forbid the address.
        if (error.cause instanceof AppError) throw error.cause
        const { reason, message: detail } = error
        log.warn({ kind: name, reason, detail }, 'an authorization request could not be created')
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

/** The errors of routes that create an authorization request. */
export const authorizationErrors = (entry: EntryPoint) =>
  [
    refusalCode(entry, 'DISABLED'),
    refusalCode(entry, 'NO_PUBLIC_URL'),
    'ADDRESS_NOT_ALLOWED',
    'SSO_PROVIDER_UNREACHABLE',
  ] as const

/** Creates an authorization request and replies with it, and with the cookie that the callback checks. */
export async function replyWithRequest(
  request: SignInRequest,
  { ip, signal }: { ip: string; signal: AbortSignal },
  { callLimit, authorizationRequests, ssoAddresses }: Cradle,
) {
  await callLimit.consume('sso start', ip, 'many')
  const begun = await authorizationRequests.begin(request, signal)
  return reply(200, begun, { 'Set-Cookie': setStateCookie(begun.state, ssoAddresses.isSecure) })
}
