import { AppError, isUnavailable, type TypeOf } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { ThreadDocument } from '../chat/documents.ts'
import type { AgentLease } from './agent-leases.ts'
import type { Cradle } from './manifest.ts'
import type { migrationStatus } from './schemas.ts'

/** The most agents that this process works on at once. */
const MAX_AGENTS = 3
/** The number of attempts after which a thread that ends its process each time is given up. */
const MAX_ATTEMPTS = 3

/** The progress of the migration of an agent's threads. */
export type MigrationStatus = TypeOf<typeof migrationStatus>

/** Rebuilds the histories of threads in the background, one thread of an agent at a time. */
export type HistoryMigration = ReturnType<typeof createHistoryMigration>

/** Creates the migration of this process. */
export function createHistoryMigration({
  threadArchive,
  agentLeases,
  clock,
  log,
}: Pick<Cradle, 'threadArchive' | 'agentLeases' | 'clock' | 'log'>) {
  const stopping = new AbortController()
  const workers = new Set<Promise<void>>()

  /** Finds the next agent that has work and that no process works on, except the agents in `seen`. */
  const takeAgent = async (visitedIds: Set<string>) => {
    for (const agent_id of await threadArchive.listAgents()) {
      if (stopping.signal.aborted) return null
      if (visitedIds.has(agent_id)) continue
      visitedIds.add(agent_id)
      const lease = await agentLeases.take(agent_id)
      if (lease) return { agent_id, lease }
    }
    return null
  }

  const startWorker = () => {
    if (stopping.signal.aborted || workers.size >= MAX_AGENTS) return
    const worker = work()
      .catch((error) => log.error({ error }, 'histories could not be rebuilt'))
      .finally(() => workers.delete(worker))
    workers.add(worker)
  }

  const work = async () => {
    const visitedIds = new Set<string>()
    for (
      let leasedAgent = await takeAgent(visitedIds);
      leasedAgent;
      leasedAgent = await takeAgent(visitedIds)
    ) {
      // If there is work for one agent, there may be work for another.
      startWorker()
      try {
        await migrateAll(leasedAgent.agent_id, leasedAgent.lease)
      } finally {
        await leasedAgent.lease.release()
      }
    }
  }

  const migrateAll = async (agent_id: string, { lost }: AgentLease) => {
    const signal = AbortSignal.any([stopping.signal, lost])
    while (!signal.aborted) {
      const thread = await threadArchive.claim(agent_id)
      if (!thread) return
      await migrate(thread, signal)
    }
  }

  const migrate = async (thread: ThreadDocument, signal: AbortSignal) => {
    const { _id: thread_id, agent_id } = thread
    try {
      if (thread.migration!.attempts > MAX_ATTEMPTS)
        throw new Error(`it was started ${MAX_ATTEMPTS} times, and each time the server process ended`)
      const isDone = await threadArchive.rebuild(thread, signal)
      if (!isDone) await threadArchive.release(thread)
    } catch (error) {
      if (isUnavailable(error)) throw error
      log.warn({ error, agent_id, thread_id }, 'a history could not be rebuilt')
      await threadArchive.fail(thread, (error as Error).message)
    }
  }

  const status = async ({ _id, operation }: AgentDocument): Promise<MigrationStatus> => {
    const [counts, processing] = await Promise.all([threadArchive.count(_id), agentLeases.isHeld(_id)])
    const { pending, queued, running, failed } = counts
    const agent_busy = isBusy(operation)
    const can_start = pending + failed > 0 && !agent_busy
    return { remaining: pending + queued + running, ...counts, processing, agent_busy, can_start }
  }

  const isBusy = (operation: AgentDocument['operation']): operation is NonNullable<typeof operation> =>
    operation !== null && operation.until >= clock.seconds()

  return {
    /** Queues every thread of the agent that needs a rebuild; throws AGENT_BUSY. */
    async start(agent: AgentDocument): Promise<MigrationStatus & { accepted: number }> {
      if (isBusy(agent.operation)) throw new AppError('AGENT_BUSY', { operation: agent.operation.name })
      const accepted = await threadArchive.queue(agent._id)
      const begun = await status(agent)
      startWorker()
      return { accepted, ...begun }
    },
    status,
    /** Starts working on queued threads that no process works on, including threads of crashed processes. */
    look: startWorker,
    /** Puts the current threads back in the queue and starts no more. */
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all(workers)
    },
  }
}
