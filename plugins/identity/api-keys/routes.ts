import { objectOf, pageQuery, pageReply, type Route } from '#plugin-api'
import { type ApiKeyDocument, type Cradle, route } from './manifest.ts'
import { apiKeyParams, apiKeyRow, createdApiKey, newApiKey } from './schemas.ts'

/** Describes the scopes. */
const SCOPES = `The key is a bearer token, of sockets as well. It may do what its scopes cover and the account may do at the time:

- \`read\`: every GET
- \`chat\`: besides, threads, turns, approvals and uploads
- \`write\`: besides reading, every other change to things of your own
- a permission, such as \`users\`: what the permission opens, and in turns the tools that need it
- \`admin\`, for administrators only: everything

No key changes how one signs in: passwords, sessions, the profile and API keys need a session, and so does this operation.`

const toFields = ({ _id: id, name, scopes, expires_at, created_at }: ApiKeyDocument) => {
  return { id, name, scopes, expires_at, created_at }
}

/** Returns a key as its owner and operators see it. */
export const toRow = (key: ApiKeyDocument) => ({ ...toFields(key), last_used_at: key.last_used_at })

const listKeys = route({
  method: 'GET',
  path: '/auth/api-keys',
  operation_id: 'listApiKeys',
  summary: 'List your API keys, newest first',
  description:
    'Expired keys stay in the list for 30 days. The keys themselves are not shown again: only their hashes are stored.',
  guard: 'user',
  query: objectOf(pageQuery),
  response: { 200: { type: 'array', items: apiKeyRow } },
}).handle(async ({ caller, query }, { apiKeys }) => {
  const { rows, next } = await apiKeys.list(caller.id, query)
  return pageReply(query, { rows: rows.map(toRow), next })
})

const createKey = route({
  method: 'POST',
  path: '/auth/api-keys',
  operation_id: 'createApiKey',
  summary: 'Create an API key; only this reply contains the key itself',
  description: SCOPES,
  guard: 'user',
  scope: 'session',
  body: newApiKey,
  response: { 201: createdApiKey },
  errors: ['SCOPE_EXCEEDS', 'API_KEY_NAME_TAKEN', 'LIMIT_REACHED'],
  audit: 'auth.create_api_key',
}).handle(async ({ caller, body }, { apiKeys }) => {
  const { key, text } = await apiKeys.create(caller, body)
  return { ...toFields(key), key: text }
})

const deleteKey = route({
  method: 'DELETE',
  path: '/auth/api-keys/:id',
  operation_id: 'deleteApiKey',
  summary: 'Delete one of your API keys, which ends its connections',
  description:
    'Requests with the key are refused at once, and its open sockets and streams end within a second. Needs a session.',
  guard: 'user',
  scope: 'session',
  params: apiKeyParams,
  response: { 204: null },
  errors: ['NOT_FOUND'],
  audit: 'auth.delete_api_key',
}).handle(async ({ params, caller, note }, { apiKeys }) => {
  const { name } = await apiKeys.remove(caller.id, { _id: params.id })
  note({ name })
})

/** The routes of the caller's API keys. */
export const apiKeyRoutes: Route<Cradle>[] = [listKeys, createKey, deleteKey]
