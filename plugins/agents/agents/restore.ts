import type { Cradle } from './manifest.ts'
import type { ModelChoice } from './models.ts'
import { type createRuntime, NO_MODEL, type Startable } from './runtime.ts'
import type { AgentState } from './types.ts'

/** The number of agents that are checked in parallel. */
const BATCH_SIZE = 16

/** Creates the restorer, which corrects the states of agents when a server process starts. */
export function createRestorer(
  { collections: { agents }, clock, events, log }: Pick<Cradle, 'collections' | 'clock' | 'events' | 'log'>,
  { runtime, chooseModel }: { runtime: ReturnType<typeof createRuntime>; chooseModel: ModelChoice },
) {
  const stopping = new AbortController()
  let restoring = Promise.resolve()

  /** Resolves every running or failed agent again and stores the outcome if its state changed. */
  async function restore(): Promise<void> {
    const choose = rememberChoices(chooseModel)
    const idle = agents
      .find({ state: { $in: ['running', 'failed'] }, operation: null })
      .project<Startable & { state: AgentState }>({ owner_id: 1, default_model: 1, state: 1 })
    let batch: Promise<void>[] = []
    for await (const agent of idle) {
      if (stopping.signal.aborted) return
      batch.push(restoreOne(agent, choose))
      if (batch.length < BATCH_SIZE) continue
      await Promise.all(batch)
      batch = []
    }
    await Promise.all(batch)
  }

  /** Takes no operation, so that nobody finds the agent busy. */
  async function restoreOne(agent: Startable & { state: AgentState }, choose: ModelChoice): Promise<void> {
    const { _id, state } = agent
    try {
      const outcome = await runtime.resolve(agent, choose)
      if (outcome.state === state) return
      const { modifiedCount } = await agents.updateOne(
        { _id, state, operation: null },
        { $set: { ...outcome, state_since: clock.seconds() } },
      )
      if (modifiedCount > 0) await events.emit('agent.changed', { agent_id: _id })
    } catch (error) {
      log.error({ error, agent: _id }, 'cannot restore the agent')
    }
  }

  return {
    /** Starts agents that only lacked an active model at once, and restores the others while the server answers. */
    async begin(): Promise<void> {
      if ((await chooseModel({ owner_id: '', default_model: null })) !== null)
        await agents.updateMany(
          { state: 'failed', last_error: NO_MODEL, default_model: null, operation: null },
          { $set: { state: 'running', last_error: null, state_since: clock.seconds() } },
        )
      restoring = restore().catch((error) => log.error({ error }, 'cannot restore agents'))
    },
    async end(): Promise<void> {
      stopping.abort()
      await restoring
    },
  }
}

/** Chooses once for each owner and model instead of once for each agent. */
function rememberChoices(choose: ModelChoice): ModelChoice {
  const choices = new Map<string, Promise<string | null>>()
  return (agent) => {
    const key = agent.default_model === null ? '' : `${agent.owner_id} ${agent.default_model}`
    const choice = choices.get(key) ?? choose(agent)
    choices.set(key, choice)
    return choice
  }
}
