import { type Events, grantedAccess } from '#plugin-api'
import type { Agents } from '../../agents/agents/agents.ts'
import type { AgentAccess } from '../../agents/agents/types.ts'
import type { Threads } from '../../conversations/chat/threads/threads.ts'
import type { Users } from '../../identity/users/users.ts'
import type { Feeds } from './feeds.ts'
import type { AccountEvent } from './schemas.ts'

/** The part of a thing that decides who sees it. */
type Seen = Omit<AgentAccess, 'owner_id'> & { owner_id: string | null }

/** Notifies accounts that read their events here; each takes plain values, which another process may have sent. */
export type Notices = ReturnType<typeof createNotices>

/** Creates the notices; they read the database for accounts with open pages only. */
export function createNotices({
  feeds,
  agents,
  threads,
  users,
}: {
  feeds: Feeds
  agents: Agents
  threads: Threads
  users: Users
}) {
  /** True if an account sees a thing as its own or because it is shared; administrators own what has no owner. */
  const isSeen = async (thing: Seen, account_id: string): Promise<boolean> => {
    if (thing.owner_id === account_id) return true
    const isDecided = thing.grants.length === 0 && thing.owner_id !== null
    const account = isDecided ? undefined : await users.findRecent(account_id)
    if (!account) return false
    if (thing.owner_id === null && account.role === 'admin') return true
    return grantedAccess(thing, { id: account_id, groups: account.group_ids }) !== null
  }

  /** Notifies everybody who sees a thing, by its owner and its grants before and after a change. */
  const notifyViewers = (thing: Seen, event: AccountEvent): void => {
    if (thing.grants.length === 0 && thing.owner_id !== null) feeds.notify(thing.owner_id, () => event)
    else feeds.notifyAll(async (account_id) => ((await isSeen(thing, account_id)) ? event : undefined))
  }

  return {
    /** Notifies the owner of a thread of how it is now. */
    thread({ thread_id, user_id }: { thread_id: string; user_id: string }): void {
      const describe = async () => {
        const thread = await threads.glance(user_id, thread_id)
        if (!thread) return undefined
        const { agent_id, project_id = null, title, pinned, archived = false, ...state } = thread
        const { unread, last_active, active_turn } = state
        const type = 'thread.changed'
        const turn_active = Boolean(active_turn)
        const row = {
          thread_id,
          agent_id,
          project_id,
          title,
          pinned,
          archived,
          unread,
          turn_active,
          last_active,
        }
        return { type, ...row } as const
      }
      feeds.notify(user_id, describe, thread_id)
    },

    /** Notifies everybody who sees an agent of how it is now. */
    async agent({ agent_id }: { agent_id: string }): Promise<void> {
      const agent = feeds.areEmpty() ? null : await agents.find(agent_id)
      if (!agent) return
      const { name, state } = agent
      feeds.notifyAll(async (account_id) =>
        (await isSeen({ grants: [], ...agent }, account_id))
          ? { type: 'agent.changed', agent_id, name, state }
          : undefined,
      )
    },

    /** Notifies the owner of an agent that one of its channels has changed. */
    async channel({ channel_id, agent_id }: { channel_id: string; agent_id: string }): Promise<void> {
      const agent = feeds.areEmpty() ? null : await agents.find(agent_id)
      if (agent) feeds.notify(agent.owner_id, () => ({ type: 'channel.changed', channel_id, agent_id }))
    },

    /** Notifies the accounts that see a connector, or saw it until now; a global one without grants is everybody's. */
    connector({ connector_id, owner_id, grants }: Events['connector.changed']): void {
      const event = { type: 'connector.changed', connector_id } as const
      if (owner_id === null && !grants) feeds.notifyAll(() => event)
      else notifyViewers({ owner_id, grants: grants ?? [] }, event)
    },

    /** Notifies the accounts that see a knowledge base, or saw it until now. */
    knowledgeBase({ knowledge_base_id, user_id: owner_id, grants }: Events['knowledge_base.changed']): void {
      notifyViewers({ owner_id, grants }, { type: 'knowledge_base.changed', knowledge_base_id })
    },

    /** Notifies the accounts that see a project, or saw it until now. */
    project({ project_id, user_id: owner_id, grants }: Events['project.changed']): void {
      notifyViewers({ owner_id, grants }, { type: 'project.changed', project_id })
    },

    /** Notifies the accounts that see a saved prompt, or saw it until now. */
    prompt({ prompt_id, user_id: owner_id, grants }: Events['prompt.changed']): void {
      notifyViewers({ owner_id, grants }, { type: 'prompt.changed', prompt_id })
    },

    /** Notifies an account that what agents remember about it has changed. */
    memory({ user_id }: { user_id: string }): void {
      feeds.notify(user_id, () => ({ type: 'memory.changed' }), 'memory')
    },

    /** Notifies an account of something that needs no look. */
    event({ user_id, event }: { user_id: string; event: AccountEvent }): void {
      feeds.notify(user_id, () => event)
    },

    /** Notifies the accounts that no longer see an agent. */
    agentGone({
      agent_id,
      former,
      current,
    }: {
      agent_id: string
      former: AgentAccess
      current: AgentAccess | null
    }): void {
      feeds.notifyAll(async (account_id) => {
        if (!(await isSeen(former, account_id)) || (current && (await isSeen(current, account_id))))
          return undefined
        return { type: 'agent.deleted', agent_id }
      })
    },

    /** Has accounts look at everything again: they may see more or less from now on. */
    accounts: ({ user_ids }: { user_ids: readonly string[] }): void => feeds.interrupt(user_ids),

    /** Notifies the administrators of something that needs no look. */
    administrators({ event }: { event: AccountEvent }): void {
      feeds.notifyAll(async (account_id) =>
        (await users.findRecent(account_id))?.role === 'admin' ? event : undefined,
      )
    },

    /** Notifies an account that its usage has changed. */
    usage({ user_id }: { user_id: string }): void {
      feeds.notify(user_id, () => ({ type: 'usage.changed' }), 'usage')
    },
  }
}
