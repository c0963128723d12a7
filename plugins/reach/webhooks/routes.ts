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
  createdWebhook,
  deliveryParams,
  deliveryRow,
  newWebhook,
  webhookChanges,
  webhookParams,
  webhookRow,
  webhookSecret,
} from './schemas.ts'
import type { DeliveryDocument, WebhookDocument } from './types.ts'
import { webhookFields } from './webhooks.ts'

const PATH = '/webhooks'
const list = <const Items extends object>(items: Items) => ({ type: 'array', items }) as const

const toRow = ({ _id: id, url, events, agent_id, enabled, ...fields }: WebhookDocument) => {
  const { disabled_reason, failing_since, created_at, updated_at } = fields
  return { id, url, events, agent_id, enabled, disabled_reason, failing_since, created_at, updated_at }
}

const showWebhook = (webhook: WebhookDocument) =>
  replyWithTag(200, toRow(webhook), makeTag(webhook, webhookFields))

const toDeliveryRow = (
  { _id: id, event, status, attempts, created_at, next_at, error, ...fields }: DeliveryDocument,
  locale: Locale,
  { describeError }: Pick<Cradle, 'describeError'>,
) => {
  const { last_attempt_at, response_status, body } = fields
  return {
    ...{ id, event, status, attempts, created_at, last_attempt_at, response_status, body },
    next_attempt_at: next_at === null ? null : Math.ceil(next_at / 1000),
    ...(error && {
      error: { code: error.code, message: describeError(error.code, error.details, locale) ?? error.code },
    }),
  }
}

/** The routes of webhooks. */
export const webhookRoutes: Route<Cradle>[] = [
  route({
    method: 'GET',
    path: PATH,
    operation_id: 'listWebhooks',
    summary: 'List your webhooks',
    description: 'Lists the webhooks of the caller, newest first, without their secrets.',
    guard: 'user',
    query: objectOf(pageQuery),
    response: { 200: list(webhookRow) },
  }).handle(async ({ caller, query }, { webhooks }) => {
    const { rows, next } = await webhooks.list(caller.id, query)
    return pageReply(query, { rows: rows.map(toRow), next })
  }),

  route({
    method: 'POST',
    path: PATH,
    operation_id: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Notifies an address of events of your account from now on. Requests carry `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks and the body `{type, timestamp, data}`. They are stored before they are sent, come at least once and one at a time, and are retried for a day. Only this reply contains the secret.',
    guard: 'user',
    body: newWebhook,
    response: { 201: createdWebhook },
    errors: ['LIMIT_REACHED', 'ADDRESS_NOT_ALLOWED', 'AGENT_NOT_FOUND'],
    audit: { action: 'webhook.create', target: 'id' },
  }).handle(async ({ caller, body }, { webhooks }) => {
    const { webhook, secret } = await webhooks.create(caller, body)
    return reply(201, { ...toRow(webhook), secret })
  }),

  route({
    method: 'GET',
    path: `${PATH}/:id`,
    operation_id: 'getWebhook',
    summary: 'Get a webhook',
    description:
      'Returns a webhook with its address, its events and whether its receiver fails. The secret is not shown again.',
    guard: 'user',
    params: webhookParams,
    response: { 200: webhookRow },
    errors: ['NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, params }, { webhooks }) =>
    showWebhook(await webhooks.get(caller.id, params.id)),
  ),

  route({
    method: 'PATCH',
    path: `${PATH}/:id`,
    operation_id: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      'Changes the given fields. A webhook that is enabled again does not hear of what has happened meanwhile; deliveries that still wait are sent.',
    guard: 'user',
    params: webhookParams,
    body: webhookChanges,
    response: { 200: webhookRow },
    errors: ['NOT_FOUND', 'ADDRESS_NOT_ALLOWED', 'AGENT_NOT_FOUND'],
    audit: 'webhook.update',
    etag: true,
  }).handle(async (request, { webhooks, webhookSender }) => {
    const { caller, params, body } = request
    const webhook = await webhooks.update(caller, params.id, body, request)
    webhookSender.wake()
    return showWebhook(webhook)
  }),

  route({
    method: 'DELETE',
    path: `${PATH}/:id`,
    operation_id: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes the webhook with its deliveries; those that wait are not sent.',
    guard: 'user',
    params: webhookParams,
    response: { 204: null },
    errors: ['NOT_FOUND'],
    audit: 'webhook.delete',
  }).handle(async ({ caller, params, note }, { webhooks }) => {
    const { url } = await webhooks.remove(caller.id, params.id)
    note({ url })
  }),

  route({
    method: 'POST',
    path: `${PATH}/:id/secret`,
    operation_id: 'replaceWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'Makes a new secret, with which requests are signed from now on. Only this reply contains the secret.',
    guard: 'user',
    params: webhookParams,
    response: { 200: webhookSecret },
    errors: ['NOT_FOUND'],
    audit: 'webhook.replace_secret',
  }).handle(async ({ caller, params }, { webhooks }) => ({
    secret: await webhooks.replaceSecret(caller.id, params.id),
  })),

  route({
    method: 'POST',
    path: `${PATH}/:id/test`,
    operation_id: 'testWebhook',
    summary: 'Test a webhook',
    description:
      'Sends an event of the type `webhook.test` immediately and once, also if the webhook is disabled, and returns its delivery. A failed attempt is answered with 200 and the status `failed`.',
    guard: 'user',
    params: webhookParams,
    response: { 200: deliveryRow },
    errors: ['NOT_FOUND'],
    audit: 'webhook.test',
  }).handle(async ({ caller, params, locale }, cradle) => {
    const webhook = await cradle.webhooks.get(caller.id, params.id)
    return toDeliveryRow(await cradle.webhookSender.test(webhook), locale, cradle)
  }),

  route({
    method: 'GET',
    path: `${PATH}/:id/deliveries`,
    operation_id: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'Lists deliveries, newest first, with the outcome of their last attempts. Finished ones stay for a few days, and at most the newest thousand of them.',
    guard: 'user',
    params: webhookParams,
    query: objectOf(pageQuery),
    response: { 200: list(deliveryRow) },
    errors: ['NOT_FOUND'],
  }).handle(async ({ caller, params, query, locale }, cradle) => {
    const { _id } = await cradle.webhooks.get(caller.id, params.id)
    const { rows, next } = await cradle.webhookDeliveries.list(_id, query)
    return pageReply(query, { rows: rows.map((row) => toDeliveryRow(row, locale, cradle)), next })
  }),

  route({
    method: 'POST',
    path: `${PATH}/:id/deliveries/:delivery_id/retry`,
    operation_id: 'retryWebhookDelivery',
    summary: 'Send a delivery again',
    description:
      'Has the delivery sent now, whatever its state, with the same `webhook-id`; retries go on for another day.',
    guard: 'user',
    params: deliveryParams,
    response: { 202: deliveryRow },
    errors: ['NOT_FOUND', 'WEBHOOK_DISABLED'],
    audit: 'webhook.retry',
  }).handle(async ({ caller, params, locale }, cradle) => {
    const webhook = await cradle.webhooks.get(caller.id, params.id)
    const delivery = await cradle.webhookSender.retry(webhook, params.delivery_id)
    return reply(202, toDeliveryRow(delivery, locale, cradle))
  }),
]
