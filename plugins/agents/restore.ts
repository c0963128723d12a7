import type { Cradle } from './manifest.ts'
import type { ModelChoice } from './model-choice.ts'
import { type createRuntime, NO_MODEL, type Startable } from './runtime.ts'
import type { AgentState } from './types.ts'

/** How many agents are looked at at the same time. */
const PARALLEL = 16

/** Makes what brings agents to a true state when a server process starts. */
export function createRestorer(
  { collections: { agents }, clock, events, log }: Pick<Cradle, 'collections' | 'clock' | 'events' | 'log'>,
  { runtime, chooseModel }: { runtime: ReturnType<typeof createRuntime>; chooseModel: ModelChoice },
) {
  const stopping = new AbortController()
  let restoring = Promise.resolve()

  /** Starts again what ran, or would have, and can no longer or now can; leaves alone what is as it says. */
  async function restore(): Promise<void> {
    const choose = rememberChoices(chooseModel)
    const idle = agents
      .find({ state: { $in: ['running', 'failed'] }, operation: null })
      .project<Startable & { state: AgentState }>({ owner_id: 1, default_model: 1, state: 1 })
    let batch: Promise<void>[] = []
    for await (const agent of idle) {
      if (stopping.signal.aborted) return
      batch.push(restoreOne(agent, choose))
      if (batch.length < PARALLEL) continue
      await Promise.all(batch)
      batch = []
    }
    await Promise.all(batch)
  }

  /** One step that takes no operation, so that nobody finds the agent busy. */
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
      log.error({ error, agent: _id }, 'agent not started again')
    }
  }

  return {
    /** Starts at once what only wanted an active model; the rest goes on while the server answers. */
    async begin(): Promise<void> {
      if ((await chooseModel({ owner_id: '', default_model: null })) !== null)
        await agents.updateMany(
          { state: 'failed', last_error: NO_MODEL, default_model: null, operation: null },
          { $set: { state: 'running', last_error: null, state_since: clock.seconds() } },
        )
      restoring = restore().catch((error) => log.error({ error }, 'agents not started again'))
    },
    async end(): Promise<void> {
      stopping.abort()
      await restoring
    },
  }
}

/** Chooses once for each owner and model, not for each agent. */
function rememberChoices(choose: ModelChoice): ModelChoice {
  const known = new Map<string, Promise<string | null>>()
  return (agent) => {
    const key = agent.default_model === null ? '' : `${agent.owner_id} ${agent.default_model}`
    const choice = known.get(key) ?? choose(agent)
    known.set(key, choice)
    return choice
  }
}
