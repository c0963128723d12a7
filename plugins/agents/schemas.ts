import { objectOf, rowOf } from '#kernel'
import { agentRow, listedAgentRow, newAgent } from '#plugin-api'
import { pageQuery } from '#toolbox'

/** PATCH /agents/:id; null clears a nullable field, `config` is replaced as a whole. */
export const agentChanges = objectOf(newAgent.properties)

/** The fields that the entity tag of an agent is made from. */
export const agentFields = Object.keys(agentChanges.properties) as (keyof typeof agentChanges.properties)[]

/** GET /agents. */
export const agentRows = { type: 'array', items: listedAgentRow } as const

/** The query of GET /agents. */
export const listQuery = objectOf({ scope: { enum: ['mine', 'all'], default: 'mine' }, ...pageQuery })

const { state, last_error } = agentRow.properties

/** GET /agents/:id/status. */
export const agentStatus = {
  title: 'AgentStatus',
  ...rowOf({
    state,
    last_error,
    since: { type: 'integer', description: 'Unix seconds' },
    channels: {
      type: 'array',
      description: 'The first 200 by name',
      items: rowOf({
        id: { type: 'string' },
        kind: { type: 'string' },
        name: { type: 'string' },
        state: { type: 'string' },
      }),
    },
    turns_active: { type: 'integer', minimum: 0 },
    model: {
      type: ['string', 'null'],
      description: 'The model that a turn would use now, as <provider>:<model>',
    },
  }),
} as const

const toolName = { type: 'string', minLength: 1, maxLength: 64 } as const
const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

/** PUT /agents/:id/tool-settings; without `plugins`, tools of plugins stay as they are. */
export const toolSettings = objectOf(
  {
    disabled_builtin: { type: 'array', items: toolName, maxItems: 256 },
    plugins: {
      type: 'array',
      items: rowOf({ plugin_id: toolName, name: toolName, enabled: flag }),
      maxItems: 1024,
    },
  },
  ['disabled_builtin'],
)

/** PATCH /agents/:id/tool-settings/:tool_name. */
export const toolChange = objectOf(
  { enabled: flag, source: { enum: ['builtin', 'plugin'] }, plugin_id: toolName },
  ['enabled'],
)

const toolRow = {
  name: text,
  label: text,
  description: text,
  enabled: flag,
  available: { type: 'boolean', description: 'True if the caller has the permission that the tool requires' },
} as const

/** The reply of all three routes of an agent's tool settings. */
export const toolSettingsRow = {
  title: 'ToolSettings',
  ...rowOf({
    builtin: {
      type: 'array',
      items: rowOf({ ...toolRow, disableable: flag }),
    },
    plugins: {
      type: 'array',
      items: rowOf({ plugin_id: text, ...toolRow }),
    },
  }),
} as const
