import { loginReply, objectOf, pageQuery, pageReply } from '#plugin-api'
import { toInviteRow, toInviteRows } from './invite.ts'
import { route } from './manifest.ts'
import {
  createdInvite,
  inviteParams,
  inviteRow,
  inviteRows,
  newInvite,
  redemption,
  validation,
  validInvite,
} from './schemas.ts'

const REFUSALS = ['INVITE_INVALID', 'INVITE_USED', 'INVITE_EXPIRED', 'INVITE_REVOKED'] as const

const listInvites = route({
  method: 'GET',
  path: '/users/invites',
  operation_id: 'listInvites',
  summary: 'List the invites',
  description:
    'Lists the invites of all account managers, the newest first. An invite is removed 90 days after it was used or revoked or has expired.',
  guard: ['permission', 'users'],
  query: objectOf(pageQuery),
  response: { 200: inviteRows },
}).handle(async ({ query }, cradle) => {
  const { rows, next } = await cradle.invites.list(query)
  return pageReply(query, { rows: await toInviteRows(rows, cradle), next })
})

const createInvite = route({
  method: 'POST',
  path: '/users/invites',
  operation_id: 'createInvite',
  summary: 'Create an invite',
  description:
    'Creates a code with which one person can create an account, once and until it expires. Only this reply contains the code, so pass it on now. Callers grant only permissions that they hold themselves, also by groups.',
  guard: ['permission', 'users'],
  body: newInvite,
  response: { 201: createdInvite },
  errors: ['GRANT_EXCEEDS'],
  audit: 'invite.create',
}).handle(async ({ caller, body }, cradle) => {
  const { invites, server } = cradle
  const { invite, code } = await invites.create(caller, body)
  const invite_path = `/invite?code=${code}`
  const invite_url = server.public_url ? `${server.public_url.replace(/\/+$/, '')}${invite_path}` : null
  return { ...(await toInviteRow(invite, cradle)), code, invite_url, invite_path }
})

const revokeInvite = route({
  method: 'POST',
  path: '/users/invites/:invite_id/revoke',
  operation_id: 'revokeInvite',
  summary: 'Revoke an invite',
  description:
    'Makes the code of a pending invite unusable. An invite that was used, has expired or was revoked cannot be revoked.',
  guard: ['permission', 'users'],
  params: inviteParams,
  response: { 200: inviteRow },
  errors: ['NOT_FOUND', 'INVITE_NOT_PENDING'],
  audit: 'invite.revoke',
}).handle(async ({ params }, cradle) => toInviteRow(await cradle.invites.revoke(params.invite_id), cradle))

const validateInvite = route({
  method: 'POST',
  path: '/auth/invite/validate',
  operation_id: 'validateInvite',
  summary: 'Check an invite',
  description:
    'Tells whether a code can be redeemed now, so that a page can ask for a username and a password. Codes of an inviter who may no longer invite count as revoked. Calls are limited for each address.',
  guard: 'public',
  body: validation,
  response: { 200: validInvite },
  errors: REFUSALS,
  audit: { none: 'It changes nothing.' },
}).handle(async ({ body, ip }, { callLimit, redemptions }) => {
  await callLimit.consume('invite', ip)
  const { expires_at } = await redemptions.validate(body.code)
  return { ok: true, expires_at }
})

const redeemInvite = route({
  method: 'POST',
  path: '/auth/invite/redeem',
  operation_id: 'redeemInvite',
  summary: 'Redeem an invite',
  description:
    'Creates the account with the username and password of the invited person, opens a session for it, and returns the same as a login. The account gets the permissions and joins the groups of the invite that its creator could still grant. After an error, such as a username that is taken, the code can still be redeemed.',
  guard: 'public',
  body: redemption,
  response: { 200: loginReply },
  errors: [...REFUSALS, 'USERNAME_TAKEN', 'PASSWORD_TOO_WEAK', 'PASSWORD_CHECKS_BUSY', 'AUTH_FAILED'],
  audit: 'auth.redeem_invite',
}).handle(async (request, { callLimit, redemptions, logins }) => {
  const { body, ip, locale } = request
  request.identify(body.username.toLowerCase())
  await callLimit.consume('invite', ip)
  return logins.signIn(await redemptions.redeem({ ...body, locale }), request, 'invite')
})

/** The routes of invites, for user managers and for invited people. */
export const inviteRoutes = [listInvites, createInvite, revokeInvite, validateInvite, redeemInvite]
