// Notifies open pages of what has changed. Other plugins emit facts; this one turns them into events for the accounts that may
// see them, in every server process.
import { definePlugin } from '#plugin-api'
import { createRelay, type Relay } from './feed.ts'
import { createFeeds, type Feeds } from './feeds.ts'
import { manifest } from './manifest.ts'
import { createNotices, type Notices } from './notices.ts'
import { eventRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    events: {
      feeds: Feeds
      notices: Notices
      relay: Relay
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('feeds', createFeeds)
    host.service('notices', createNotices)
    host.service('relay', createRelay)
    host.limit('event_streams', ({ feeds }, account_id) => feeds.countReaders(account_id))
    host.routes(eventRoutes)
    for (const name of ['thread.changed', 'turn.started', 'turn.ended'] as const)
      host.on(name, ({ thread_id, user_id }, { relay }) => relay.pass('thread', { thread_id, user_id }))
    host.on('thread.deleted', ({ user_id, thread_id, agent_id }, { relay }) =>
      relay.pass('event', { user_id, event: { type: 'thread.deleted', thread_id, agent_id } }),
    )
    host.on('approval.requested', ({ user_id, ...approval }, { relay }) => {
      const { thread_id, agent_id, pending_id, expires_at } = approval
      const event = { type: 'approval.pending', thread_id, agent_id, pending_id, expires_at } as const
      return relay.pass('event', { user_id, event })
    })
    host.on('approval.resolved', ({ user_id, thread_id, agent_id, pending_id, outcome }, { relay }) => {
      const event = { type: 'approval.resolved', thread_id, agent_id, pending_id, outcome } as const
      return relay.pass('event', { user_id, event })
    })
    host.on('agent.changed', ({ agent_id }, { relay }) => relay.pass('agent', { agent_id }))
    host.on('agent.unshared', (change, { relay }) => relay.pass('agentGone', change))
    host.on('agent.deleted', ({ agent_id, ...former }, { relay }) =>
      relay.pass('agentGone', { agent_id, former, current: null }),
    )
    host.on('user.changed', ({ user_id }, { relay }) => relay.pass('accounts', { user_ids: [user_id] }))
    host.on('group.changed', ({ user_ids }, { relay }) => relay.pass('accounts', { user_ids }))
    for (const name of ['channel.changed', 'channel.state_changed'] as const)
      host.on(name, ({ channel_id, agent_id }, { relay }) => relay.pass('channel', { channel_id, agent_id }))
    host.on('connector.changed', (connector, { relay }) => {
      if (connector.connector_id) return relay.pass('connector', connector)
    })
    host.on('knowledge_base.changed', (base, { relay }) => relay.pass('knowledgeBase', base))
    host.on('project.changed', (project, { relay }) => relay.pass('project', project))
    host.on('prompt.changed', (prompt, { relay }) => relay.pass('prompt', prompt))
    host.on('memory.changed', (account, { relay }) => relay.pass('memory', account))
    host.on('webhook.changed', ({ webhook_id, user_id }, { relay }) =>
      relay.pass('event', { user_id, event: { type: 'webhook.changed', webhook_id } }),
    )
    host.on('model.called', ({ account: { user_id } }, { relay }) => relay.pass('usage', { user_id }))
    host.on('budget.warned', ({ user_id, budget, ...warning }, { relay }) => {
      const { scope, spent, resets_at } = warning
      const event = { type: 'budget.warned', scope, ...budget, spent, resets_at } as const
      return user_id === null
        ? relay.pass('administrators', { event })
        : relay.pass('event', { user_id, event })
    })
    host.on('user.deleted', ({ user_id }, { feeds }) => feeds.forget(user_id))
  },
  start({ relay, feeds, signals }) {
    relay.start()
    signals.onMissed(() => feeds.interruptAll())
  },
})
