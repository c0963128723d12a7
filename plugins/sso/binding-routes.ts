import { AppError, type Route } from '#kernel'
import { departureErrors, sendAway } from './departure-reply.ts'
import { type Cradle, route } from './manifest.ts'
import { bindings, kindBody, oidcStatus, signInStatus, startBody, started } from './schemas.ts'
import { nameOf, statusOf } from './settings-rows.ts'

const getStatus = route({
  method: 'GET',
  path: '/auth/oauth/status',
  summary: 'The services that people can sign in with',
  guard: 'public',
  response: { 200: signInStatus },
}).handle(async ({ locale }, cradle) => ({ providers: await statusOf(cradle, locale) }))

const getOidcStatus = route({
  method: 'GET',
  path: '/auth/oidc/status',
  summary: 'Whether people can sign in with OpenID Connect',
  guard: 'public',
  response: { 200: oidcStatus },
}).handle(async ({ locale }, cradle) => {
  const { enabled, display_name } = (await statusOf(cradle, locale)).find(({ kind }) => kind === 'oidc')!
  return { enabled, display_name }
})

const startBinding = route({
  method: 'POST',
  path: '/auth/oauth/bind/start',
  summary: 'Begin to link an identity at another service to the account of the token',
  guard: 'user',
  body: startBody,
  response: { 200: started },
  errors: [...departureErrors('oauth'), 'IDENTITY_ALREADY_LINKED'],
  audit: { none: 'The return from the other service is audited.' },
}).handle(async (request, cradle) => {
  const { body, caller } = request
  const { kind } = body
  const { identities = [] } = (await cradle.users.find(caller.id)) ?? {}
  if (identities.some((linked) => linked.kind === kind))
    throw new AppError('IDENTITY_ALREADY_LINKED', { kind })
  return sendAway({ entry: 'oauth', ...body, caller }, request, cradle)
})

const unbind = route({
  method: 'POST',
  path: '/auth/oauth/unbind',
  summary: 'Take an identity at another service from the account of the token',
  guard: 'user',
  body: kindBody,
  response: { 204: null },
  errors: ['NOT_FOUND', 'LAST_SIGN_IN'],
  audit: 'auth.oauth_unbind',
}).handle(async ({ body, caller }, { identities, signInSettings }) => {
  const known = await signInSettings.findAll()
  const usable = known.filter(([kind, stored]) => signInSettings.isUsable(stored, kind))
  await identities.unlink(
    caller.id,
    body.kind,
    usable.map(([{ kind }]) => kind),
  )
})

const listBindings = route({
  method: 'GET',
  path: '/auth/oauth/bindings',
  summary: 'The identities at other services with which the account of the token signs in',
  guard: 'user',
  response: { 200: bindings },
}).handle(async ({ caller, locale }, { users, signInSettings }) => {
  const { identities = [] } = (await users.find(caller.id)) ?? {}
  const known = await signInSettings.findAll()
  return identities.map(({ kind, linked_at }) => {
    const found = known.find(([{ kind: name }]) => name === kind)
    return { kind, display_name: found ? nameOf(found[1], found[0], locale) : kind, linked_at }
  })
})

/** What there is to sign in with, and what an account of one's own is linked to. */
export const bindingRoutes: Route<Cradle>[] = [getStatus, getOidcStatus, startBinding, unbind, listBindings]
