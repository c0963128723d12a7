import {
  type AgentSettings,
  AppError,
  type Conditional,
  findPage,
  type GuardContexts,
  isDuplicateKey,
  isGrantedTo,
  type Locale,
  listLosers,
  missOf,
  type Page,
  type PageRequest,
  requireUnchanged,
  shareWithEveryone,
  toGrantUpdate,
} from '#plugin-api'
import { createAgentMemory } from './agent-memory.ts'
import { createAgentRows, createKnowledgeChoices } from './agent-rows.ts'

import type { Cradle } from './manifest.ts'
import { createMissingTools } from './missing-tools.ts'
import { createModelChoice, readFallbackModels, readModelSettings } from './models.ts'
import { createOperations } from './operations.ts'
import { type ReceivedBytes, storeReceivedBytes } from './received-bytes.ts'
import { createRestorer } from './restore.ts'
import { createRuntime, createWorkspaceFolders, seedWorkspace } from './runtime.ts'
import { agentFields } from './schemas.ts'
import { normalizeSettings, readTemplate } from './settings.ts'
import { createToolAccess, isOwnerOf, mayEdit, mayOpen } from './tool-access.ts'

import { createToolSettings } from './tool-settings.ts'
import { createTransfer } from './transfer.ts'
import type { AgentAccess, AgentDocument, AgentState, ListedAgent, Viewer } from './types.ts'

/** The agents, their runtime and their workspaces. */
export type Agents = ReturnType<typeof createAgents>

