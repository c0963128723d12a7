import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AgentSettings,
  AppError,
  createFolderDisposal,
  type Expert,
  type GuardContexts,
  type Locale,
  listTemplateFolders,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'
import type { ModelChoice } from './models.ts'
import type { createOperations, Outcome } from './operations.ts'
import type { AgentDocument, OperationName } from './types.ts'

/** The `last_error` of a start without a model; the first server start that finds a model starts such agents again. */
export const NO_MODEL =
  'No model is available: the agent has none of its own, and the default model cannot be used.'

/** The close code of a socket whose caller may no longer use the agent. */
const POLICY_VIOLATION = 1008

/** The dependencies of the runtime besides the kernel's services. */
interface RuntimeParts {
  operations: ReturnType<typeof createOperations>
  folders: ReturnType<typeof createWorkspaceFolders>
  chooseModel: ModelChoice
}

/** The fields of an agent that a start needs. */
export type Startable = Pick<AgentDocument, '_id' | 'owner_id' | 'default_model'>

/**
 * Creates the runtime, which starts and stops agents. Every turn reads the agent's configuration, so a running agent
 * consists only of its state, a workspace and a usable model, and any server process can serve it.
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

  /** Prepares the workspace and returns the outcome of a start. */
  async function resolve(agent: Startable, choose: ModelChoice = chooseModel): Promise<Outcome> {
    try {
      await folders.ensure(agent._id)
    } catch (error) {
      log.error({ error, agent: agent._id }, 'cannot create the workspace folder')
      const { code } = error as NodeJS.ErrnoException
      return { state: 'failed', last_error: `The workspace folder cannot be created (${code}).` }
    }
    // A model that the agent names may become available at any time; until then, its turns report the error.
    if (agent.default_model === null && (await choose(agent)) === null)
      return { state: 'failed', last_error: NO_MODEL }
    return { state: 'running', last_error: null }
  }

  /** Resolves the current settings, which may be newer than those with which an operation began. */
  async function resolveAgain({ _id }: AgentDocument): Promise<Outcome | undefined> {
    const agent = await agents.findOne({ _id })
    return agent ? resolve(agent) : undefined
  }

  /** Finishes the start with which a new agent was stored. */
  async function finishStart(agent: AgentDocument): Promise<void> {
    await operations.perform(agent, () => resolve(agent))
    await changed(agent._id)
  }

  async function start(agent_id: string): Promise<void> {
    const agent = await operations.take(agent_id, 'start')
    await operations.perform(agent, async (setState) => {
      if (agent.state === 'running') return undefined
      await setState('starting')
      return resolveAgain(agent)
    })
    await changed(agent_id)
  }

  async function stop(agent_id: string): Promise<void> {
    const agent = await operations.take(agent_id, 'stop')
    await operations.perform(agent, async (setState) => {
      if (agent.state === 'stopped') return undefined
      await setState('stopping')
      await extensions['agents.stopping'].ask({ agent_id, reason: 'stop' })
      return { state: 'stopped', last_error: null }
    })
    await changed(agent_id)
  }

  /** Changes settings, if any are given, and restarts the agent; a stopped agent stays stopped. */
  async function reload(agent_id: string, changes?: Partial<AgentSettings>): Promise<void> {
    const agent = await operations.take(agent_id, 'reload', changes)
    await operations.perform(agent, async (setState) => {
      if (agent.state === 'stopped') return undefined
      await setState('stopping')
      await extensions['agents.stopping'].ask({ agent_id, reason: 'reload' })
      await setState('starting')
      return resolveAgain(agent)
    })
    await changed(agent_id)
  }

  async function finishRemoval(agent: AgentDocument): Promise<void> {
    const { _id: agent_id, owner_id, grants = [] } = agent
    let aside: string | undefined
    await operations.perform(agent, async (setState) => {
      await setState('stopping')
      await extensions['agents.stopping'].ask({ agent_id, reason: 'delete' })
      await extensions['agents.removal'].ask({ agent_id, owner_id })
      // Before the agent is gone: after a crash, nothing else would know of its folder.
      aside = await folders.setAside(agent_id).catch((error) => {
        log.error({ error, agent: agent_id }, 'the workspace folder of a deleted agent could not be removed')
        return undefined
      })
      await agents.deleteOne({ _id: agent_id })
      await events.emit('agent.deleted', { agent_id, owner_id, grants })
      return undefined
    })
    closeConnections(agent_id, () => true)
    if (aside !== undefined) await folders.removeAside(aside)
  }

  async function remove(agent_id: string): Promise<void> {
    await finishRemoval(await operations.take(agent_id, 'delete'))
  }

  /** Removes all agents of an account; takes over operations in progress, so that none keeps an agent alive. */
  async function removeAllOf(owner_id: string): Promise<void> {
    const claim = () => ({ $set: { operation: operations.create('delete') } })
    // Claimed all at once, so that another process can recover what this process does not finish.
    await agents.updateMany({ owner_id }, claim())
    for (const { _id } of await agents.find({ owner_id }, { projection: { _id: 1 } }).toArray()) {
      const agent = await agents.findOneAndUpdate({ _id }, claim(), { returnDocument: 'after' })
      if (agent) await finishRemoval(agent)
    }
  }

  /** Closes open sockets and streams of an agent for callers who may no longer use it. */
  function closeConnections(agent_id: string, hasLost: (caller: AuthCaller) => boolean): void {
    const isMeant = (context: Partial<GuardContexts['agent']>) =>
      context.agent?._id === agent_id && hasLost(context.caller!)
    sockets.close(isMeant, POLICY_VIOLATION, 'AGENT_NOT_FOUND', new AppError('AGENT_NOT_FOUND'))
  }

  const repeat: Record<OperationName, (agent_id: string) => Promise<void>> = {
    start,
    stop,
    reload,
    delete: remove,
  }

  /** Repeats the operations of server processes that died. */
  async function recover(signal: AbortSignal): Promise<void> {
    const expired = { 'operation.until': { $lt: clock.seconds() } }
    for (const { _id, operation } of await agents.find(expired, { projection: { operation: 1 } }).toArray()) {
      if (signal.aborted) return
      try {
        await unlessOvertaken(repeat[operation!.name](_id))
      } catch (error) {
        log.error({ error, agent: _id }, 'cannot repeat the operation of a process that died')
      }
    }
  }

  return { resolve, finishStart, start, stop, reload, remove, removeAllOf, closeConnections, recover }
}

/** Waits for an operation; succeeds also if another operation, of this or another process, came first. */
async function unlessOvertaken(operation: Promise<void>): Promise<void> {
  try {
    await operation
  } catch (error) {
    if (!(error instanceof AppError) || !['AGENT_BUSY', 'AGENT_NOT_FOUND'].includes(error.code)) throw error
  }
}

/** Creates the access to the agents' folders: `<home>/agents/<id>`, readable by the server's own user only. */
export function createWorkspaceFolders({ log, server }: Pick<Cradle, 'log' | 'server'>) {
  const root = join(server.home, 'agents')
  const pathOf = (agent_id: string) => join(root, agent_id)

  return {
    pathOf,
    /** Creates the folder if it does not exist, and returns its path. */
    async ensure(agent_id: string): Promise<string> {
      await mkdir(pathOf(agent_id), { recursive: true, mode: 0o700 })
      return pathOf(agent_id)
    },
    ...createFolderDisposal(root, { log }),
  }
}

/** Copies the initial files of a template, in one language, into a workspace. */
export async function seedWorkspace(expert: Expert, locale: Locale, workspace: string): Promise<void> {
  for (const folder of listTemplateFolders(expert, locale)) await cp(folder, workspace, { recursive: true })
}
