import { AppError, loginReply, objectOf, pageQuery, pageReply, type Route } from '#plugin-api'
import { findRelyingParty } from './ceremonies.ts'
import { type Cradle, route } from './manifest.ts'
import {
  creationOptions,
  newPasskey,
  passkeyChanges,
  passkeyParams,
  passkeyRow,
  passkeySignIn,
  presenceBody,
  requestOptions,
} from './schemas.ts'
import type { PasskeyDocument } from './types.ts'

/** The errors of a call that needs the user's presence. */
const PRESENCE = [
  'RECENT_SIGN_IN_REQUIRED',
  'PASSWORD_WRONG',
  'PASSWORD_CHECKS_BUSY',
  'LOGIN_LOCKED',
  'SIGN_INS_LIMITED',
  'LOGIN_BUSY',
] as const

const toRow = ({ _id: id, name, rp_id: domain, backed_up, created_at, last_used_at }: PasskeyDocument) => {
  return { id, name, domain, backed_up, created_at, last_used_at }
}

const listPasskeys = route({
  method: 'GET',
  path: '/auth/passkeys',
  operation_id: 'listPasskeys',
  summary: 'List your passkeys, newest first',
  description: 'Each has the domain that it works on, and the time when you last signed in with it.',
  guard: 'user',
  query: objectOf(pageQuery),
  response: { 200: { type: 'array', items: passkeyRow } },
}).handle(async ({ caller, query }, { passkeys }) => {
  const { rows, next } = await passkeys.list(caller.id, query)
  return pageReply(query, { rows: rows.map(toRow), next })
})

const beginRegistration = route({
  method: 'POST',
  path: '/auth/passkeys/options',
  operation_id: 'beginPasskey',
  summary: 'Begin to add a passkey',
  description:
    'Returns the options for `navigator.credentials.create`, valid for five minutes and one passkey. Needs a sign-in of the last ten minutes, or the password, and a page with an address that begins with https://, or http://localhost.',
  guard: 'user',
  scope: 'session',
  body: presenceBody,
  response: { 200: creationOptions },
  errors: ['PASSKEY_UNAVAILABLE', ...PRESENCE],
  audit: { none: 'The passkey that is added is audited.' },
}).handle(async ({ caller, body, ip, headers }, { ceremonies, proofs, server }) => {
  const party = findRelyingParty(headers, server)
  await proofs.assertPresence(caller, ip, body.password)
  return ceremonies.beginRegistration(caller, party)
})

const addPasskey = route({
  method: 'POST',
  path: '/auth/passkeys',
  operation_id: 'addPasskey',
  summary: 'Add the passkey that the browser made',
  description:
    'Verifies what `navigator.credentials.create` returned and stores its public key. The passkey must be stored in the authenticator, and be unlocked by a PIN, a face or a finger.',
  guard: 'user',
  scope: 'session',
  body: newPasskey,
  response: { 201: passkeyRow },
  errors: [
    'PASSKEY_UNAVAILABLE',
    'PASSKEY_CHALLENGE_EXPIRED',
    'PASSKEY_INVALID',
    'PASSKEY_EXISTS',
    'LIMIT_REACHED',
  ],
  audit: 'auth.add_passkey',
}).handle(async ({ caller, body, headers }, { ceremonies, passkeys, proofs, server }) => {
  const passkey = await ceremonies.register(caller, body, findRelyingParty(headers, server))
  // A reset of the password that has ended the session meanwhile did not see this passkey.
  await proofs.assertLive(caller).catch(async (error: unknown) => {
    await passkeys.remove(caller.id, passkey._id)
    throw error
  })
  return toRow(passkey)
})

const renamePasskey = route({
  method: 'PATCH',
  path: '/auth/passkeys/:id',
  operation_id: 'renamePasskey',
  summary: 'Rename one of your passkeys',
  description: 'Changes the name in your list; the authenticator keeps its own.',
  guard: 'user',
  scope: 'session',
  params: passkeyParams,
  body: passkeyChanges,
  response: { 200: passkeyRow },
  errors: ['NOT_FOUND'],
  audit: 'auth.rename_passkey',
}).handle(async ({ caller, params, body }, { passkeys }) =>
  toRow(await passkeys.rename(caller.id, params.id, body.name)),
)

const deletePasskey = route({
  method: 'DELETE',
  path: '/auth/passkeys/:id',
  operation_id: 'deletePasskey',
  summary: 'Delete one of your passkeys',
  description:
    'Nobody can sign in with it from then on; sessions that it opened stay. Needs a sign-in of the last ten minutes, or the password.',
  guard: 'user',
  scope: 'session',
  params: passkeyParams,
  body: presenceBody,
  response: { 204: null },
  errors: ['NOT_FOUND', ...PRESENCE],
  audit: 'auth.delete_passkey',
}).handle(async ({ caller, params, body, ip, note }, { passkeys, proofs }) => {
  await proofs.assertPresence(caller, ip, body.password)
  const { name } = await passkeys.remove(caller.id, params.id)
  note({ name })
})

const beginSignIn = route({
  method: 'POST',
  path: '/auth/passkeys/sign-in/options',
  operation_id: 'beginPasskeySignIn',
  summary: 'Begin to sign in with a passkey',
  description:
    'Returns the options for `navigator.credentials.get`, valid for five minutes and one sign-in. No username is needed. Calls are limited for each address.',
  guard: 'public',
  response: { 200: requestOptions },
  errors: ['PASSKEY_UNAVAILABLE'],
  audit: { none: 'The sign-in that follows is audited.' },
}).handle(async ({ headers, ip }, { callLimit, ceremonies, server }) => {
  const party = findRelyingParty(headers, server)
  await callLimit.consume('passkey options', ip, 'many')
  return ceremonies.beginSignIn(party)
})

const signIn = route({
  method: 'POST',
  path: '/auth/passkeys/sign-in',
  operation_id: 'signInWithPasskey',
  summary: 'Sign in with a passkey',
  description:
    'Verifies what `navigator.credentials.get` returned, opens a session and returns the same as a login. It counts as two factors, so that no code is asked for. Calls are limited for each address.',
  guard: 'public',
  body: passkeySignIn,
  response: { 200: loginReply },
  errors: [
    'PASSKEY_UNAVAILABLE',
    'PASSKEY_CHALLENGE_EXPIRED',
    'PASSKEY_REFUSED',
    'USER_DISABLED',
    'AUTH_FAILED',
  ],
  audit: 'auth.passkey_login',
}).handle(async (request, { callLimit, ceremonies, logins, server }) => {
  const { body, headers, ip } = request
  await callLimit.consume('passkey sign-in', ip, 'many')
  const user = await ceremonies.authenticate(body, findRelyingParty(headers, server))
  request.identify(user.username)
  if (!user.enabled) throw new AppError('USER_DISABLED')
  return logins.signIn(user, request, 'passkey')
})

/** The routes of passkeys. */
export const passkeyRoutes: Route<Cradle>[] = [
  listPasskeys,
  beginRegistration,
  addPasskey,
  renamePasskey,
  deletePasskey,
  beginSignIn,
  signIn,
]
