import { type AgentSettings, AppError } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { AgentDocument, AgentOperation, AgentState, OperationName } from './types.ts'

/** The time after which an operation that was not renewed may be taken over. */
const LEASE_SECONDS = 15

/** The state in which an operation ends. */
export type Outcome = Pick<AgentDocument, 'state' | 'last_error'>

/** Creates the leases that keep each agent to one operation at a time across all server processes. */
export function createOperations({
  collections: { agents },
  clock,
  ids,
  log,
  server,
}: Pick<Cradle, 'collections' | 'clock' | 'ids' | 'log' | 'server'>) {
  const until = () => clock.seconds() + LEASE_SECONDS

  const create = (name: OperationName): AgentOperation => ({
    id: ids.make(),
    name,
    holder: server.node_id,
    until: until(),
  })

  /**
   * Begins an operation and changes settings in one step. Throws AGENT_NOT_FOUND, or AGENT_BUSY with the name of the
   * operation in progress.
   */
  async function take(
    agent_id: string,
    name: OperationName,
    changes?: Partial<AgentSettings>,
  ): Promise<AgentDocument> {
    const agent = await agents.findOneAndUpdate(
      { _id: agent_id, $or: [{ operation: null }, { 'operation.until': { $lt: clock.seconds() } }] },
      { $set: { operation: create(name), ...changes, ...(changes && { updated_at: clock.seconds() }) } },
      { returnDocument: 'after' },
    )
    if (agent) return agent
    const current = await agents.findOne({ _id: agent_id }, { projection: { operation: 1 } })
    if (!current) throw new AppError('AGENT_NOT_FOUND')
    throw new AppError('AGENT_BUSY', { operation: current.operation?.name ?? name })
  }

  /**
   * Runs the work of the operation in an agent's document, renews its lease meanwhile and stores the outcome; without
   * an outcome the state stays as it was. If the work throws, the agent is `failed`; a deletion instead stays in
   * progress, to be repeated when its lease expires.
   */
  async function perform(
    { _id, operation }: AgentDocument,
    work: (setState: (state: AgentState) => Promise<void>) => Promise<Outcome | undefined>,
  ): Promise<void> {
    const { id, name } = operation!
    // A process that has lost the operation must not change the agent any more.
    const set = async (fields: object) => {
      await agents.updateOne({ _id, 'operation.id': id }, { $set: fields })
    }
    const settle = (outcome?: Outcome) =>
      set({ ...outcome, ...(outcome && { state_since: clock.seconds() }), operation: null })
    const renewal = setInterval(
      () => {
        set({ 'operation.until': until() }).catch((error) =>
          log.warn({ error, agent: _id }, 'lease not renewed'),
        )
      },
      (LEASE_SECONDS * 1000) / 3,
    )
    try {
      await settle(await work((state) => set({ state, state_since: clock.seconds() })))
    } catch (error) {
      const last_error = `The operation "${name}" failed. See the server log.`
      if (name !== 'delete') await settle({ state: 'failed', last_error })
      throw error
    } finally {
      clearInterval(renewal)
    }
  }

  return { create, take, perform }
}
