import type { Cradle } from '#kernel'
import type { AuthCaller } from '../auth/types.ts'
import { isOwnerOf } from './agents.ts'
import type { AgentRow } from './schemas.ts'
import type { AgentDocument } from './types.ts'

/** Makes what shows agents as rows of the API. */
export function createAgentRows({ events }: Pick<Cradle, 'events'>) {
  /** Shows agents to a caller, the unread counts of all of them asked for at once. */
  async function showAll(documents: readonly AgentDocument[], caller: AuthCaller): Promise<AgentRow[]> {
    const rows = documents.map((document) => rowOf(document, caller))
    if (rows.length > 0) await events.emit('agent.rows_listed', { user_id: caller.id, rows })
    return rows
  }

  return {
    showAll,
    /** Shows one agent to a caller. */
    async show(document: AgentDocument, caller: AuthCaller): Promise<AgentRow> {
      const [row] = await showAll([document], caller)
      return row!
    },
  }
}

function rowOf(agent: AgentDocument, caller: AuthCaller): AgentRow {
  const {
    _id,
    owner_id,
    owner_username,
    state_since,
    operation,
    tool_settings,
    system_prompt,
    config,
    ...shown
  } = agent
  return {
    ...(shown as Pick<AgentRow, keyof AgentRow & keyof typeof shown>),
    ...(isOwnerOf(agent, caller) && { system_prompt, config }),
    id: _id,
    is_owner: owner_id === caller.id,
    owner: owner_username,
    unread_count: 0,
  }
}
