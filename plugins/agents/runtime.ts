import { AppError, type GuardContexts } from '#kernel'
import type { AgentSettings } from '#plugin-api'
import type { AuthCaller } from '../auth/types.ts'
import type { Cradle } from './manifest.ts'
import type { ModelChoice } from './model-choice.ts'
import type { createOperations, Outcome } from './operations.ts'
import type { AgentDocument, OperationName } from './types.ts'
import type { createWorkspaceFolders } from './workspace-folder.ts'

/** What a start says that found no model; such agents run again from the first server start that finds one. */
export const NO_MODEL = 'No model can be used: the agent names none, and no active model can be used.'

/** The close code of a socket whose agent is gone for its caller. */
const POLICY_VIOLATION = 1008

/** What the runtime is made of besides the kernel's services. */
interface RuntimeParts {
  operations: ReturnType<typeof createOperations>
  folders: ReturnType<typeof createWorkspaceFolders>
  chooseModel: ModelChoice
}

/** As much of an agent as a start looks at. */
export type Startable = Pick<AgentDocument, '_id' | 'owner_id' | 'default_model'>

/**
 * Makes what starts and stops agents. An agent's configuration is read anew by every turn, so a running agent is no
 * more than its state, a workspace and a model that can be used; any server process may serve it.
 */
export function createRuntime(
  {
    collections: { agents },
    clock,
    events,
    extensions,
    log,
    sockets,
  }: Pick<Cradle, 'collections' | 'clock' | 'events' | 'extensions' | 'log' | 'sockets'>,
  { operations, folders, chooseModel }: RuntimeParts,
) {
  const changed = (agent_id: string) => events.emit('agent.changed', { agent_id })

  /** How a start of this agent ends. */
  async function resolve(agent: Startable, choose: ModelChoice = chooseModel): Promise<Outcome> {
    try {
      await folders.ensure(agent._id)
    } catch (error) {
      log.error({ error, agent: agent._id }, 'workspace folder cannot be made')
      const { code } = error as NodeJS.ErrnoException
      return { state: 'failed', last_error: `The workspace folder cannot be made (${code}).` }
    }
    // One that it names itself may be switched on again at any time, and until then turns say what is wrong.
    if (agent.default_model === null && (await choose(agent)) === null)
      return { state: 'failed', last_error: NO_MODEL }
    return { state: 'running', last_error: null }
  }

  /** Resolves the settings as they are now, which may be newer than those that an operation began with. */
  async function resolveAgain({ _id }: AgentDocument): Promise<Outcome | undefined> {
    const agent = await agents.findOne({ _id })
    return agent ? resolve(agent) : undefined
  }

  /** Finishes the start that an agent was stored with. */
  async function finishStart(agent: AgentDocument): Promise<void> {
    await operations.perform(agent, () => resolve(agent))
    await changed(agent._id)
  }

  async function start(agent_id: string): Promise<void> {
    const agent = await operations.take(agent_id, 'start')
    await operations.perform(agent, async (enter) => {
      if (agent.state === 'running') return undefined
      await enter('starting')
      return resolveAgain(agent)
    })
    await changed(agent_id)
  }

  async function stop(agent_id: string): Promise<void> {
    const agent = await operations.take(agent_id, 'stop')
    await operations.perform(agent, async (enter) => {
      if (agent.state === 'stopped') return undefined
      await enter('stopping')
      await extensions['agents.stopping'].ask({ agent_id, reason: 'stop' })
      return { state: 'stopped', last_error: null }
    })
    await changed(agent_id)
  }

  /** Changes settings, if any are given, stops an agent and starts it; one that was stopped stays so. */
  async function reload(agent_id: string, changes?: Partial<AgentSettings>): Promise<void> {
    const agent = await operations.take(agent_id, 'reload', changes)
    await operations.perform(agent, async (enter) => {
      if (agent.state === 'stopped') return undefined
      await enter('stopping')
      await extensions['agents.stopping'].ask({ agent_id, reason: 'reload' })
      await enter('starting')
      return resolveAgain(agent)
    })
    await changed(agent_id)
  }

  async function finishRemoval(agent: AgentDocument): Promise<void> {
    const { _id: agent_id, owner_id } = agent
    await operations.perform(agent, async (enter) => {
      await enter('stopping')
      await extensions['agents.stopping'].ask({ agent_id, reason: 'delete' })
      await extensions['agents.removal'].ask({ agent_id, owner_id })
      await agents.deleteOne({ _id: agent_id })
      await events.emit('agent.deleted', { agent_id, owner_id })
      return undefined
    })
    closeConnections(agent_id, () => true)
    try {
      await folders.remove(agent_id)
    } catch (error) {
      log.error({ error, agent: agent_id }, 'workspace folder of a deleted agent is still there')
    }
  }

  async function remove(agent_id: string): Promise<void> {
    await finishRemoval(await operations.take(agent_id, 'delete'))
  }

  /** Removes all agents of an account; operations in flight lose theirs, so nothing keeps an agent alive. */
  async function removeAllOf(owner_id: string): Promise<void> {
    const claim = () => ({ $set: { operation: operations.create('delete') } })
    // Claimed all at once: what this process does not finish is carried on by whichever recovers it.
    await agents.updateMany({ owner_id }, claim())
    for (const { _id } of await agents.find({ owner_id }, { projection: { _id: 1 } }).toArray()) {
      const agent = await agents.findOneAndUpdate({ _id }, claim(), { returnDocument: 'after' })
      if (agent) await finishRemoval(agent)
    }
  }

  /** Closes open sockets and streams of an agent whose callers have lost it. */
  function closeConnections(agent_id: string, hasLost: (caller: AuthCaller) => boolean): void {
    const isMeant = (context: Partial<GuardContexts['agent']>) =>
      context.agent?._id === agent_id && hasLost(context.caller!)
    sockets.close(isMeant, POLICY_VIOLATION, 'AGENT_NOT_FOUND')
  }

  const again: Record<OperationName, (agent_id: string) => Promise<void>> = {
    start,
    stop,
    reload,
    delete: remove,
  }

  /** Does once more what a server process that died had begun. */
  async function recover(signal: AbortSignal): Promise<void> {
    const expired = { 'operation.until': { $lt: clock.seconds() } }
    for (const { _id, operation } of await agents.find(expired, { projection: { operation: 1 } }).toArray()) {
      if (signal.aborted) return
      try {
        await unlessOvertaken(again[operation!.name](_id))
      } catch (error) {
        log.error({ error, agent: _id }, 'operation of a process that died cannot be done again')
      }
    }
  }

  return { resolve, finishStart, start, stop, reload, remove, removeAllOf, closeConnections, recover }
}

/** Waits for an operation; that another one, of this or another process, came first is as good. */
async function unlessOvertaken(operation: Promise<void>): Promise<void> {
  try {
    await operation
  } catch (error) {
    if (!(error instanceof AppError) || !['AGENT_BUSY', 'AGENT_NOT_FOUND'].includes(error.code)) throw error
  }
}
