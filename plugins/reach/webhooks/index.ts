// Owns webhooks and their deliveries. What has happened is read from the records of other plugins, which extend
// `webhooks.sources`.
import { definePlugin, listNames } from '#plugin-api'
import { createWebhookCollector, type WebhookCollector } from './collector.ts'
import { createDeliveries, type Deliveries, deliveryIndexes } from './deliveries.ts'
import { manifest } from './manifest.ts'
import { createReceivers, type Receivers } from './receivers.ts'
import { webhookRoutes } from './routes.ts'
import { createWebhookSender, type WebhookSender } from './sender.ts'
import { createWebhooks, type Webhooks, webhookIndexes } from './webhooks.ts'
import './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    webhooks: {
      webhooks: Webhooks
      webhookDeliveries: Deliveries
      receivers: Receivers
      webhookSender: WebhookSender
      webhookCollector: WebhookCollector
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('webhooks', { indexes: webhookIndexes, sealed: { secret: 'webhook:{_id}' } })
    host.collection('webhook_deliveries', { indexes: deliveryIndexes })
    host.collection('webhook_leases')
    host.extensionPoint('webhooks.sources', { noun: 'source of events' })
    host.service('receivers', createReceivers)
    host.service('webhookDeliveries', createDeliveries)
    host.service('webhooks', createWebhooks)
    host.service('webhookSender', createWebhookSender)
    host.service('webhookCollector', createWebhookCollector)
    host.limit('webhooks', ({ webhooks }, user_id) => webhooks.count(user_id))
    host.routes(webhookRoutes)
    host.extend('agents.removal', async ({ agent_id }, { webhooks, webhookDeliveries }) => {
      await webhooks.removeAllOf({ agent_id })
      await webhookDeliveries.removeAllOf({ agent_id })
    })
    host.extend('users.removal', ({ user_id }, { webhooks }) => webhooks.removeAllOf({ user_id }))
    for (const name of [
      'turn.ended',
      'approval.requested',
      'schedule.run_ended',
      'channel.state_changed',
      'budget.warned',
    ] as const)
      host.on(name, (_, { webhookCollector }) => webhookCollector.wake())
    host.on('webhook.changed', (_, { webhookCollector }) => webhookCollector.wakeForChange())
    host.job({
      name: 'webhooks.bounds',
      every_seconds: 600,
      async run({ collections, webhookDeliveries }) {
        await webhookDeliveries.giveUpOld()
        await webhookDeliveries.trim(await collections.webhooks.distinct('_id'))
      },
    })
    host.extend('audit.names', ({ ids }, { collections }) =>
      listNames(collections.webhooks, ids, { kind: 'webhook', field: 'url' }),
    )
  },
  ready({ webhookSender, webhookCollector }) {
    webhookSender.begin()
    webhookCollector.begin()
  },
  async stop({ webhookSender, webhookCollector }) {
    await webhookCollector.end()
    await webhookSender.end()
  },
})
