import { CONNECTOR_AUTHS, managedRow, nullable, objectOf, rowOf } from '#plugin-api'
import { secretTexts } from './kinds/mcp.ts'
import { CONNECTOR_FAILURES } from './types.ts'

const CONNECTOR_ID = 'con_01KDVMF0000000000000000001'
const text = { type: 'string' } as const
const seconds = { type: 'integer', minimum: 0, description: 'Unix seconds' } as const

/** The id of a connector, in a path. */
export const connectorParams = rowOf({ id: { type: 'string', description: 'The id of a connector' } })

const name = {
  type: 'string',
  pattern: '^[a-z0-9][a-z0-9_-]{0,31}$',
  description: 'Begins the names of its tools; unique among what its account sees',
  examples: ['tracker'],
} as const
const kind = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'One of `GET /connectors/kinds`',
  examples: ['mcp'],
} as const
const config = {
  type: 'object',
  description:
    'The settings that the kind describes, empty unless the caller may change them. Secrets are masked; sending a mask back keeps the stored secret',
  examples: [{ url: 'https://mcp.example.com/mcp', headers: { Authorization: '••••mple' } }],
} as const
const sentConfig = {
  ...config,
  maxProperties: 64,
  examples: [
    { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer token-of-an-example' } },
  ],
} as const
const scope = {
  title: 'Scope',
  enum: ['user', 'global'],
  description: 'Global connectors serve every account; only administrators make and change them',
} as const
const is_default = {
  type: 'boolean',
  description: 'True if each turn of its account has it, whatever the agent; of a global one, each turn',
} as const
const auth = {
  title: 'ConnectorAuth',
  enum: CONNECTOR_AUTHS,
  description: 'How accounts sign in to the server, if it asks for that',
} as const
const reason = { title: 'ConnectorFailure', enum: CONNECTOR_FAILURES } as const

const toolFields = {
  name: { ...text, description: 'The name on the server', examples: ['create_issue'] },
  title: { ...nullable(text), examples: ['Create an issue'] },
  description: {
    ...text,
    description: 'What the server tells models about it',
    examples: ['Creates an issue in the tracker.'],
  },
  read_only: { type: 'boolean', description: 'True if the server says that it changes nothing' },
  destructive: { type: 'boolean', description: 'False if the server says that it only adds something' },
} as const

const seenFlag = {
  type: 'boolean',
  description: 'False for a tool that is new or has changed, until somebody has looked at it',
} as const
const seenNow = { const: true } as const

/** A tool of a connector. */
const toolRow = {
  title: 'ConnectorTool',
  ...rowOf({
    ...toolFields,
    seen: seenFlag,
  }),
} as const

/** A connector. */
export const connectorRow = {
  title: 'Connector',
  ...rowOf({
    id: { ...text, examples: [CONNECTOR_ID] },
    name: { ...text, examples: ['tracker'] },
    kind: { ...text, examples: ['mcp'] },
    scope,
    owner: { ...nullable(text), description: 'Username; null for a global one', examples: ['ada'] },
    is_owner: {
      type: 'boolean',
      description: 'True if it belongs to the caller; global ones belong to administrators',
    },
    can_edit: { type: 'boolean', description: 'True if the caller may change it' },
    config,
    auth,
    is_default,
    status: {
      title: 'ConnectorStatus',
      enum: ['ready', 'unauthorized', 'connecting', 'failed'],
      description: 'The result of the last check; `unauthorized` if the caller must sign in first',
    },
    reason: {
      ...nullable(reason),
      description: 'The kind of the last failure; null if the last check worked',
      examples: [null],
    },
    error: {
      ...nullable(text),
      description: 'Why the last check failed, or which tools it left out',
      examples: [null],
    },
    has_credentials: { type: 'boolean', description: 'True if the caller has credentials of their own' },
    tools: { type: 'array', items: toolRow, description: 'As the server listed them last' },
    checked_at: { ...nullable(seconds), description: 'Unix seconds; null before the first check' },
    ...managedRow,
    created_at: seconds,
    updated_at: seconds,
  }),
} as const

/** A connector kind. */
export const kindRow = {
  title: 'ConnectorKind',
  ...rowOf({
    kind: { ...text, examples: ['mcp'] },
    label: { ...text, examples: ['MCP server'] },
    description: {
      ...nullable(text),
      description: 'What its servers are for, and what a person needs to sign in',
      examples: ['Pages and databases of a workspace.'],
    },
    preset: {
      ...nullable(
        rowOf({
          url: { ...text, examples: ['https://mcp.notion.com/mcp'] },
          documentation: { ...text, examples: ['https://developers.notion.com/docs/mcp'] },
        }),
      ),
      description:
        'The well-known server that connectors of this kind lead to, and its documentation; null if the address is a setting',
    },
    config_schema: {
      type: 'object',
      description: 'The JSON Schema of a config; secrets are writeOnly',
      examples: [{ type: 'object', properties: { url: { type: 'string' } } }],
    },
    auth,
    admin_only: {
      type: 'boolean',
      description: 'True if only administrators define connectors of this kind',
    },
  }),
} as const

/** The body of POST /connectors. */
export const newConnector = objectOf(
  { name, kind, config: sentConfig, scope: { ...scope, default: 'user' }, is_default },
  ['name', 'kind'],
)

/** The body of PATCH /connectors/:id; `config` is merged by RFC 7396. */
export const connectorChanges = objectOf({
  name,
  config: sentConfig,
  is_default,
  tools: {
    type: 'object',
    maxProperties: 1000,
    additionalProperties: rowOf({ seen: seenNow }),
    description: 'The tools that have been looked at, by name',
    examples: [{ create_issue: { seen: true } }],
  },
})

const decidedSeenFlag = {
  ...seenFlag,
  description: 'False for a tool that is new or has changed; it stays off until somebody has looked at it',
} as const
const toolState = {
  title: 'AgentConnectorTool',
  ...objectOf({
    enabled: { type: 'boolean', description: 'True if models may call it' },
    approval: {
      title: 'ToolApproval',
      enum: ['ask', 'allow', 'deny'],
      description: 'Whether a person must approve calls; by default those of tools that do not only read',
    },
    seen: decidedSeenFlag,
  }),
} as const

/** The connectors of an agent. */
export const agentConnectors = {
  title: 'AgentConnectors',
  ...objectOf(
    {
      connectors: {
        type: 'array',
        maxItems: 50,
        items: {
          title: 'AgentConnector',
          ...objectOf(
            {
              id: { type: 'string', maxLength: 64, examples: [CONNECTOR_ID] },
              tools: {
                type: 'object',
                maxProperties: 1000,
                additionalProperties: toolState,
                description: 'By the name of the tool; all tools in replies',
                examples: [{ create_issue: { enabled: true, approval: 'ask', seen: true } }],
              },
            },
            ['id'],
          ),
        },
      },
    },
    ['connectors'],
  ),
} as const

/** The body of PUT /connectors/:id/credentials. */
export const newCredentials = objectOf(
  {
    headers: {
      ...secretTexts,
      minProperties: 1,
      description: 'Sent with each request for this account, instead of those of the connector',
      examples: [{ Authorization: 'Bearer token-of-an-example' }],
    },
    origin: {
      type: 'string',
      maxLength: 2048,
      description: 'The place that the person was shown; refused if the connector leads elsewhere by now',
      examples: ['https://mcp.example.com'],
    },
  },
  ['headers'],
)

/** A config to test; its masks mean the secrets of the connector `connector_id`. */
export const probeRequest = objectOf(
  {
    kind,
    config: sentConfig,
    connector_id: {
      type: 'string',
      maxLength: 64,
      description: 'The connector to take secrets from that are sent as masks',
    },
  },
  ['kind'],
)

/** The result of a test. */
export const probeResult = {
  title: 'ConnectorProbeResult',
  ...objectOf(
    {
      ok: { type: 'boolean' },
      tools: {
        type: 'array',
        items: { title: 'ProbedTool', ...rowOf(toolFields) },
        description: 'Only if `ok` is true',
      },
      left_out: {
        type: 'array',
        items: text,
        description: 'A sentence about each tool that cannot be used; only if `ok` is true',
        examples: [['The tool "find" is left out: the schema of its input does not describe an object.']],
      },
      reason: { ...reason, description: 'Only if `ok` is false' },
      detail: {
        ...text,
        description: 'The failure in words',
        examples: ['The server answered with the status 401.'],
      },
    },
    ['ok'],
  ),
  examples: [{ ok: true, tools: [], left_out: [] }],
} as const
