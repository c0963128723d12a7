import { AppError } from '#kernel'
import type { AgentSettings } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { AgentDocument, AgentOperation, AgentState, OperationName } from './types.ts'

/** How long an operation is its holder's own without a renewal, in seconds. */
const LEASE_SECONDS = 15

/** The state that an operation ends in. */
export type Outcome = Pick<AgentDocument, 'state' | 'last_error'>

/** Makes sure that each agent has one operation in flight at most, over all server processes. */
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
   * Makes an operation the agent's one in flight, and only then changes its settings. Throws AGENT_NOT_FOUND, or
   * AGENT_BUSY with the other's name.
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
   * Does the work of the operation that an agent's document carries, keeps its lease meanwhile and stores the
   * outcome; none leaves the state as it was. Work that throws leaves the agent failed, except that a deletion once
   * begun is kept, to be done again when its lease runs out.
   */
  async function perform(
    { _id, operation }: AgentDocument,
    work: (enter: (state: AgentState) => Promise<void>) => Promise<Outcome | undefined>,
  ): Promise<void> {
    const { id, name } = operation!
    // Whoever has lost the operation meanwhile changes nothing any more.
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
      const last_error = `The operation "${name}" failed; the server's log says why.`
      if (name !== 'delete') await settle({ state: 'failed', last_error })
      throw error
    } finally {
      clearInterval(renewal)
    }
  }

  return { create, take, perform }
}
