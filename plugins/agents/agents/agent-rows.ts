import { AppError, isForEveryone, showManaged } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'
import { mayEdit } from './tool-access.ts'
import type { AgentActivity, AgentDocument, AgentListRow, AgentRow, ListedAgent } from './types.ts'

/** The most channels that the status of an agent shows. */
const MAX_CHANNELS = 200

/** Creates the conversion of agents to rows of the API. */
export function createAgentRows({ extensions }: Pick<Cradle, 'extensions'>) {
  /** Converts agents to rows of a list, with one query for the unread counts of all of them. */
  async function showAll(agents: readonly ListedAgent[], caller: AuthCaller): Promise<AgentListRow[]> {
    const rows = agents.map((agent) => toRow(agent, caller))
    if (rows.length === 0) return rows
    const question = { user_id: caller.id, agent_ids: rows.map(({ id }) => id) }
    for (const counts of await extensions['agents.unread_counts'].ask(question))
      for (const row of rows) row.unread_count += counts.get(row.id) ?? 0
    return rows
  }

  return {
    showAll,
    /** Reads the activity in an agent: its channels by name, and the number of its turns. */
    async readActivity(agent_id: string): Promise<AgentActivity> {
      const activities = await extensions['agents.activity'].ask({ agent_id })
      const channels = activities.flatMap((activity) => activity?.channels ?? [])
      channels.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
      return {
        channels: channels.slice(0, MAX_CHANNELS),
        turns_active: activities.reduce((sum, activity) => sum + (activity?.turns_active ?? 0), 0),
      }
    },
    /** Converts one agent to a row with what the caller may see. */
    async show(agent: AgentDocument, caller: AuthCaller): Promise<AgentRow> {
      const {
        system_prompt,
        config,
        welcome_message,
        knowledge_base_ids = [],
        tool_settings,
        ...listed
      } = agent
      const [row] = await showAll([listed], caller)
      return {
        ...row!,
        welcome_message,
        ...(mayEdit(agent, caller) && { system_prompt, config, knowledge_base_ids }),
      }
    },
  }
}

function toRow(agent: ListedAgent, caller: AuthCaller): AgentListRow {
  const { _id, owner_id, owner_username, state_since, operation, grants, managed, ...shown } = agent
  return {
    ...shown,
    id: _id,
    is_shared: isForEveryone(agent),
    is_owner: owner_id === caller.id,
    can_edit: mayEdit(agent, caller),
    owner: owner_username,
    unread_count: 0,
    ...showManaged(agent),
  }
}

/** The knowledge bases that agents, threads and turns use; a plugin that owns them decides about them. */
export function createKnowledgeChoices({ extensions }: Pick<Cradle, 'extensions'>) {
  return {
    /** Throws an error of the plugin that owns knowledge bases if an account may not search one of these. */
    async assertSearchable(
      user_id: string,
      knowledge_base_ids: readonly string[] | undefined,
    ): Promise<void> {
      if (!knowledge_base_ids?.length) return
      const checks = extensions['agents.knowledge_checks']
      if (checks.list().length === 0)
        throw new AppError('VALIDATION_FAILED', {
          issues: [
            {
              path: '/knowledge_base_ids',
              rule: 'plugin',
              message: 'is not supported: no plugin of this server has knowledge bases',
            },
          ],
        })
      await checks.ask({ user_id, knowledge_base_ids })
    },

    /** Returns the knowledge bases that new threads of an account use. */
    listDefaultKnowledge: async (user_id: string): Promise<string[]> =>
      (await extensions['agents.knowledge_defaults'].ask({ user_id })).flat(),
  }
}
