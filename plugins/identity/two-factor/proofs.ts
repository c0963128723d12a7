import { AppError } from '#plugin-api'
import type { Logins } from '../auth/logins.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { AuthCaller } from '../auth/types.ts'
import type { Users } from '../users/users.ts'
import type { Cradle } from './manifest.ts'
import type { CodeAnswer, TotpFactors } from './totp-factors.ts'

/** The time after a sign-in in which nobody is asked for the password again. */
const RECENT_SECONDS = 600

/** Checks that it is still the user of an account who changes how one signs in. */
export type Proofs = ReturnType<typeof createProofs>

/** Creates the checks. Wrong passwords and codes count as failed sign-ins; right ones do not end the count. */
export function createProofs({
  sessions,
  users,
  logins,
  totpFactors,
  clock,
}: { sessions: Sessions; users: Users; logins: Logins; totpFactors: TotpFactors } & Pick<Cradle, 'clock'>) {
  const attempt = <Value>({ username }: AuthCaller, ip: string, check: () => Promise<Value | undefined>) =>
    logins.attempt({ username, ip }, check, { clears: false })

  return {
    /** Throws RECENT_SIGN_IN_REQUIRED unless the session is new or the password is given; PASSWORD_WRONG. */
    async assertPresence(caller: AuthCaller, ip: string, password: string | undefined): Promise<void> {
      if (password === undefined) {
        const session = await sessions.find(caller.session_id)
        if (session && clock.seconds() - session.created_at <= RECENT_SECONDS) return
        throw new AppError('RECENT_SIGN_IN_REQUIRED')
      }
      const user = await attempt(caller, ip, () => users.authenticate(caller.username, password))
      if (!user) throw new AppError('PASSWORD_WRONG')
    },

    /** Uses up a code of the app or a recovery code; returns which it was. Throws TOTP_INVALID, TOTP_OFF. */
    async takeCode(caller: AuthCaller, ip: string, code: string): Promise<CodeAnswer> {
      const answer = await attempt(caller, ip, async () => {
        const answer = await totpFactors.accept(caller.id, code)
        return answer === 'wrong' ? undefined : answer
      })
      if (!answer) throw new AppError('TOTP_INVALID')
      if (answer === 'not_needed') throw new AppError('TOTP_OFF')
      return answer
    },

    /** Throws AUTH_FAILED if the session or the account has ended meanwhile, so that nothing of it may stay. */
    async assertLive(caller: AuthCaller): Promise<void> {
      const [user, session] = await Promise.all([users.find(caller.id), sessions.find(caller.session_id)])
      if (!user || session?.ended_at !== null) throw new AppError('AUTH_FAILED')
    },

    /** Confirms the app that the session sets up; returns its recovery codes. Throws TOTP_INVALID, TOTP_NOT_BEGUN. */
    async confirm(caller: AuthCaller, ip: string, code: string): Promise<string[]> {
      const check = () => totpFactors.confirm(caller.id, caller.session_id, code)
      const recovery_codes = await attempt(caller, ip, check)
      if (!recovery_codes) throw new AppError('TOTP_INVALID')
      return recovery_codes
    },
  }
}
