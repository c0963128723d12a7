import {
  type Locale,
  makeTag,
  objectOf,
  pageQuery,
  pageReply,
  type Route,
  reply,
  replyWithTag,
} from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import {
  createdTrigger,
  deliveryRow,
  newTrigger,
  triggerChanges,
  triggerParams,
  triggerRow,
  triggerSecret,
} from './schemas.ts'
import { triggerFields } from './triggers.ts'
import type { TriggerDeliveryDocument, TriggerDocument } from './types.ts'

const PATH = '/agents/:id/triggers'
const list = <const Items extends object>(items: Items) => ({ type: 'array', items }) as const

const toOwner = ({ caller, agent }: { caller: { id: string }; agent: { _id: string } }) => ({
  user_id: caller.id,
  agent_id: agent._id,
})

const scopesOf = ({ credential }: { credential?: { scopes: readonly string[] } }) =>
  credential?.scopes ?? null

const toRow = (
  { _id: id, name, prompt, thread, model, enabled, scheme, ...times }: TriggerDocument,
  { server }: Pick<Cradle, 'server'>,
) => {
  const { last_request_at, created_at, updated_at } = times
  const url = `${server.public_url ?? ''}/api/hooks/triggers/${id}`
  const settings = { name, prompt, thread, model, enabled, verify: { scheme } }
  return { id, ...settings, url, last_request_at, created_at, updated_at }
}

const showTrigger = (trigger: TriggerDocument, cradle: Pick<Cradle, 'server'>) =>
  replyWithTag(200, toRow(trigger, cradle), makeTag(trigger, triggerFields))

const toDeliveryRow = (
  { delivery_id: id, received_ms, status, error, ...fields }: TriggerDeliveryDocument,
  locale: Locale,
  { describeError }: Pick<Cradle, 'describeError'>,
) => {
  const { repeats, thread_id, turn_id, bytes, missing } = fields
  return {
    ...{ id, received_at: Math.floor(received_ms / 1000), status, repeats, turn_id, bytes, missing },
    thread_id: turn_id === null ? null : thread_id,
    ...(error && {
      error: { code: error.code, message: describeError(error.code, error.details, locale) ?? error.code },
    }),
  }
}

/** The routes of triggers. */
export const triggerRoutes: Route<Cradle>[] = [
  route({
    method: 'GET',
    path: PATH,
    operation_id: 'listTriggers',
    summary: 'List your triggers with an agent',
    description:
      'Lists the triggers of the caller, newest first, without their secrets. The owner of a shared agent does not see those of its guests.',
    guard: 'agent',
    query: objectOf(pageQuery),
    response: { 200: list(triggerRow) },
  }).handle(async (request, cradle) => {
    const { rows, next } = await cradle.triggers.list(toOwner(request), request.query)
    return pageReply(request.query, { rows: rows.map((row) => toRow(row, cradle)), next })
  }),

  route({
    method: 'POST',
    path: PATH,
    operation_id: 'createTrigger',
    summary: 'Create a trigger',
    description:
      'Creates an address to which another service sends its webhooks. Each verified request starts a turn of the agent in the name of the account: within its quota and with its permissions. A trigger created with an API key starts turns with the scopes of the key. Only this reply contains the secret, if the server has made it.',
    guard: 'agent',
    body: newTrigger,
    response: { 201: createdTrigger },
    errors: ['LIMIT_REACHED', 'PROVIDER_NOT_VISIBLE'],
    audit: { action: 'trigger.create', target: 'id' },
  }).handle(async (request, cradle) => {
    const { caller, body } = request
    const { trigger, secret } = await cradle.triggers.create(toOwner(request), body, scopesOf(caller))
    return reply(201, { ...toRow(trigger, cradle), secret })
  }),

  route({
    method: 'GET',
    path: `${PATH}/:trigger_id`,
    operation_id: 'getTrigger',
    summary: 'Get a trigger',
    description:
      'Returns a trigger with its prompt, its address and the time of its last request. The secret is not shown again.',
    guard: 'agent',
    params: triggerParams,
    response: { 200: triggerRow },
    errors: ['NOT_FOUND'],
    etag: true,
  }).handle(async (request, cradle) =>
    showTrigger(await cradle.triggers.get(toOwner(request), request.params.trigger_id), cradle),
  ),

  route({
    method: 'PATCH',
    path: `${PATH}/:trigger_id`,
    operation_id: 'updateTrigger',
    summary: 'Change a trigger',
    description:
      'Changes the given fields. What an API key changes starts turns with the scopes of the key from then on.',
    guard: 'agent',
    params: triggerParams,
    body: triggerChanges,
    response: { 200: triggerRow },
    errors: ['NOT_FOUND', 'PROVIDER_NOT_VISIBLE'],
    audit: 'trigger.update',
    etag: true,
  }).handle(async (request, cradle) => {
    const { caller, params, body } = request
    const how = { scopes: scopesOf(caller), request }
    return showTrigger(await cradle.triggers.update(toOwner(request), params.trigger_id, body, how), cradle)
  }),

  route({
    method: 'DELETE',
    path: `${PATH}/:trigger_id`,
    operation_id: 'deleteTrigger',
    summary: 'Delete a trigger',
    description:
      'Deletes the trigger with its list of requests. The threads stay, and turns that have not ended continue there.',
    guard: 'agent',
    params: triggerParams,
    response: { 204: null },
    errors: ['NOT_FOUND'],
    audit: 'trigger.delete',
  }).handle(async (request, { triggers }) => {
    const { name } = await triggers.remove(toOwner(request), request.params.trigger_id)
    request.note({ name })
  }),

  route({
    method: 'POST',
    path: `${PATH}/:trigger_id/secret`,
    operation_id: 'replaceTriggerSecret',
    summary: 'Replace the secret of a trigger',
    description:
      'Makes a new secret, with which requests are verified from now on. Only this reply contains the secret.',
    guard: 'agent',
    params: triggerParams,
    response: { 200: triggerSecret },
    errors: ['NOT_FOUND'],
    audit: 'trigger.replace_secret',
  }).handle(async (request, { triggers }) => ({
    secret: await triggers.replaceSecret(toOwner(request), request.params.trigger_id),
  })),

  route({
    method: 'GET',
    path: `${PATH}/:trigger_id/deliveries`,
    operation_id: 'listTriggerDeliveries',
    summary: 'List the requests to a trigger',
    description:
      'Lists the verified requests, newest first, with the turns that they have started, or the reason why they have not. They stay for a few days, and at most the newest two thousand of them.',
    guard: 'agent',
    params: triggerParams,
    query: objectOf(pageQuery),
    response: { 200: list(deliveryRow) },
    errors: ['NOT_FOUND'],
  }).handle(async (request, cradle) => {
    const { params, query, locale } = request
    const { _id } = await cradle.triggers.get(toOwner(request), params.trigger_id)
    const { rows, next } = await cradle.triggerDeliveries.list(_id, query)
    return pageReply(query, { rows: rows.map((row) => toDeliveryRow(row, locale, cradle)), next })
  }),
]
