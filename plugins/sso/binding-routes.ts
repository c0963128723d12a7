import { AppError, type Route } from '#kernel'
import { authorizationErrors, replyWithRequest } from './authorization-requests.ts'
import { type Cradle, route } from './manifest.ts'
import { bindings, kindBody, oidcStatus, signInStatus, startBody, started } from './schemas.ts'
import { getDisplayName, listStatus } from './settings-rows.ts'

const getStatus = route({
  method: 'GET',
  path: '/auth/oauth/status',
  operation_id: 'listSignInMethods',
  summary: 'List the services that users can sign in with',
  guard: 'public',
  response: { 200: signInStatus },
}).handle(async ({ locale }, cradle) => ({ providers: await listStatus(cradle, locale) }))

const getOidcStatus = route({
  method: 'GET',
  path: '/auth/oidc/status',
  operation_id: 'getOidcStatus',
  summary: 'Get the status of OpenID Connect sign-in',
  guard: 'public',
  response: { 200: oidcStatus },
}).handle(async ({ locale }, cradle) => {
  const { enabled, display_name } = (await listStatus(cradle, locale)).find(({ kind }) => kind === 'oidc')!
  return { enabled, display_name }
})

const startBinding = route({
  method: 'POST',
  path: '/auth/oauth/bind/start',
  operation_id: 'startBinding',
  summary: 'Begin to link an identity at another service to your account',
  guard: 'user',
  scope: 'session',
  body: startBody,
  response: { 200: started },
  errors: [...authorizationErrors('oauth'), 'IDENTITY_ALREADY_LINKED'],
  audit: { none: 'The callback is audited.' },
}).handle(async (request, cradle) => {
  const { body, caller } = request
  const { kind } = body
  const { identities = [] } = (await cradle.users.find(caller.id)) ?? {}
  if (identities.some((linked) => linked.kind === kind))
    throw new AppError('IDENTITY_ALREADY_LINKED', { kind })
  return replyWithRequest({ entry: 'oauth', ...body, caller }, request, cradle)
})

const unbind = route({
  method: 'POST',
  path: '/auth/oauth/unbind',
  operation_id: 'unbind',
  summary: 'Unlink an identity at another service from your account',
  guard: 'user',
  scope: 'session',
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
  operation_id: 'listBindings',
  summary: 'List the identities at other services that are linked to your account',
  guard: 'user',
  response: { 200: bindings },
}).handle(async ({ caller, locale }, { users, signInSettings }) => {
  const { identities = [] } = (await users.find(caller.id)) ?? {}
  const known = await signInSettings.findAll()
  return identities.map(({ kind, linked_at }) => {
    const found = known.find(([{ kind: name }]) => name === kind)
    return { kind, display_name: found ? getDisplayName(found[1], found[0], locale) : kind, linked_at }
  })
})

/** The routes of the available services, and of the identities linked to the caller's account. */
export const bindingRoutes: Route<Cradle>[] = [getStatus, getOidcStatus, startBinding, unbind, listBindings]
