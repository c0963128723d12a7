// Owns the devices of accounts that receive notifications. Facts come from `chat`, are stored before anybody is
// notified, and are described when they are sent, in the language of the account.
import { definePlugin } from '#plugin-api'
import { createDecisions, type Decisions } from './decisions.ts'
import { createDelivery, type Delivery } from './delivery.ts'
import { createFocus, type Focus, focusIndexes } from './focus.ts'
import { createPushKeys, KEY_PURPOSE, type PushKeys } from './keys.ts'
import { manifest } from './manifest.ts'
import { createNotices, type Notices, noticeIndexes } from './notices.ts'
import { createNotifications, type Notifications } from './notifications.ts'
import { pushRoutes } from './routes.ts'
import { createSender, type Sender } from './sender.ts'
import {
  AUTH_PURPOSE,
  createSubscriptions,
  type Subscriptions,
  subscriptionIndexes,
} from './subscriptions.ts'
import './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    push: {
      pushKeys: PushKeys
      subscriptions: Subscriptions
      focus: Focus
      notices: Notices
      notifications: Notifications
      sender: Sender
      delivery: Delivery
      decisions: Decisions
    }
  }
}

/** The threads whose accounts are notified of ended turns. Others have readers elsewhere, such as in a channel. */
const TOLD_ENDS = { web: 'turn', schedule: 'schedule' } as const

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('push_keys', { sealed: { private_key: KEY_PURPOSE } })
    host.collection('push_subscriptions', { indexes: subscriptionIndexes, sealed: { auth: AUTH_PURPOSE } })
    host.collection('push_notices', { indexes: noticeIndexes })
    host.collection('push_pages', { indexes: focusIndexes })
    host.service('pushKeys', createPushKeys)
    host.service('subscriptions', createSubscriptions)
    host.service('focus', createFocus)
    host.service('notices', createNotices)
    host.service('notifications', createNotifications)
    host.service('sender', (cradle) => createSender(cradle, host.fetch))
    host.service('delivery', createDelivery)
    host.service('decisions', createDecisions)
    host.limit('push_subscriptions', ({ subscriptions }, user_id) => subscriptions.count(user_id))
    host.routes(pushRoutes)

    host.on('approval.requested', ({ user_id, agent_id, thread_id, pending_id }, { delivery }) =>
      delivery.tell({ kind: 'approval', user_id, agent_id, thread_id, subject_id: pending_id }),
    )
    host.on('approval.resolved', ({ pending_id }, { notices }) => notices.settle(pending_id))
    host.on('turn.ended', async (turn, { delivery, subscriptions, threads }) => {
      const { user_id, agent_id, thread_id, turn_id, stop_reason } = turn
      // Somebody who stops a turn knows that it has ended.
      if (stop_reason === 'stopped' || !(await subscriptions.exist(user_id))) return
      const thread = await threads.glance(user_id, thread_id)
      if (!thread || !Object.hasOwn(TOLD_ENDS, thread.channel_type)) return
      const kind = TOLD_ENDS[thread.channel_type as keyof typeof TOLD_ENDS]
      await delivery.tell({ kind, user_id, agent_id, thread_id, subject_id: turn_id })
    })
    host.on('session.ended', ({ session_id }, { subscriptions }) => subscriptions.remove({ session_id }))
    host.on('user.changed', async ({ user_id }, { subscriptions, users }) => {
      const user = await users.find(user_id)
      if (!user?.enabled) await subscriptions.remove({ user_id })
    })
    host.on('thread.deleted', ({ thread_id }, { notices }) => notices.removeAllOf({ thread_id }))
    host.extend('agents.removal', ({ agent_id }, { notices }) => notices.removeAllOf({ agent_id }))
    host.extend('users.removal', async ({ user_id }, { focus, notices, subscriptions }) => {
      await subscriptions.remove({ user_id })
      await notices.removeAllOf({ user_id })
      await focus.removeAllOf(user_id)
    })
    host.job({ name: 'push.delivery', every_seconds: 15, run: ({ delivery }) => delivery.catchUp() })
  },
  stop: ({ delivery }) => delivery.idle(),
})
