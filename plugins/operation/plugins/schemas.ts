import { nullable, objectOf, rowOf } from '#plugin-api'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const pluginName = { ...text, examples: ['web'] } as const

/** The parameters of routes of one plugin; a folder whose name is taken is named by its path. */
export const nameParams = rowOf({
  name: {
    ...pluginName,
    minLength: 1,
    maxLength: 512,
    description: 'The name of the plugin, as the list has it',
  },
})

const sentSettings = {
  type: 'object',
  additionalProperties: true,
  maxProperties: 200,
  description:
    'Merged by RFC 7396: only the settings that are sent change, and null restores a default. Secrets that are left out, or sent as masks, stay.',
  examples: [{ keep_days: 90 }],
  writeOnly: true,
} as const

/** The body of PATCH /admin/plugins/:name. */
export const pluginChanges = objectOf({
  enabled: { type: 'boolean', description: 'Off from the next start on, or on' },
  config: sentSettings,
})

/** The body of POST /admin/plugins. */
export const newPlugin = objectOf(
  {
    package: {
      ...text,
      maxLength: 300,
      pattern: '^(@[a-z0-9][a-z0-9._~-]*/)?[a-z0-9][a-z0-9._~-]*@\\d+\\.\\d+\\.\\d+([-+][0-9A-Za-z.+-]+)?$',
      description: 'The name of a package of npm, with its exact version',
      examples: ['svc-channel-pigeon@1.0.0'],
    },
    code: {
      ...text,
      maxLength: 64,
      writeOnly: true,
      description: 'A code of your authenticator app or a recovery code, if your account has an app',
      examples: ['123456'],
    },
  },
  ['package'],
)

/** The body of DELETE /admin/plugins/:name. */
export const removalBody = objectOf({ code: newPlugin.properties.code })

const entry = rowOf({ point: text, name: text })

/** The things that a plugin brings, by kind. */
const brings = {
  ...rowOf({
    routes: texts,
    sockets: texts,
    jobs: texts,
    commands: texts,
    permissions: texts,
    collections: texts,
    extension_points: texts,
    entries: {
      type: 'array',
      items: entry,
      description:
        'The entries that it adds to extension points of others, such as tools and kinds of channels',
    },
  }),
  examples: [
    {
      routes: ['GET /notes', 'POST /notes'],
      sockets: [],
      jobs: [],
      commands: [],
      permissions: ['notes'],
      collections: ['notes'],
      extension_points: [],
      entries: [{ point: 'chat.tools', name: 'list_notes' }],
    },
  ],
} as const

/** A plugin as administrators see it. */
export const pluginRow = {
  title: 'AdminPlugin',
  ...rowOf({
    name: pluginName,
    version: { ...text, examples: ['0.1.0'] },
    source: {
      ...text,
      description: '`built-in`, the name of a package, or a folder',
      examples: ['built-in'],
    },
    state: {
      title: 'AdminPluginState',
      enum: ['running', 'failed', 'disabled', 'added', 'removed'],
      description: 'In this process; `added` and `removed` since its start',
    },
    error: { ...nullable(text), description: 'Why it does not run', examples: [null] },
    summary: { ...nullable(text), examples: ['Lets agents search and read the web'] },
    depends: { ...texts, examples: [['chat']] },
    needed_by: { ...texts, description: 'Plugins that are on and depend on it', examples: [[]] },
    brings,
    enabled: { type: 'boolean', description: 'True if the next start runs it' },
    can_be_disabled: { type: 'boolean' },
    config_schema: {
      type: 'object',
      description: 'The JSON Schema of its settings; secrets are writeOnly',
      examples: [{ type: 'object', properties: { keep_days: { type: 'integer', minimum: 1 } } }],
    },
    config: {
      type: 'object',
      description: 'The settings of the next start, with defaults; secrets are masked',
      examples: [{ keep_days: 90 }],
    },
    set_by: {
      type: 'object',
      additionalProperties: text,
      description:
        'The settings that cannot be changed here, each with the variable, flag or file that sets it',
      examples: [{ token: 'env SVC_METRICS_TOKEN' }],
    },
    needs_restart: {
      type: 'boolean',
      description: 'True if this process runs it with other settings than the next start would',
    },
  }),
} as const

/** The reply of POST /admin/restart. */
export const restartReply = {
  title: 'Restart',
  ...rowOf({
    started_at: {
      type: 'integer',
      description: 'The start of the process that ends, in Unix seconds',
      examples: [1_767_225_600],
    },
    node_id: { ...text, description: 'The process that ends' },
  }),
} as const
