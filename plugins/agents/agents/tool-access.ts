import { AppError, grantedAccess, isWithin, type Tool } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'
import type {
  AgentDocument,
  Holder,
  LentTools,
  ToolAccess,
  ToolChoices,
  ToolSettings,
  Viewer,
} from './types.ts'

/** The tool settings of an agent that nobody has changed. */
export const FIRST_TOOL_SETTINGS: ToolSettings = { disabled_builtin: [], enabled_plugin: [] }

/** The access to the tools that an agent has for a user. */
export type ToolAccessReader = ReturnType<typeof createToolAccess>

/** Creates the access to the tools that an agent has for a user. */
export function createToolAccess({
  collections: { agents },
  extensions,
  scopes: scopeRules,
  server,
  users,
}: Pick<Cradle, 'collections' | 'extensions' | 'scopes' | 'server' | 'users'>) {
  const builtIn = new Set(
    server.plugins().flatMap(({ name, source }) => (source === 'built-in' ? [name] : [])),
  )
  const pluginOf = ({ name }: Tool) => extensions['agents.tools'].owner(name)!
  const isBuiltIn = (tool: Tool) => builtIn.has(pluginOf(tool))

  const isEnabled = (
    tool: Tool,
    { disabled_builtin = [], enabled_builtin = [], enabled_plugin = [] }: Partial<ToolSettings>,
  ) => {
    const plugin = pluginOf(tool)
    if (!builtIn.has(plugin))
      return enabled_plugin.some(({ plugin_id, name }) => name === tool.name && plugin_id === plugin)
    if (tool.opt_in) return enabled_builtin.includes(tool.name)
    const names = [tool.name, ...(tool.same_rules_as ? [tool.same_rules_as] : [])]
    return !tool.disableable || !names.some((name) => disabled_builtin.includes(name))
  }

  /** The enabled tools of each revision of an agent's settings, with the number of tools that there were. */
  const enabledTools = new WeakMap<Partial<ToolSettings>, { total: number; tools: readonly Tool[] }>()

  const listEnabled = ({ tool_settings = FIRST_TOOL_SETTINGS }: AgentDocument): readonly Tool[] => {
    const all = extensions['agents.tools'].list()
    const remembered = enabledTools.get(tool_settings)
    // Until every plugin is ready, one may fail and take its tools along.
    if (remembered?.total === all.length) return remembered.tools
    const tools = all.filter((tool) => isEnabled(tool, tool_settings))
    enabledTools.set(tool_settings, { total: all.length, tools })
    return tools
  }

  /** Lists the tools that an agent offers when it acts for this user. */
  const list = (agent: AgentDocument, user: Holder): Tool[] =>
    listEnabled(agent).filter((tool) => tool.permission === undefined || mayUse(tool, user))

  const lend = async (
    agent: AgentDocument,
    user: Holder & { id: string },
    { choices = {}, has_begun = false }: { choices?: ToolChoices; has_begun?: boolean } = {},
  ): Promise<LentTools> => {
    if (!has_begun && choices.connector_ids?.length && extensions['agents.lent_tools'].list().length === 0)
      throw new AppError('VALIDATION_FAILED', {
        issues: [
          {
            path: '/connector_ids',
            rule: 'plugin',
            message: 'is not supported: no plugin of this server has connectors',
          },
        ],
      })
    const parts = await extensions['agents.lent_tools'].ask({ agent, user, choices, has_begun })
    return {
      tools: parts.flatMap(({ tools }) => tools),
      always: parts.flatMap(({ always }) => always),
      never: parts.flatMap(({ never }) => never),
    }
  }

  return {
    pluginOf,
    isBuiltIn,
    isEnabled,
    list,
    lend,

    /**
     * Reads the current tools, write area and approvals; returns null if the agent may not act for the account.
     * `scopes` limit the account to what its credential allows.
     */
    async read(
      agent_id: string,
      user_id: string,
      { scopes, choices }: { scopes?: readonly string[]; choices?: ToolChoices } = {},
    ): Promise<ToolAccess | null> {
      const [agent, user] = await Promise.all([agents.findOne({ _id: agent_id }), users.find(user_id)])
      if (!agent || !user?.enabled) return null
      const rights = scopes ? scopeRules.restrict(user, scopes) : user
      if (!mayOpen(agent, { id: user_id, role: rights.role, groups: user.group_ids })) return null
      const owner = agent.owner_id === user_id ? user : await users.find(agent.owner_id)
      const { role, permissions } = rights
      const pluginTools = await lend(agent, { id: user_id, role, permissions }, { choices, has_begun: true })
      const { always, never } = readApprovals(agent)
      const root = intersectFolders(owner?.workspace_root_dir ?? null, user.workspace_root_dir)
      return {
        tools: [...list(agent, rights), ...pluginTools.tools],
        write_area: root === null ? null : { root, except: server.home },
        approvals: { always: [...always, ...pluginTools.always], never: [...never, ...pluginTools.never] },
      }
    },
  }
}

/** Returns the inner one of two nested folders: an agent writes only in folders open to both its owner and its user. */
function intersectFolders(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null
  if (isWithin(other, one)) return one
  return isWithin(one, other) ? other : null
}

const readApprovals = ({ config }: AgentDocument): ToolAccess['approvals'] => ({
  always: readNames(config.tools_with_approval),
  never: readNames(config.tools_without_approval),
})

const readNames = (names: unknown): string[] =>
  Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []

/** True if this caller has the rights of the agent's owner. */
export const isOwnerOf = (
  { owner_id }: Pick<AgentDocument, 'owner_id'>,
  { id, role }: Pick<AuthCaller, 'id' | 'role'>,
): boolean => owner_id === id || role === 'admin'

/** True if this caller may open the agent. */
export const mayOpen = (agent: Pick<AgentDocument, 'owner_id' | 'grants'>, caller: Viewer): boolean =>
  isOwnerOf(agent, caller) || grantedAccess(agent, caller) !== null

/** True if this caller may change the agent. */
export const mayEdit = (agent: Pick<AgentDocument, 'owner_id' | 'grants'>, caller: Viewer): boolean =>
  isOwnerOf(agent, caller) || grantedAccess(agent, caller) === 'edit'

/** True if agents may use this tool for this user. */
export const mayUse = ({ permission }: Tool, { role, permissions }: Holder): boolean =>
  permission === undefined || role === 'admin' || permissions.includes(permission)
