import type { components } from '#client'
import { client } from '../server/client.ts'
import { lacks } from '../server/failure.ts'
import { ifMatch, refresh, send, sendTagged } from '../server/send.ts'
import { listChanges } from '../ui/draft.ts'

export type Webhook = components['schemas']['Webhook']
export type Delivery = components['schemas']['WebhookDelivery']
export type WebhookEvent = components['schemas']['WebhookEvent']

/** The events in the order of the form. */
export const EVENTS: WebhookEvent[] = [
  'turn.ended',
  'approval.requested',
  'schedule.run_ended',
  'channel.state_changed',
  'budget.warned',
]

/** The values of the form of a webhook. */
export type WebhookValues = Pick<Webhook, 'url' | 'events' | 'agent_id'>

const pathOf = ({ id }: Pick<Webhook, 'id'>) => ({ path: { id } })
const readAgain = () => refresh('/webhooks', '/auth/me')

function assertComplete({ url, events }: WebhookValues): void {
  const missing = [...(url.trim() === '' ? ['/url'] : []), ...(events.length === 0 ? ['/events'] : [])]
  if (missing.length > 0) throw lacks(missing)
}

/** Stores a new webhook; returns its secret, which is not shown again. */
export async function createWebhook(values: WebhookValues): Promise<string> {
  assertComplete(values)
  const { secret } = await send(client.POST('/webhooks', { body: { ...values, url: values.url.trim() } }))
  await readAgain()
  return secret
}

/** Reads a webhook with the tag of its version. */
export const readWebhook = (webhook: Webhook) =>
  sendTagged(client.GET('/webhooks/{id}', { params: pathOf(webhook) }))

/** Stores what has changed of a webhook. */
export async function updateWebhook(
  webhook: Webhook,
  base: WebhookValues,
  values: WebhookValues,
  tag: string | null,
): Promise<void> {
  assertComplete(values)
  const params = { ...pathOf(webhook), header: ifMatch(tag) }
  await send(client.PATCH('/webhooks/{id}', { params, body: listChanges(base, values) }))
  await readAgain()
}

/** Switches a webhook on or off. */
export const enableWebhook = (webhook: Webhook, enabled: boolean) =>
  send(client.PATCH('/webhooks/{id}', { params: pathOf(webhook), body: { enabled } })).finally(readAgain)

/** Deletes a webhook with its list of deliveries. */
export const deleteWebhook = (webhook: Webhook) =>
  send<unknown>(client.DELETE('/webhooks/{id}', { params: pathOf(webhook) })).finally(readAgain)

/** Makes a new secret; returns it. */
export const replaceSecret = async (webhook: Webhook): Promise<string> =>
  (await send(client.POST('/webhooks/{id}/secret', { params: pathOf(webhook) }))).secret

/** Sends a test; returns its delivery. */
export const testWebhook = (webhook: Webhook): Promise<Delivery> =>
  send(client.POST('/webhooks/{id}/test', { params: pathOf(webhook) })).finally(readAgain)

/** Sends a delivery again. */
export const retryDelivery = ({ id }: Webhook, delivery: Delivery) =>
  send(
    client.POST('/webhooks/{id}/deliveries/{delivery_id}/retry', {
      params: { path: { id, delivery_id: delivery.id } },
    }),
  ).finally(readAgain)
