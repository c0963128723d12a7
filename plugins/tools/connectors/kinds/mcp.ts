import { type ConfigOf, defineConnectorKind, objectOf } from '#plugin-api'

/** The schema of headers or variables: texts by name. */
export const secretTexts = {
  type: 'object',
  writeOnly: true,
  maxProperties: 32,
  propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$' },
  additionalProperties: { type: 'string', maxLength: 8192, pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' },
} as const

const headers = {
  ...secretTexts,
  description: 'Sent with each request, such as Authorization',
  examples: [{ Authorization: 'Bearer token-of-an-example' }],
} as const

/** The time of calls. */
export const callSettings = {
  call_seconds: {
    type: 'integer',
    minimum: 1,
    maximum: 3600,
    description: 'The longest time for which a call may say nothing, in seconds',
    examples: [300],
  },
} as const

/** Returns the time of calls as a target has it. */
export const callTimeOf = ({ call_seconds }: { call_seconds?: number }) =>
  call_seconds === undefined ? {} : { call_seconds }

/** The settings of the client at an authorization server. */
export const clientSettings = {
  client_id: {
    type: 'string',
    minLength: 1,
    maxLength: 1024,
    description: 'The id of an OAuth client; without it, the server registers one by itself',
    examples: ['svc-prod'],
  },
  client_secret: { type: 'string', minLength: 1, maxLength: 4096, writeOnly: true },
  oauth_scope: {
    type: 'string',
    maxLength: 1024,
    description: 'The scope to ask for, instead of the one that the server names',
    examples: ['read write'],
  },
  oauth_resource: {
    enum: ['send', 'omit'],
    description:
      'Names the server to the authorization server at a sign-in, `send` by default; `omit` for servers that refuse it, such as Microsoft Entra',
    examples: ['omit'],
  },
} as const

type ClientSettings = ConfigOf<{
  type: 'object'
  properties: typeof clientSettings
  additionalProperties: false
}>

/** Returns the OAuth settings of a config as a target has them. */
export const clientOf = ({ client_id, client_secret, oauth_scope, oauth_resource }: ClientSettings) => ({
  ...(client_id !== undefined && { client: { client_id, ...(client_secret && { client_secret }) } }),
  ...(oauth_scope !== undefined && { oauth_scope }),
  ...(oauth_resource !== undefined && { oauth_resource }),
})

/** Servers at an address: streamable HTTP, or the older HTTP with server-sent events. */
export const mcp = defineConnectorKind({
  kind: 'mcp',
  label: { en: 'MCP server', zh: 'MCP 服务器' },
  description: {
    en: 'Any MCP server, with headers or a sign-in.',
    zh: '任意 MCP 服务器，可使用请求头或登录。',
  },
  auth: 'oauth',
  config_schema: objectOf(
    {
      url: {
        type: 'string',
        format: 'url',
        // Without credentials, which have fields of their own.
        pattern: '^https?://[^/?#@]+(?:[/?#]|$)',
        maxLength: 2048,
        description: 'The address of the server',
        examples: ['https://mcp.example.com/mcp'],
      },
      headers,
      ...clientSettings,
      ...callSettings,
    },
    ['url'],
  ),
  addresses: ['url'],
  target: ({ url, headers, ...client }) => ({
    transport: 'http',
    url,
    ...(headers && { headers }),
    ...clientOf(client),
    ...callTimeOf(client),
  }),
})
