import { AppError, type WebhookFact } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { WebhookDocument } from './types.ts'

/** True while an account exists, is enabled, and may use this agent, unless it is null. */
export async function mayHear(
  { user_id, agent_id }: { user_id: string; agent_id: string | null },
  { users, agents }: Pick<Cradle, 'users' | 'agents'>,
): Promise<boolean> {
  const account = await users.findRecent(user_id)
  if (!account?.enabled) return false
  if (agent_id === null) return true
  const { role, group_ids: groups } = account
  try {
    await agents.findRecent({ id: user_id, role, groups }, agent_id)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'AGENT_NOT_FOUND') return false
    throw error
  }
}

/** True if a webhook of an account is about a fact: its own, or for administrators any budget. */
export const isAbout = (
  { user_id, agent_id, events, hears_since }: WebhookDocument,
  fact: WebhookFact,
  isAdministrator: boolean,
): boolean =>
  events.includes(fact.event) &&
  fact.at >= hears_since &&
  (agent_id === null || fact.agent_id === null || fact.agent_id === agent_id) &&
  (fact.user_id === user_id || (isAdministrator && fact.event === 'budget.warned'))
