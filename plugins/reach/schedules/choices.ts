import type { AgentDocument, Holder } from '../../agents/agents/types.ts'
import type { Cradle } from './manifest.ts'
import type { ScheduleDocument } from './types.ts'

/** The knowledge bases and connectors of a schedule. */
type Choices = Pick<ScheduleDocument, 'knowledge_base_ids' | 'connector_ids'>

/** Throws an error of the plugin that owns them unless a user may search these knowledge bases and use these connectors. */
export async function assertChoices(
  user: Holder & { id: string },
  agent: AgentDocument,
  { knowledge_base_ids, connector_ids }: Choices,
  { agents }: Pick<Cradle, 'agents'>,
): Promise<void> {
  await agents.assertSearchable(user.id, knowledge_base_ids)
  if (connector_ids?.length) await agents.lendTools(agent, user, { choices: { connector_ids } })
}

/** Returns the settings of the turns of a schedule. */
export const toSettings = ({ knowledge_base_ids = [], connector_ids = [] }: Choices) => ({
  ...(knowledge_base_ids.length > 0 && { knowledge_base_ids }),
  ...(connector_ids.length > 0 && { connector_ids }),
})
