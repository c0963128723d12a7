import { AppError, isUnavailable, withDeadline } from '#kernel'
import type { Sessions } from '../auth/sessions.ts'
import type { Identities } from '../users/identities.ts'
import type { Users } from '../users/users.ts'
import type { SsoAddresses } from './addresses.ts'
import { type Arrivals, assertIdentity, keyOf } from './arrivals.ts'
import { hasState } from './attempt-cookie.ts'
import type { SignInAttempts } from './attempts.ts'
import type { SignInCodes } from './codes.ts'
import { SERVICE_TIMEOUT } from './departures.ts'
import type { SignInKinds } from './endpoints.ts'
import type { Cradle } from './manifest.ts'
import type { SignInSettings } from './settings.ts'
import { type ForeignIdentity, type SignInChallenge, SignInFailure } from './sign-in-kind.ts'
import type { EntryName, SsoAttemptDocument, SsoProviderDocument } from './types.ts'

/** Somebody who comes back from another service. */
export interface Returning {
  entry: EntryName
  query: Readonly<Record<string, unknown>>
  cookies: string | undefined
  ip: string
  request_id: string
}

/** What the console is told besides why a sign-in can fail: the identity, or the account, is linked to another. */
type ReturnReason = SignInFailure['reason'] | 'taken' | 'already_linked'

/** Errors of linking an identity, in the words of the console. */
const LINK_REASONS: Readonly<Record<string, ReturnReason>> = {
  IDENTITY_TAKEN: 'taken',
  IDENTITY_ALREADY_LINKED: 'already_linked',
  NOT_FOUND: 'state',
}

/** Receives people from other services. */
export type Returns = ReturnType<typeof createReturns>

