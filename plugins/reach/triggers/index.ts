// Owns triggers and the requests that came to them. Turns run in `chat`.
import { definePlugin, listNames } from '#plugin-api'
import { createTriggerDeliveries, deliveryIndexes, type TriggerDeliveries } from './deliveries.ts'
import { hookRoute } from './hook-route.ts'
import { manifest } from './manifest.ts'
import { createReception, type Reception } from './reception.ts'
import { triggerRoutes } from './routes.ts'
import { createTriggers, type Triggers, triggerIndexes } from './triggers.ts'
import './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    triggers: {
      triggers: Triggers
      triggerDeliveries: TriggerDeliveries
      reception: Reception
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('triggers', { indexes: triggerIndexes, sealed: { secret: 'trigger:{_id}' } })
    host.collection('trigger_deliveries', { indexes: deliveryIndexes })
    host.service('triggerDeliveries', createTriggerDeliveries)
    host.service('triggers', createTriggers)
    host.service('reception', createReception)
    host.extensionPoint('triggers.checks', { noun: 'check' })
    host.limit('triggers', ({ triggers }, user_id) => triggers.count(user_id))
    host.routes(triggerRoutes)
    host.routes([hookRoute])
    host.extend('agents.removal', ({ agent_id }, { triggers }) => triggers.removeAllOf({ agent_id }))
    host.extend('users.removal', ({ user_id }, { triggers }) => triggers.removeAllOf({ user_id }))
    host.extend('audit.names', ({ ids }, { collections }) =>
      listNames(collections.triggers, ids, { kind: 'trigger', field: 'name' }),
    )
  },
})
