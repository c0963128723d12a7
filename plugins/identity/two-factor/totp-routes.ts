import { AppError, type Route } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import { isRequired } from './required-actions.ts'
import { codeBody, confirmBody, recoveryCodes, setupBody, totpSetup, totpState } from './schemas.ts'
import { writeOtpauthUrl } from './totp-factors.ts'

/** The errors of a password or code that counts as a sign-in. */
const ATTEMPT = ['LOGIN_LOCKED', 'SIGN_INS_LIMITED', 'LOGIN_BUSY'] as const
/** The session that sets up an app. */
const own = { guard: 'user', scope: 'session' } as const

const getState = route({
  method: 'GET',
  path: '/auth/totp',
  operation_id: 'getTotp',
  summary: 'Get the state of your authenticator app',
  description:
    'Tells whether your account needs codes, and how many recovery codes are left. The secret is not shown.',
  guard: 'user',
  response: { 200: totpState },
}).handle(async ({ caller }, cradle) => {
  const factor = await cradle.totpFactors.find(caller.id)
  return {
    enabled: factor !== null,
    required: isRequired(caller, cradle),
    confirmed_at: factor?.confirmed_at ?? null,
    last_used_at: factor?.last_used_at ?? null,
    recovery_codes_left: factor?.recovery_hashes.length ?? 0,
  }
})

const begin = route({
  ...own,
  method: 'POST',
  path: '/auth/totp',
  operation_id: 'beginTotp',
  summary: 'Begin to set up an authenticator app',
  description:
    'Returns a secret for an authenticator app; nothing changes until this session confirms it with a code, within 15 minutes. Needs a sign-in of the last ten minutes, or the password; to replace an app, a code.',
  body: setupBody,
  response: { 200: totpSetup },
  errors: [
    'RECENT_SIGN_IN_REQUIRED',
    'PASSWORD_WRONG',
    'PASSWORD_CHECKS_BUSY',
    'TOTP_ALREADY_ON',
    'TOTP_INVALID',
    ...ATTEMPT,
  ],
  audit: 'auth.begin_totp',
}).handle(async ({ caller, body, ip }, { totpFactors, proofs, server }) => {
  if (!(await totpFactors.find(caller.id))) await proofs.assertPresence(caller, ip, body.password)
  else if (body.code === undefined) throw new AppError('TOTP_ALREADY_ON')
  else await proofs.takeCode(caller, ip, body.code)
  const secret = await totpFactors.begin(caller.id, caller.session_id)
  const host = server.public_url === undefined ? '' : `@${new URL(server.public_url).hostname}`
  const label = `${caller.username}${host}`
  return { secret, otpauth_url: await writeOtpauthUrl({ issuer: 'svc', label, secret }) }
})

const confirm = route({
  ...own,
  method: 'POST',
  path: '/auth/totp/confirm',
  operation_id: 'confirmTotp',
  summary: 'Take your authenticator app into use',
  description:
    'Confirms the app with its first code. From then on, a sign-in with the password needs a code as well; sessions and API keys that exist keep working. Returns ten recovery codes for a lost device, which are shown only now.',
  body: confirmBody,
  response: { 200: recoveryCodes },
  errors: ['TOTP_INVALID', 'TOTP_NOT_BEGUN', ...ATTEMPT],
  audit: 'auth.confirm_totp',
}).handle(async ({ caller, body, ip }, { proofs, sessions, totpFactors }) => {
  const recovery_codes = await proofs.confirm(caller, ip, body.code)
  await proofs.assertLive(caller).catch(async (error: unknown) => {
    await totpFactors.remove(caller.id)
    throw error
  })
  const required_action = 'set_up_totp'
  await sessions.completeAction(caller.session_id, required_action)
  // Others that know the password cannot use the sessions that they opened before.
  await sessions.endAll(caller.id, { except: caller.session_id, required_action })
  return { recovery_codes }
})

const verify = route({
  ...own,
  method: 'POST',
  path: '/auth/totp/verify',
  operation_id: 'verifyTotp',
  summary: 'Complete a sign-in with a code',
  description:
    'For sessions whose `required_actions` have `verify_totp`: those of single sign-on, if the server requires a second factor of the account.',
  body: codeBody,
  response: { 204: null },
  errors: ['TOTP_INVALID', 'TOTP_OFF', ...ATTEMPT],
  audit: 'auth.verify_totp',
}).handle(async ({ caller, body, ip, note }, { proofs, sessions }) => {
  note({ used: await proofs.takeCode(caller, ip, body.code) })
  await sessions.completeAction(caller.session_id, 'verify_totp')
})

const renewRecoveryCodes = route({
  ...own,
  method: 'POST',
  path: '/auth/totp/recovery-codes',
  operation_id: 'renewRecoveryCodes',
  summary: 'Get new recovery codes',
  description: 'Makes ten new recovery codes, which are shown only now; the old ones no longer work.',
  body: codeBody,
  response: { 200: recoveryCodes },
  errors: ['TOTP_INVALID', 'TOTP_OFF', ...ATTEMPT],
  audit: 'auth.renew_recovery_codes',
}).handle(async ({ caller, body, ip }, { proofs, totpFactors }) => {
  await proofs.takeCode(caller, ip, body.code)
  return { recovery_codes: await totpFactors.renewRecoveryCodes(caller.id) }
})

const remove = route({
  ...own,
  method: 'DELETE',
  path: '/auth/totp',
  operation_id: 'removeTotp',
  summary: 'Remove your authenticator app',
  description:
    'Removes the app and its recovery codes, after a code of the app or a recovery code was checked. Not possible while the server requires a second factor of your account.',
  body: codeBody,
  response: { 204: null },
  errors: ['TOTP_INVALID', 'TOTP_OFF', 'TOTP_ENFORCED', ...ATTEMPT],
  audit: 'auth.remove_totp',
}).handle(async ({ caller, body, ip, note }, cradle) => {
  const { proofs, totpFactors } = cradle
  if (isRequired(caller, cradle)) throw new AppError('TOTP_ENFORCED')
  note({ used: await proofs.takeCode(caller, ip, body.code) })
  await totpFactors.remove(caller.id)
})

/** The routes of the caller's authenticator app. */
export const totpRoutes: Route<Cradle>[] = [getState, begin, confirm, verify, renewRecoveryCodes, remove]
