// Notifies open pages of what has changed. Other plugins emit facts; this one turns them into events for the accounts that may
// see them.
import { definePlugin } from '#kernel'
import { createFeeds, type Feeds } from './feeds.ts'
import { manifest } from './manifest.ts'
import { createNotices, type Notices } from './notices.ts'
import { eventRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    events: {
      feeds: Feeds
      notices: Notices
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('feeds', createFeeds)
    host.service('notices', createNotices)
    host.limit('event_streams', ({ feeds }, account_id) => feeds.countReaders(account_id))
    host.routes(eventRoutes)
    host.on('thread.changed', (thread, { notices }) => notices.thread(thread))
    host.on('turn.started', (turn, { notices }) => notices.thread(turn))
    host.on('turn.ended', (turn, { notices }) => notices.thread(turn))
    host.on('thread.deleted', ({ user_id, thread_id, agent_id }, { feeds }) =>
      feeds.notify(user_id, () => ({ type: 'thread.deleted', thread_id, agent_id })),
    )
    host.on('approval.requested', ({ user_id, thread_id, agent_id, pending_id, expires_at }, { feeds }) =>
      feeds.notify(user_id, () => ({
        type: 'approval.pending',
        thread_id,
        agent_id,
        pending_id,
        expires_at,
      })),
    )
    host.on('approval.resolved', ({ user_id, thread_id, agent_id, pending_id, outcome }, { feeds }) =>
      feeds.notify(user_id, () => ({ type: 'approval.resolved', thread_id, agent_id, pending_id, outcome })),
    )
    host.on('agent.changed', ({ agent_id }, { notices }) => notices.agent(agent_id))
    host.on('agent.unshared', ({ agent_id, owner_id }, { feeds }) =>
      feeds.notifyAll((account_id) =>
        account_id === owner_id ? undefined : { type: 'agent.deleted', agent_id },
      ),
    )
    host.on('agent.deleted', ({ agent_id, owner_id, is_shared }, { feeds }) =>
      feeds.notifyAll((account_id) =>
        is_shared || account_id === owner_id ? { type: 'agent.deleted', agent_id } : undefined,
      ),
    )
    host.on('channel.changed', (channel, { notices }) => notices.channel(channel))
    host.on('channel.state_changed', (channel, { notices }) => notices.channel(channel))
    host.on('model.called', ({ account: { user_id } }, { feeds }) =>
      feeds.notify(user_id, () => ({ type: 'usage.changed' }), 'usage'),
    )
    host.on('user.deleted', ({ user_id }, { feeds }) => feeds.forget(user_id))
  },
})