/** Makes the second half of signing in. */
export function createReturns({
  signInKinds,
  signInSettings,
  signInAttempts,
  signInCodes,
  ssoAddresses,
  signInArrivals,
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
  signInArrivals: Arrivals
  identities: Identities
  users: Users
  sessions: Sessions
} & Pick<Cradle, 'extensions' | 'clock' | 'log'>) {
  /** Writes the audit row of what happened on the way. */
  const tell = (
    { ip, request_id }: Returning,
    row: { action: string; actor: string | null; target?: string | null; payload: object; status: number },
  ) => extensions['kernel.audit'].ask({ ts: clock.seconds(), target: null, ip, request_id, ...row })

  /** The attempt of whoever returns, which is used up by it; throws SignInFailure where it is not this browser's. */
  const recognize = async ({ entry, query, cookies }: Returning) => {
    const { state } = query
    const taken = typeof state === 'string' ? await signInAttempts.take(state) : null
    if (!taken || taken.attempt.entry !== entry || !hasState(cookies, taken.challenge.state))
      throw new SignInFailure('state', 'Nobody was sent away from here with this state.')
    return taken
  }

  /** Who it is, by the word of the service. */
  const identify = async (
    { query }: Returning,
    { attempt, challenge }: { attempt: SsoAttemptDocument; challenge: SignInChallenge },
    stored: SsoProviderDocument,
    signal: AbortSignal,
  ): Promise<ForeignIdentity> => {
    const kind = signInSettings.kindOf(attempt.kind)
    if (!signInSettings.isUsable(stored, kind))
      throw new SignInFailure('disabled', 'This way to sign in was switched off.')
    if (stored.revision !== attempt.revision)
      throw new SignInFailure('state', 'The settings were changed meanwhile.')
    if (query.error !== undefined)
      throw new SignInFailure(
        query.error === 'access_denied' ? 'denied' : 'generic',
        'The service sends somebody back with an error.',
      )
    const callback = callbackOf(attempt.redirect_uri, query)
    const settings = signInSettings.open(stored)
    const identity = await withDeadline(SERVICE_TIMEOUT, [signal, signInKinds.signal], (signal) =>
      kind.identify(settings, challenge, callback, signal),
    )
    assertIdentity(identity)
    return identity
  }

  const signIn = async (
    returning: Returning,
    { _id: attempt_id, kind, redirect_after, entry }: SsoAttemptDocument,
    { rules, dashboard_origin }: SsoProviderDocument,
    identity: ForeignIdentity,
  ): Promise<string> => {
    const { user, change } = await signInArrivals.receive(kind, identity, rules)
    const { username } = user
    if (change) {
      const payload = { kind, ...change.fields }
      const row = { action: change.action, actor: username, target: username, payload, status: 302 }
      await tell(returning, row)
    }
    const code = await signInCodes.issue({
      user_id: user._id,
      identity_key: keyOf(kind, identity),
      attempt_id,
    })
    return ssoAddresses.complete(entry, dashboard_origin, { code, redirect: redirect_after })
  }

  /** Links the identity to the account that asked for it, whose session must still be alive. */
  const bind = async (
    returning: Returning,
    { kind, redirect_after, entry, user_id, session_id }: SsoAttemptDocument,
    { dashboard_origin }: SsoProviderDocument,
    identity: ForeignIdentity,
  ): Promise<string> => {
    const [session, user] = await Promise.all([sessions.find(session_id!), users.find(user_id!)])
    const isAlive = session?.ended_at === null && session.expires_at > clock.seconds()
    if (!isAlive || session.user_id !== user_id || !user?.enabled)
      throw new SignInFailure('state', 'The session that asked for it has ended.')
    await identities.link(user_id, { kind, key: keyOf(kind, identity) })
    const { username } = user
    const row = { action: BIND, actor: username, target: username, payload: { kind }, status: 302 }
    await tell(returning, row)
    return ssoAddresses.complete(entry, dashboard_origin, { bound: kind, redirect: redirect_after })
  }

  /** What to tell the console of an error; those that are nobody's fault are thrown again. */
  const reasonOf = (error: unknown, kind: string | null, request_id: string): ReturnReason => {
    if (isUnavailable(error)) throw error
    const linking = error instanceof AppError ? LINK_REASONS[error.code] : undefined
    if (linking) return linking
    if (error instanceof SignInFailure) {
      const { reason, message: detail } = error
      log.warn({ kind, reason, detail, request_id }, 'a sign-in failed')
      return reason
    }
    log.error({ error, kind, request_id }, 'a sign-in failed')
    return 'generic'
  }

  /** The console's origin, where no attempt says which way to sign in it is about. */
  const anyOrigin = async (entry: EntryName): Promise<string | null> => {
    const known = await signInSettings.findAll()
    const meant = known.filter(([kind]) => entry === 'oauth' || kind.kind === entry)
    return meant.find(([, { dashboard_origin }]) => dashboard_origin)?.[1].dashboard_origin ?? null
  }

  return {
    /** Gives where the browser is to go: it is never told anything itself. */
    async receive(returning: Returning, signal: AbortSignal): Promise<string> {
      const { entry, request_id } = returning
      let attempt: SsoAttemptDocument | undefined
      let stored: SsoProviderDocument | undefined
      try {
        const taken = await recognize(returning)
        attempt = taken.attempt
        stored = await signInSettings.find(signInSettings.kindOf(attempt.kind))
        const identity = await identify(returning, taken, stored, signal)
        const finish = attempt.user_id === null ? signIn : bind
        return await finish(returning, attempt, stored, identity)
      } catch (error) {
        const kind = attempt?.kind ?? null
        const reason = reasonOf(error, kind, request_id)
        const user_id = attempt?.user_id ?? null
        const actor = user_id === null ? null : ((await users.find(user_id))?.username ?? null)
        const action = user_id === null ? SIGN_IN : BIND
        await tell(returning, { action, actor, target: actor, payload: { kind, reason }, status: 400 })
        const origin = stored ? stored.dashboard_origin : await anyOrigin(entry)
        return ssoAddresses.failed(entry, origin, reason)
      }
    },
  }
}

/** The actions of audit rows. */
export const SIGN_IN = 'auth.oauth_login'
const BIND = 'auth.oauth_bind'

/** The address that somebody came back to, as the kinds read it. */
function callbackOf(redirect_uri: string, query: Readonly<Record<string, unknown>>): URL {
  const url = new URL(redirect_uri)
  for (const [name, value] of Object.entries(query))
    for (const text of [value].flat()) url.searchParams.append(name, String(text))
  return url
}
