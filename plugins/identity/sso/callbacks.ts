import { AppError, isUnavailable, withDeadline } from '#plugin-api'
import type { Sessions } from '../auth/sessions.ts'
import type { Identities } from '../users/identities.ts'
import type { Users } from '../users/users.ts'
import type { SsoAddresses } from './addresses.ts'
import { SERVICE_TIMEOUT_MS } from './authorization-requests.ts'
import type { EntryPoint } from './errors.ts'
import type { SignInKinds } from './kinds/registry.ts'
import type { Cradle } from './manifest.ts'
import { assertIdentity, makeIdentityKey, type Provisioning } from './provisioning.ts'
import type { SignInSettings, SsoProviderDocument } from './settings.ts'
import { type ForeignIdentity, type SignInChallenge, SignInFailure } from './sign-in-kind.ts'
import {
  hasStateCookie,
  type SignInAttempts,
  type SignInCodes,
  type SsoAttemptDocument,
} from './sign-in-state.ts'

/** A callback: the request with which a browser comes back from another service. */
interface CallbackRequest {
  entry: EntryPoint
  query: Readonly<Record<string, unknown>>
  cookies: string | undefined
  ip: string
  request_id: string
}

/** The error that the console shows: a failed sign-in, or an identity or account that is linked already. */
type CallbackError = SignInFailure['reason'] | 'taken' | 'already_linked'

/** The console's names of errors of linking an identity. */
const LINK_ERRORS: Readonly<Record<string, CallbackError>> = {
  IDENTITY_TAKEN: 'taken',
  IDENTITY_ALREADY_LINKED: 'already_linked',
  NOT_FOUND: 'state',
}

/** Completes sign-ins: handles the callbacks of OAuth 2 with which browsers return from other services. */
export type SignInCallbacks = ReturnType<typeof createCallbacks>

