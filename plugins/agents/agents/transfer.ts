import type { Collection } from 'mongodb'
import { AppError, findFreeName, isDuplicateKey } from '#plugin-api'
import type { Account } from '../../identity/users/types.ts'
import type { Cradle } from './manifest.ts'
import { readFallbackModels } from './models.ts'
import type { AgentDocument } from './types.ts'

const MAX_NAME = 64

/**
 * Creates the transfer of agents to another owner. What only the former owner may use is left behind: models and
 * knowledge bases.
 */
export function createTransfer(
  {
    clock,
    extensions,
    limits,
    models,
    users,
  }: Pick<Cradle, 'clock' | 'extensions' | 'limits' | 'models' | 'users'>,
  agents: Collection<AgentDocument>,
) {
  const isUsable = (reference: string, owner_id: string): Promise<boolean> =>
    models.assertUsable(reference, owner_id).then(() => true, isRefused)
  const isSearchable = (id: string, user_id: string): Promise<boolean> =>
    extensions['agents.knowledge_checks']
      .ask({ user_id, knowledge_base_ids: [id] })
      .then(() => true, isRefused)

  /** Returns the settings of the agent that another owner can keep. */
  const keepSettings = async (agent: AgentDocument, owner_id: string) => {
    const { default_model, knowledge_base_ids = [], config } = agent
    const keep = (keys: readonly string[], isKept: typeof isUsable) =>
      filter(keys, (key) => isKept(key, owner_id))
    const fallback_models = await keep(readFallbackModels({ config }), isUsable)
    const [model = null] = await keep(default_model === null ? [] : [default_model], isUsable)
    return {
      default_model: model,
      knowledge_base_ids: await keep(knowledge_base_ids, isSearchable),
      config: { ...config, ...(config.fallback_models !== undefined && { fallback_models }) },
    }
  }

  const write = async (agent: AgentDocument, owner: Account): Promise<AgentDocument | null> => {
    const { _id, owner_id, grants = [] } = agent
    const settings = await keepSettings(agent, owner._id)
    const others = grants.filter(({ to }) => to !== `user:${owner._id}`)
    const used = new Set(await agents.distinct('name', { owner_id: owner._id }))
    const changes = {
      owner_id: owner._id,
      owner_username: owner.username,
      name: findFreeName(agent.name, used, MAX_NAME),
      grants: [...others, { to: `user:${owner_id}`, access: 'edit' as const }],
      updated_at: clock.seconds(),
    }
    return agents.findOneAndUpdate(
      { _id, owner_id },
      { $set: { ...settings, ...changes } },
      { returnDocument: 'after' },
    )
  }

  /** Writes again if somebody takes the name meanwhile. */
  const writeUnderFreeName = async (agent: AgentDocument, owner: Account): Promise<AgentDocument | null> => {
    for (;;) {
      try {
        return await write(agent, owner)
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
      }
    }
  }

  /**
   * Transfers an agent to another enabled account; its former owner may still edit it. Throws LIMIT_REACHED, and
   * AGENT_NOT_FOUND if it has gone meanwhile.
   */
  return async (agent: AgentDocument, owner: Account): Promise<AgentDocument> => {
    const transferred = await limits.within('agents', owner._id, () => writeUnderFreeName(agent, owner))
    if (!transferred) throw new AppError('AGENT_NOT_FOUND')
    if (await users.find(owner._id)) return transferred
    // A concurrent deletion of the account did not see this agent.
    const { owner_id, owner_username, name, grants = [] } = agent
    await agents.updateOne(
      { _id: agent._id, owner_id: owner._id },
      { $set: { owner_id, owner_username, name, grants } },
    )
    throw new AppError('NOT_FOUND')
  }
}

function isRefused(error: unknown): false {
  if (error instanceof AppError) return false
  throw error
}

async function filter<Item>(
  items: readonly Item[],
  isKept: (item: Item) => Promise<boolean>,
): Promise<Item[]> {
  const verdicts = await Promise.all(items.map(isKept))
  return items.filter((_, index) => verdicts[index])
}
