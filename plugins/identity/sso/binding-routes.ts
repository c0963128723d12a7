import { AppError, type Route } from '#plugin-api'
import { authorizationErrors, replyWithRequest } from './authorization-requests.ts'
import { type Cradle, route } from './manifest.ts'
import { bindings, kindBody, oidcStatus, signInStatus, startBody, started } from './schemas.ts'
import { getDisplayName, listStatus } from './settings-rows.ts'

const getStatus = route({
  method: 'GET',
  path: '/auth/oauth/status',
  operation_id: 'listSignInMethods',
  summary: 'List the services to sign in with',
  description: 'Lists every kind of service, also those that are not set up. Offer those that are `enabled`.',
  guard: 'public',
  response: { 200: signInStatus },
}).handle(async ({ locale }, cradle) => ({ providers: await listStatus(cradle, locale) }))

const getOidcStatus = route({
  method: 'GET',
  path: '/auth/oidc/status',
  operation_id: 'getOidcStatus',
  summary: 'Get the status of OpenID Connect sign-in',
  description: 'Tells whether people can sign in with OpenID Connect, and under which name to offer it.',
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
  summary: 'Begin to link an identity to your account',
  description:
    'Begins as a sign-in does: send the browser to the address in the reply. The callback links the identity to the account of this session and redirects to your page. An account has at most one identity of each kind.',
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
  operation_id: 'removeBinding',
  summary: 'Unlink an identity from your account',
  description:
    'The account can then no longer sign in with this service. The last way to sign in of an account cannot be removed.',
  guard: 'user',
  scope: 'session',
  body: kindBody,
  response: { 204: null },
  errors: ['NOT_FOUND', 'LAST_SIGN_IN'],
  audit: 'auth.oauth_unbind',
}).handle(async ({ body, caller }, { identities, signInSettings }) => {
  const settings = await signInSettings.findAll()
  const usable = settings.filter(([kind, stored]) => signInSettings.isUsable(stored, kind))
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
  summary: 'List the identities linked to your account',
  description: 'Lists the services with which the account can sign in, and since when.',
  guard: 'user',
  response: { 200: bindings },
}).handle(async ({ caller, locale }, { users, signInSettings }) => {
  const { identities = [] } = (await users.find(caller.id)) ?? {}
  const settings = await signInSettings.findAll()
  return identities.map(({ kind, linked_at }) => {
    const setting = settings.find(([{ kind: name }]) => name === kind)
    return { kind, display_name: setting ? getDisplayName(setting[1], setting[0], locale) : kind, linked_at }
  })
})

/** The routes of the available services, and of the identities linked to the caller's account. */
export const bindingRoutes: Route<Cradle>[] = [getStatus, getOidcStatus, startBinding, unbind, listBindings]
