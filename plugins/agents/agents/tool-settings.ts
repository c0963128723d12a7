import type { UpdateFilter } from 'mongodb'
import {
  AppError,
  type Conditional,
  type Issue,
  type Locale,
  makeTag,
  missOf,
  requireUnchanged,
  type Tool,
  type TypeOf,
} from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { toolChange, toolSettings, toolSettingsRow } from './schemas.ts'
import { FIRST_TOOL_SETTINGS, mayUse, type ToolAccessReader } from './tool-access.ts'

import type { AgentDocument, Holder, PluginTool } from './types.ts'

/** The fields that the entity tag of an agent's tool settings is made from. */
const TAGGED = ['tool_settings'] as const

/** Creates the access to the tool settings of agents; changes take effect from the next call of a tool. */
export function createToolSettings(
  {
    clock,
    collections: { agents },
    events,
    extensions,
  }: Pick<Cradle, 'clock' | 'collections' | 'events' | 'extensions'>,
  { isBuiltIn, isEnabled, pluginOf }: Pick<ToolAccessReader, 'isBuiltIn' | 'isEnabled' | 'pluginOf'>,
) {
  const toKey = (tool: Tool): PluginTool => ({ plugin_id: pluginOf(tool), name: tool.name })

  const assertDisableable = ({ name, disableable }: Tool) => {
    if (!disableable) throw new AppError('TOOL_NOT_DISABLEABLE', { name })
  }

  /** Throws VALIDATION_FAILED for a tool that does not exist. */
  const ensureKnown = (tool: Tool | undefined, path: string): Tool => {
    if (tool) return tool
    const issue: Issue = { path, rule: 'tool', message: 'must name an existing tool' }
    throw new AppError('VALIDATION_FAILED', { issues: [issue] })
  }
  const findBuiltIn = (name: string) => {
    const tool = extensions['agents.tools'].get(name)
    return tool && isBuiltIn(tool) ? tool : undefined
  }
  const findPluginTool = ({ plugin_id, name }: PluginTool) => {
    const tool = extensions['agents.tools'].get(name)
    return tool && !isBuiltIn(tool) && pluginOf(tool) === plugin_id ? tool : undefined
  }

  const change = async (
    current: AgentDocument,
    { $set, ...operators }: UpdateFilter<AgentDocument>,
    request: Conditional,
  ): Promise<AgentDocument> => {
    const { _id } = current
    const unchanged = requireUnchanged(request, current, TAGGED)
    const update = { ...operators, $set: { ...$set, updated_at: clock.seconds() } }
    const agent = await agents.findOneAndUpdate({ _id, ...unchanged }, update, { returnDocument: 'after' })
    if (!agent) throw missOf(unchanged, 'AGENT_NOT_FOUND')
    await events.emit('agent.changed', { agent_id: _id })
    return agent
  }

  return {
    /** Makes the entity tag of an agent's tool settings. */
    tagOf: (agent: AgentDocument) => makeTag(agent, TAGGED),

    /** Lists all tools with the agent's settings and with what this user may use; `unset` names the tools that turns lack. */
    show(
      { tool_settings = FIRST_TOOL_SETTINGS }: AgentDocument,
      user: Holder,
      locale: Locale,
      unset: ReadonlySet<string> = new Set(),
    ): TypeOf<typeof toolSettingsRow> {
      const toRow = (tool: Tool) => ({
        name: tool.name,
        label: tool.label[locale],
        description: tool.description,
        enabled: isEnabled(tool, tool_settings),
        available: mayUse(tool, user),
        set_up: !unset.has(tool.name),
      })
      const tools = extensions['agents.tools'].list()
      return {
        builtin: tools.filter(isBuiltIn).map((tool) => ({ ...toRow(tool), disableable: tool.disableable })),
        plugins: tools
          .filter((tool) => !isBuiltIn(tool))
          .map((tool) => ({ plugin_id: pluginOf(tool), ...toRow(tool) })),
      }
    },

    /** Throws VALIDATION_FAILED for an unknown tool and TOOL_NOT_DISABLEABLE for a tool that always stays on. */
    replace(
      agent: AgentDocument,
      { disabled_builtin, plugins }: TypeOf<typeof toolSettings>,
      request: Conditional,
    ) {
      const disabled = disabled_builtin.map((name, index) =>
        ensureKnown(findBuiltIn(name), `/disabled_builtin/${index}`),
      )
      disabled.forEach(assertDisableable)
      const enabled = plugins
        ?.map((row, index) => ({ ...row, tool: ensureKnown(findPluginTool(row), `/plugins/${index}`) }))
        .filter((row) => row.enabled)
        .map(({ tool }) => toKey(tool))
      // Settings of tools whose plugin is disabled are kept until the plugin is back.
      const {
        disabled_builtin: disabledBefore,
        enabled_builtin = [],
        enabled_plugin,
      } = agent.tool_settings ?? FIRST_TOOL_SETTINGS
      const absent = (disabledBefore ?? []).filter((name) => !extensions['agents.tools'].get(name))
      const absentPlugins = (enabled_plugin ?? []).filter((row) => !findPluginTool(row))
      const changes = {
        $set: {
          'tool_settings.disabled_builtin': [...new Set([...disabled_builtin, ...absent])],
          // A tool that is off by default stays off if the request does not name it.
          'tool_settings.enabled_builtin': enabled_builtin.filter((name) => !disabled_builtin.includes(name)),
          ...(enabled && { 'tool_settings.enabled_plugin': [...enabled, ...absentPlugins] }),
        },
      }
      return change(agent, changes, request)
    },

    /** Throws NOT_FOUND for an unknown tool and TOOL_NOT_DISABLEABLE for a tool that always stays on. */
    toggle(
      agent: AgentDocument,
      name: string,
      { enabled, source, plugin_id }: TypeOf<typeof toolChange>,
      request: Conditional,
    ): Promise<AgentDocument> {
      const tool = extensions['agents.tools'].get(name)
      if (!tool) throw new AppError('NOT_FOUND')
      const actual = isBuiltIn(tool) ? 'builtin' : 'plugin'
      if ((source ?? actual) !== actual || (plugin_id ?? pluginOf(tool)) !== pluginOf(tool))
        throw new AppError('NOT_FOUND')
      const add = (list: Partial<Lists>) => change(agent, { $addToSet: list }, request)
      const pull = (list: Partial<Lists>) => change(agent, { $pull: list }, request)
      const [set, unset] = enabled ? [add, pull] : [pull, add]
      if (actual === 'plugin') return set({ 'tool_settings.enabled_plugin': toKey(tool) })
      if (tool.opt_in) return set({ 'tool_settings.enabled_builtin': name })
      if (!enabled) assertDisableable(tool)
      return unset({ 'tool_settings.disabled_builtin': name })
    },
  }
}

/** An entry of each list of tools. */
interface Lists {
  'tool_settings.enabled_plugin': PluginTool
  'tool_settings.enabled_builtin': string
  'tool_settings.disabled_builtin': string
}
