import { agentRow, listedAgentRow, newAgent, objectOf, pageQuery, rowOf } from '#plugin-api'

/** PATCH /agents/:id; null clears a nullable field, `config` is replaced as a whole. */
export const agentChanges = objectOf(newAgent.properties)

const { is_shared, ...storedSettings } = agentChanges.properties

/** The fields that the entity tag of an agent is made from. */
export const agentFields = [
  ...(Object.keys(storedSettings) as (keyof typeof storedSettings)[]),
  'grants' as const,
]

/** POST /agents/:id/transfer. */
export const transferBody = rowOf({
  username: { type: 'string', minLength: 1, maxLength: 64, description: 'The new owner', examples: ['ada'] },
})

/** GET /agents. */
export const agentRows = { type: 'array', items: listedAgentRow } as const

/** The query of GET /agents. */
export const listQuery = objectOf({
  scope: {
    title: 'AgentScope',
    enum: ['mine', 'all'],
    default: 'mine',
    description: '`all` lists the agents of all accounts, for administrators only',
  },
  ...pageQuery,
})

const { state, last_error } = agentRow.properties

/** GET /agents/:id/status. */
export const agentStatus = {
  title: 'AgentStatus',
  ...rowOf({
    state,
    last_error,
    since: {
      type: 'integer',
      description: 'The time of the last change of the state, in Unix seconds',
      examples: [1_767_225_600],
    },
    channels: {
      type: 'array',
      description: 'The first 200 by name',
      items: rowOf({
        id: { type: 'string', examples: ['chn_01KDVMF0000000000000000001'] },
        kind: { type: 'string', examples: ['telegram'] },
        name: { type: 'string', examples: ['Support'] },
        state: { type: 'string', examples: ['connected'] },
      }),
    },
    turns_active: { type: 'integer', minimum: 0, description: 'Turns of all its users, on any server' },
    model: {
      type: ['string', 'null'],
      description: 'The model that a turn would use now, as `<provider>:<model>`; null if there is none',
      examples: ['openai:gpt-5'],
    },
  }),
} as const

const toolName = { type: 'string', minLength: 1, maxLength: 64 } as const
const flag = { type: 'boolean' } as const
/** The plugin that brings a tool, and the tool, as the templates of `svc plugin new` name them. */
const plugin_id = {
  ...toolName,
  description: 'The name of the plugin that brings the tool',
  examples: ['dice'],
} as const

/** PUT /agents/:id/tool-settings; without `plugins`, tools of plugins stay as they are. */
export const toolSettings = objectOf(
  {
    disabled_builtin: {
      type: 'array',
      items: toolName,
      maxItems: 256,
      description: 'Names of the built-in tools that are off; all others that are on by default are on',
      examples: [['web_fetch']],
    },
    plugins: {
      type: 'array',
      items: rowOf({
        plugin_id,
        name: { ...toolName, examples: ['roll_dice'] },
        enabled: flag,
      }),
      maxItems: 1024,
      description:
        'Tools of plugins from outside; those left out are off. Without the list, they stay as they are',
    },
  },
  ['disabled_builtin'],
)

/** The path of one tool. */
export const toolParams = rowOf({ tool_name: { type: 'string', description: 'The name of a tool' } })

/** PATCH /agents/:id/tool-settings/:tool_name. */
export const toolChange = objectOf(
  {
    enabled: { ...flag, examples: [false] },
    source: {
      title: 'ToolSource',
      enum: ['builtin', 'plugin'],
      description: 'Refuses the change if the tool comes from elsewhere',
    },
    plugin_id: { ...toolName, description: 'Refuses the change if the tool comes from another plugin' },
  },
  ['enabled'],
)

const toolRow = {
  name: { type: 'string', examples: ['web_fetch'] },
  label: { type: 'string', examples: ['Fetch a web page'] },
  description: {
    type: 'string',
    description: 'As the model reads it',
    examples: ['Read a web page as text.'],
  },
  enabled: { ...flag, description: 'True if the agent has the tool' },
  available: { type: 'boolean', description: 'True if the caller has the permission that the tool requires' },
  set_up: {
    ...flag,
    description:
      'False if conversations of the caller lack the tool because something is not set up, such as a search engine',
  },
} as const

/** The reply of all three routes of an agent's tool settings. */
export const toolSettingsRow = {
  title: 'ToolSettings',
  ...rowOf({
    builtin: {
      type: 'array',
      description: 'The tools of this server',
      items: rowOf({
        ...toolRow,
        disableable: { ...flag, description: 'False if the tool always stays on' },
      }),
    },
    plugins: {
      type: 'array',
      description: 'The tools of plugins from outside; off until they are enabled',
      items: rowOf({
        plugin_id,
        ...toolRow,
        name: { type: 'string', examples: ['roll_dice'] },
        label: { type: 'string', examples: ['Roll dice'] },
        description: { ...toolRow.description, examples: ['Roll dice and return their numbers.'] },
      }),
    },
  }),
} as const
