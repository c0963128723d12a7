import { objectOf } from '#kernel'

const name = { type: 'string', minLength: 1, maxLength: 64 } as const
const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

/** PUT /agents/:id/tool-settings; without `plugins` the tools of plugins stay as they are. */
export const toolSettings = objectOf(
  {
    disabled_builtin: { type: 'array', items: name, maxItems: 256 },
    plugins: {
      type: 'array',
      items: objectOf({ plugin_id: name, name, enabled: flag }, ['plugin_id', 'name', 'enabled']),
      maxItems: 1024,
    },
  },
  ['disabled_builtin'],
)

/** PATCH /agents/:id/tool-settings/:tool_name. */
export const toolChange = objectOf(
  { enabled: flag, source: { enum: ['builtin', 'plugin'] }, plugin_id: name },
  ['enabled'],
)

const row = {
  name: text,
  label: text,
  description: text,
  enabled: flag,
  available: { type: 'boolean', description: 'Whether the caller has the permission that the tool takes' },
} as const

/** What all three routes of an agent's tool settings answer. */
export const toolSettingsRow = {
  title: 'ToolSettings',
  ...objectOf(
    {
      builtin: {
        type: 'array',
        items: objectOf({ ...row, disableable: flag }, [
          'name',
          'label',
          'description',
          'enabled',
          'available',
          'disableable',
        ]),
      },
      plugins: {
        type: 'array',
        items: objectOf({ plugin_id: text, ...row }, [
          'plugin_id',
          'name',
          'label',
          'description',
          'enabled',
          'available',
        ]),
      },
    },
    ['builtin', 'plugins'],
  ),
} as const
