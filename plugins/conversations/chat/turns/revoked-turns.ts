import { AppError } from '#plugin-api'
import { toTurnUser } from '../loop/turn-tools.ts'
import type { Cradle } from '../manifest.ts'

/**
 * Ends the running turns of an agent or of accounts, on every server, if the account is disabled or may no longer open
 * the agent. A paused turn is left to wait: it is refused when it would go on.
 */
export async function stopRevokedTurns(
  whose: { agent_id: string } | { user_ids: readonly string[] },
  cradle: Pick<Cradle, 'agents' | 'collections' | 'running' | 'scopes' | 'turnLeases' | 'users'>,
): Promise<void> {
  const { agents, collections, running, turnLeases, users } = cradle
  const isRevoked = async (
    { user_id, agent_id }: { user_id: string; agent_id: string },
    limit?: readonly string[],
  ) => {
    const user = await users.find(user_id)
    if (!user?.enabled) return true
    try {
      await agents.findVisible(toTurnUser(user, limit, cradle), agent_id)
      return false
    } catch (error) {
      if (error instanceof AppError && error.code === 'AGENT_NOT_FOUND') return true
      throw error
    }
  }

  const isMeant = ({ user_id, agent_id }: { user_id: string; agent_id: string }) =>
    'agent_id' in whose ? agent_id === whose.agent_id : whose.user_ids.includes(user_id)
  // Turns that are about to take their thread are not in the database yet.
  for (const turn of running.list())
    if (isMeant(turn) && (await isRevoked(turn)))
      await running.stop((candidate) => candidate === turn, 'stopped')
  const filter = 'agent_id' in whose ? whose : { user_id: { $in: [...whose.user_ids] } }
  const active = { ...filter, active_turn: { $ne: null }, 'active_turn.paused': { $exists: false } }
  for await (const thread of collections.threads.find(active))
    if (await isRevoked(thread, thread.active_turn!.scopes)) await turnLeases.requestStop(thread._id)
}
