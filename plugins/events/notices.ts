import type { Events } from '#kernel'
import type { Agents } from '../agents/agents.ts'
import type { Threads } from '../chat/threads/threads.ts'
import type { Feeds } from './feeds.ts'

/** Notifies accounts of facts whose events need a look at the database first. */
export type Notices = ReturnType<typeof createNotices>

/** Creates the notices; they read for accounts with open pages only. */
export function createNotices({
  feeds,
  agents,
  threads,
}: {
  feeds: Feeds
  agents: Agents
  threads: Threads
}) {
  return {
    /** Notifies the owner of a thread of how it is now. */
    thread({ thread_id, user_id }: Events['thread.changed']): void {
      const describe = async () => {
        const found = await threads.glance(user_id, thread_id)
        if (!found) return undefined
        const { agent_id, title, pinned, unread, last_active, active_turn } = found
        const type = 'thread.changed'
        const turn_active = Boolean(active_turn)
        return { type, thread_id, agent_id, title, pinned, unread, turn_active, last_active } as const
      }
      feeds.notify(user_id, describe, thread_id)
    },

    /** Notifies everybody who sees an agent of how it is now. */
    async agent(agent_id: string): Promise<void> {
      const agent = feeds.areEmpty() ? null : await agents.find(agent_id)
      if (!agent) return
      const { name, state, owner_id, is_shared } = agent
      feeds.notifyAll((account_id) =>
        is_shared || account_id === owner_id ? { type: 'agent.changed', agent_id, name, state } : undefined,
      )
    },

    /** Notifies the owner of an agent that one of its channels has changed. */
    async channel({ channel_id, agent_id }: Events['channel.changed']): Promise<void> {
      const agent = feeds.areEmpty() ? null : await agents.find(agent_id)
      if (agent) feeds.notify(agent.owner_id, () => ({ type: 'channel.changed', channel_id, agent_id }))
    },
  }
}
