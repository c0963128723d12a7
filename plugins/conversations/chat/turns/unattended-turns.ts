import { AppError, type Locale } from '#plugin-api'
import type { Account } from '../../../identity/users/types.ts'
import type { Cradle } from '../manifest.ts'
import type { TurnRequest } from './turn.ts'

/** The account and the agent of a turn that nobody sends, as they are when it begins. */
export type PreparedTurn = Pick<TurnRequest, 'user' | 'agent'> & { locale: Locale }

/** Prepares turns that nobody sends: schedules and triggers start them. */
export type UnattendedTurns = ReturnType<typeof createUnattendedTurns>

/** Creates the preparation of such turns. */
export const createUnattendedTurns = ({ agents, scopes }: Pick<Cradle, 'agents' | 'scopes'>) => ({
  /** Prepares a turn of an account, with the rights that its `scopes` leave. Throws AGENT_NOT_FOUND, AGENT_NOT_RUNNING. */
  async prepare(
    account: Account,
    { agent_id, scopes: limit }: { agent_id: string; scopes: readonly string[] | null },
  ): Promise<PreparedTurn> {
    const { _id: id, role, permissions, group_ids: groups, token_quota, budget = null } = account
    const { timezone = null, memory = true } = account
    const rights = limit
      ? { ...scopes.restrict(account, limit), credential: { scopes: limit } }
      : { role, permissions }
    const user = { id, groups, token_quota, budget, timezone, memory, ...rights }
    const agent = await agents.findVisible(user, agent_id)
    if (agent.state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state: agent.state })
    return { user, agent, locale: account.locale ?? 'en' }
  },
})