/** Creates the agents service. */
export function createAgents(
  services: Pick<
    Cradle,
    | 'collections'
    | 'clock'
    | 'events'
    | 'ids'
    | 'limits'
    | 'log'
    | 'models'
    | 'extensions'
    | 'scopes'
    | 'server'
    | 'sockets'
    | 'users'
  >,
) {
  const { clock, events, ids, limits, log, models, extensions, scopes, server, sockets, users } = services
  const { agents, findVisible, findRecent, findRequested, dropRecent, ...askable } =
    createAgentMemory(services)
  const cradle = {
    ...{ clock, events, ids, limits, log, models, extensions, scopes, server, sockets, users },
    collections: { agents },
  }
  const operations = createOperations(cradle)
  const folders = createWorkspaceFolders(cradle)
  const chooseModel = createModelChoice(cradle)
  const runtime = createRuntime(cradle, { operations, folders, chooseModel })
  const restorer = createRestorer(cradle, { runtime, chooseModel })
  const toolAccess = createToolAccess(cradle)
  const knowledge = createKnowledgeChoices(cradle)
  const transfer = createTransfer(cradle, agents)

  const assertModelsUsable = async (
    settings: { default_model?: string | null; config?: Record<string, unknown> },
    owner_id: string,
  ) => {
    const references = readFallbackModels({ config: settings.config ?? {} })
    if (settings.default_model != null) references.push(settings.default_model)
    for (const reference of references) await models.assertUsable(reference, owner_id)
  }

  /** Announces a change; connections of accounts that may no longer open the agent are closed. */
  const noteChange = async (former: AgentDocument, current: AgentDocument): Promise<void> => {
    const agent_id = current._id
    // Grants are written by the toolbox, past the collection that drops what is remembered.
    dropRecent()
    if (former.owner_id !== current.owner_id || listLosers(former, current).length > 0) {
      runtime.closeConnections(agent_id, (caller) => !mayOpen(current, caller))
      await events.emit('agent.unshared', { agent_id, former: accessOf(former), current: accessOf(current) })
    }
    await events.emit('agent.changed', { agent_id })
  }

  return {
    /**
     * Stores an agent and starts it; if the start fails, the agent is `failed`. `seed` fills its workspace; without
     * `seed`, the files of its template do, in this language. Throws VALIDATION_FAILED, PROVIDER_NOT_VISIBLE,
     * LIMIT_REACHED or AGENT_NAME_TAKEN.
     */
    async create(
      owner: { id: string; username: string },
      { is_shared = false, ...agentSettings }: Partial<AgentSettings> & { name: string },
      { locale, seed }: { locale: Locale; seed?: (workspace: string) => Promise<void> },
    ): Promise<AgentDocument> {
      const settings = normalizeSettings(agentSettings, extensions['agents.experts'])
      const template = extensions['agents.experts'].get(settings.template_name ?? '')
      await assertModelsUsable(settings, owner.id)
      await knowledge.assertSearchable(owner.id, settings.knowledge_base_ids)
      const now = clock.seconds()
      const agent: AgentDocument = {
        _id: ids.make(),
        owner_id: owner.id,
        owner_username: owner.username,
        description: null,
        persona_mbti: null,
        default_model: null,
        system_prompt: null,
        template_name: null,
        icon: null,
        color: null,
        welcome_message: null,
        config: {},
        knowledge_base_ids: [],
        ...(template && readTemplate(template, locale)),
        ...settings,
        grants: shareWithEveryone({}, is_shared),
        state: 'starting',
        last_error: null,
        state_since: now,
        operation: operations.create('start'),
        created_at: now,
        updated_at: now,
      }
      const fill = seed ?? (template && ((workspace) => seedWorkspace(template, locale, workspace)))
      try {
        // Before the agent is visible, so that no turn finds an incomplete workspace.
        if (fill) await fill(await folders.ensure(agent._id))
        await limits.within('agents', owner.id, () => refuseTakenName(agent.name, agents.insertOne(agent)))
      } catch (error) {
        await folders.remove(agent._id)
        throw error
      }
      // If the account was deleted meanwhile, its agents were removed before this one was stored.
      if (!(await users.find(owner.id))) {
        await runtime.removeAllOf(owner.id)
        throw new AppError('NOT_FOUND')
      }
      await runtime.finishStart(agent)
      return (await agents.findOne({ _id: agent._id })) ?? agent
    },

    /**
     * Lists a user's own agents, then the agents shared with them; `all` lists everybody's. Oldest first. Throws
     * FORBIDDEN if a user who is not an administrator asks for `all`, and VALIDATION_FAILED for an unknown cursor.
     */
    async list(
      { id, role, groups }: Viewer,
      scope: 'mine' | 'all',
      page: PageRequest,
    ): Promise<Page<ListedAgent>> {
      if (scope === 'all' && role !== 'admin') throw new AppError('FORBIDDEN')
      const others = { ...(scope === 'mine' && isGrantedTo({ id, groups })), owner_id: { $ne: id } }
      const projection = {
        ...{ system_prompt: 0, config: 0, welcome_message: 0, knowledge_base_ids: 0, tool_settings: 0 },
      }
      return findPage(agents, { parts: [{ owner_id: id }, others], sort: { _id: 1 }, projection }, page)
    },

    /** Returns null if the agent does not exist. */
    find: (agent_id: string) => agents.findOne({ _id: agent_id }),

    /** Returns the names of the agents that exist, by id; with a viewer, of those that it may open. */
    async listNames(agent_ids: readonly string[], viewer?: Viewer): Promise<Map<string, string>> {
      const isLimited = viewer && viewer.role !== 'admin'
      const visible = isLimited ? { $or: [{ owner_id: viewer.id }, isGrantedTo(viewer)] } : {}
      const filter = { _id: { $in: [...agent_ids] }, ...visible }
      const rows = await agents.find(filter, { projection: { name: 1 } }).toArray()
      return new Map(rows.map(({ _id, name }) => [_id, name]))
    },

    findVisible,
    findRecent,
    findRequested,

    /** Changes settings, effective from the next turn. Throws what `create` throws, or AGENT_NOT_FOUND. */
    async update(
      agent: AgentDocument,
      { is_shared, ...settings }: Partial<AgentSettings>,
      request: Conditional,
    ): Promise<AgentDocument> {
      const unchanged = requireUnchanged(request, agent, agentFields)
      const changes = normalizeSettings(settings, extensions['agents.experts'])
      await assertModelsUsable(changes, agent.owner_id)
      await knowledge.assertSearchable(agent.owner_id, changes.knowledge_base_ids)
      const updated = await refuseTakenName(
        changes.name,
        agents.findOneAndUpdate(
          { _id: agent._id, ...unchanged },
          { $set: { ...changes, updated_at: clock.seconds() }, ...toGrantUpdate(agent, is_shared) },
          { returnDocument: 'after' },
        ),
      )
      if (!updated) throw missOf(unchanged, 'AGENT_NOT_FOUND')
      await noteChange(agent, updated)
      return updated
    },

    noteChange,

    /**
     * Transfers an agent to another account. Throws VALIDATION_FAILED for an account that does not exist or is disabled,
     * LIMIT_REACHED, SHARING_OFF, SHARING_LIMITED, AGENT_NOT_FOUND.
     */
    async transfer(agent: AgentDocument, username: string, sharer: Viewer): Promise<AgentDocument> {
      const owner = await users.findByUsername(username)
      // First, so that nobody finds out who exists with whom they may not share.
      await extensions['users.sharing'].ask({ sharer, with: [`user:${owner?._id ?? ''}`] })
      if (!owner?.enabled) {
        const issue = { path: '/username', rule: 'account', message: 'is no account that can own an agent' }
        throw new AppError('VALIDATION_FAILED', { issues: [issue] })
      }
      if (owner._id === agent.owner_id) return agent
      const transferred = await transfer(agent, owner)
      await noteChange(agent, transferred)
      return transferred
    },

    /**
     * Has the guards check the open connections of an agent again, or of all agents, because another process has changed
     * its grants, or may have.
     */
    recheckConnections(agent_id?: string): void {
      dropRecent()
      sockets.recheck(({ agent }: Partial<GuardContexts['agent']>) =>
        agent_id === undefined ? agent !== undefined : agent?._id === agent_id,
      )
    },

    /** Converts agents to rows of the API, with what this caller may see. */
    ...createAgentRows(cradle),

    remove: runtime.remove,
    removeAllOf: runtime.removeAllOf,
    start: runtime.start,
    stop: runtime.stop,
    reload: runtime.reload,
    recover: runtime.recover,
    /** Corrects the states of agents after a start; what takes long continues in the background. */
    restore: restorer.begin,
    stopRestoring: restorer.end,
    /** Returns the model that a turn of this agent would use now, or null. */
    chooseModel,
    readModelSettings,
    readFallbackModels,
    /** Stores bytes as a file that was sent to an agent; undefined if nothing keeps the files of agents. */
    receive: (file: ReceivedBytes, owner: { agent_id: string; user_id: string }) =>
      storeReceivedBytes(file, owner, cradle),
    /** Returns the absolute path of the agent's folder, which is created when the agent is created or started. */
    workspaceOf: folders.pathOf,
    /** Creates the folder if it does not exist, and returns its path. */
    prepareWorkspace: folders.ensure,
    removeLeftFolders: folders.removeLeft,

    /** Lists the tools of an agent whose document is at hand. */
    listTools: toolAccess.list,
    ...knowledge,
    /** Returns the tools that plugins lend for a turn. Throws an AppError for a choice that does not exist. */
    lendTools: toolAccess.lend,
    /** Reads an agent's tools from the database, with the permissions and approvals that a call must respect. */
    readToolAccess: toolAccess.read,
    toolSettings: createToolSettings(cradle, toolAccess),
    ...createMissingTools(cradle, { ...toolAccess, ...knowledge }),

    /** Lists the agents that name a provider in their `default_model`, of one owner or, with null, of all owners. */
    async listProviderReferences(provider: {
      name: string
      owner_id: string | null
    }): Promise<{ agents?: { id: string; name: string }[] }> {
      // ";" is the character after ":".
      const default_model = { $gte: `${provider.name}:`, $lt: `${provider.name};` }
      const users = await agents
        .find({ default_model, ...(provider.owner_id && { owner_id: provider.owner_id }) })
        .project<Pick<AgentDocument, '_id' | 'name'>>({ name: 1 })
        .toArray()
      return users.length > 0 ? { agents: users.map(({ _id: id, name }) => ({ id, name })) } : {}
    },

    ...askable,

    isOwner: isOwnerOf,
    mayOpen,
    mayEdit,

    /** Returns the names of the agents that an account owns. */
    listNamesOf: async (owner_id: string): Promise<Set<string>> =>
      new Set(await agents.distinct('name', { owner_id })),

    /** Returns the ids and names of the agents that an account owns. */
    async listOf(owner_id: string): Promise<{ id: string; name: string }[]> {
      const rows = await agents.find({ owner_id }, { projection: { name: 1 } }).toArray()
      return rows.map(({ _id: id, name }) => ({ id, name }))
    },

    /** Returns the ids of those agents that are running. */
    async listRunning(agent_ids: readonly string[]): Promise<Set<string>> {
      if (agent_ids.length === 0) return new Set()
      const filter = { _id: { $in: [...agent_ids] }, state: 'running' } as const
      const rows = await agents.find(filter, { projection: { _id: 1 } }).toArray()
      return new Set(rows.map(({ _id }) => _id))
    },

    /** Counts the agents of all owners by state; an agent that is stopping counts as stopped. */
    async countByState(): Promise<Record<Exclude<AgentState, 'stopping'>, number>> {
      const groups = await agents
        .aggregate<{ _id: AgentState; count: number }>([{ $group: { _id: '$state', count: { $sum: 1 } } }])
        .toArray()
      const counts = { running: 0, stopped: 0, starting: 0, failed: 0 }
      for (const { _id: state, count } of groups) counts[state === 'stopping' ? 'stopped' : state] += count
      return counts
    },
  }
}

async function refuseTakenName<Result>(name: string | undefined, write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    if (isDuplicateKey(error)) throw new AppError('AGENT_NAME_TAKEN', { name })
    throw error
  }
}

const accessOf = ({ owner_id, grants = [] }: AgentDocument): AgentAccess => ({ owner_id, grants })