/** Creates the second half of a sign-in. */
export function createCallbacks({
  signInKinds,
  signInSettings,
  signInAttempts,
  signInCodes,
  ssoAddresses,
  signInProvisioning,
  identities,
  users,
  sessions,
  extensions,
  clock,
  log,
}: {
  signInKinds: SignInKinds
  signInSettings: SignInSettings
  signInAttempts: SignInAttempts
  signInCodes: SignInCodes
  ssoAddresses: SsoAddresses
  signInProvisioning: Provisioning
  identities: Identities
  users: Users
  sessions: Sessions
} & Pick<Cradle, 'extensions' | 'clock' | 'log'>) {
  /** Writes an audit row; callbacks are GET requests, which the kernel does not audit. */
  const audit = (
    { ip, request_id }: CallbackRequest,
    row: { action: string; actor: string | null; target?: string | null; payload: object; status: number },
  ) => extensions['kernel.audit'].ask({ ts: clock.seconds(), target: null, ip, request_id, ...row })

  /** Removes and returns the attempt of a callback; throws SignInFailure unless this browser began it. */
  const takeAttempt = async ({ entry, query, cookies }: CallbackRequest) => {
    const { state } = query
    const pending = typeof state === 'string' ? await signInAttempts.take(state) : null
    if (!pending || pending.attempt.entry !== entry || !hasStateCookie(cookies, pending.challenge.state))
      throw new SignInFailure('state', 'No sign-in of this browser has this state.')
    return pending
  }

  /** Asks the service who the user is. */
  const identify = async (
    { query }: CallbackRequest,
    { attempt, challenge }: { attempt: SsoAttemptDocument; challenge: SignInChallenge },
    stored: SsoProviderDocument,
    signal: AbortSignal,
  ): Promise<ForeignIdentity> => {
    const kind = signInSettings.getKind(attempt.kind)
    if (!signInSettings.isUsable(stored, kind))
      throw new SignInFailure('disabled', 'This sign-in method was disabled.')
    if (stored.revision !== attempt.revision)
      throw new SignInFailure('state', 'The settings have changed since the sign-in began.')
    if (query.error !== undefined)
      throw new SignInFailure(
        query.error === 'access_denied' ? 'denied' : 'generic',
        'The service reports an error in the callback.',
      )
    const callback = toCallbackUrl(attempt.redirect_uri, query)
    const settings = signInSettings.open(stored)
    const identity = await withDeadline(SERVICE_TIMEOUT_MS, [signal, signInKinds.signal], (signal) =>
      kind.identify(settings, challenge, callback, signal),
    )
    assertIdentity(identity)
    return identity
  }

  const signIn = async (
    callback: CallbackRequest,
    { _id: attempt_id, kind, redirect_after, entry }: SsoAttemptDocument,
    { rules, dashboard_origin }: SsoProviderDocument,
    identity: ForeignIdentity,
  ): Promise<string> => {
    const { user, change, omitted } = await signInProvisioning.provision(kind, identity, rules)
    const { username } = user
    const { request_id } = callback
    if (identity.incomplete)
      log.warn({ kind, detail: identity.incomplete, request_id }, 'a sign-in went on without userinfo')
    if (omitted.length > 0)
      log.warn({ kind, username, omitted, request_id }, 'the service left out claims that rules ask for')
    if (change || omitted.length > 0) {
      const payload = { kind, ...change?.fields, ...(omitted.length > 0 && { omitted }) }
      const action = change?.action ?? 'user.sso_keep'
      await audit(callback, { action, actor: username, target: username, payload, status: 302 })
    }
    const code = await signInCodes.issue({
      user_id: user._id,
      identity_key: makeIdentityKey(kind, identity),
      attempt_id,
    })
    return ssoAddresses.complete(entry, dashboard_origin, { code, redirect: redirect_after })
  }

  /** Links the identity to the account that began the attempt, whose session must still be live. */
  const link = async (
    callback: CallbackRequest,
    { kind, redirect_after, entry, user_id, session_id }: SsoAttemptDocument,
    { dashboard_origin }: SsoProviderDocument,
    identity: ForeignIdentity,
  ): Promise<string> => {
    const [session, user] = await Promise.all([sessions.find(session_id!), users.find(user_id!)])
    const isLive = session?.ended_at === null && session.expires_at > clock.seconds()
    if (!isLive || session.user_id !== user_id || !user?.enabled)
      throw new SignInFailure('state', 'The session that began the attempt has ended.')
    await identities.link(user_id, { kind, key: makeIdentityKey(kind, identity) })
    const { username } = user
    const row = { action: BIND, actor: username, target: username, payload: { kind }, status: 302 }
    await audit(callback, row)
    return ssoAddresses.complete(entry, dashboard_origin, { bound: kind, redirect: redirect_after })
  }

  /** Logs an error and returns its name for the console; rethrows it if the database is unavailable. */
  const explain = (error: unknown, kind: string | null, request_id: string): CallbackError => {
    if (isUnavailable(error)) throw error
    const linking = error instanceof AppError ? LINK_ERRORS[error.code] : undefined
    if (linking) return linking
    if (error instanceof SignInFailure) {
      const { reason, message: detail } = error
      log.warn({ kind, reason, detail, request_id }, 'a sign-in failed')
      return reason
    }
    log.error({ error, kind, request_id }, 'a sign-in failed')
    return 'generic'
  }

  /** Returns an origin of the console for callbacks without an attempt, which do not name a way to sign in. */
  const findAnyOrigin = async (entry: EntryPoint): Promise<string | null> => {
    const settings = await signInSettings.findAll()
    const candidates = settings.filter(([kind]) => entry === 'oauth' || kind.kind === entry)
    return candidates.find(([, { dashboard_origin }]) => dashboard_origin)?.[1].dashboard_origin ?? null
  }

  return {
    /** Handles a callback; returns the page of the console to redirect to, whether it succeeds or fails. */
    async receive(callback: CallbackRequest, signal: AbortSignal): Promise<string> {
      const { entry, request_id } = callback
      let attempt: SsoAttemptDocument | undefined
      let stored: SsoProviderDocument | undefined
      try {
        const pending = await takeAttempt(callback)
        attempt = pending.attempt
        stored = await signInSettings.find(signInSettings.getKind(attempt.kind))
        const identity = await identify(callback, pending, stored, signal)
        const finish = attempt.user_id === null ? signIn : link
        return await finish(callback, attempt, stored, identity)
      } catch (error) {
        const kind = attempt?.kind ?? null
        const reason = explain(error, kind, request_id)
        const user_id = attempt?.user_id ?? null
        const actor = user_id === null ? null : ((await users.find(user_id))?.username ?? null)
        const action = user_id === null ? SIGN_IN : BIND
        await audit(callback, { action, actor, target: actor, payload: { kind, reason }, status: 400 })
        const origin = stored ? stored.dashboard_origin : await findAnyOrigin(entry)
        return ssoAddresses.failed(entry, origin, reason)
      }
    },
  }
}

/** The actions in audit rows. */
export const SIGN_IN = 'auth.oauth_login'
const BIND = 'auth.oauth_bind'

/** Builds the whole address of a callback, as kinds and OAuth libraries read it. */
function toCallbackUrl(redirect_uri: string, query: Readonly<Record<string, unknown>>): URL {
  const url = new URL(redirect_uri)
  for (const [name, value] of Object.entries(query))
    for (const text of [value].flat()) url.searchParams.append(name, String(text))
  return url
}
