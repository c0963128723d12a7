import { objectOf, rowOf } from '#plugin-api'

/** The name of the tool that calls runners. */
export const TOOL_NAME = 'acp_runner'

/** The pattern of runner names. */
export const RUNNER_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** The path of a runner. */
export const runnerParams = rowOf({ name: { type: 'string', description: 'The name of an external agent' } })

const runnerName = { type: 'string', pattern: RUNNER_NAME.source } as const
const toolParseMode = {
  title: 'ToolParseMode',
  enum: ['call_title', 'update_detail', 'call_detail'],
  description:
    'What is shown of a tool call: its title, also its updates with their content, or also its arguments',
} as const
/** The settings of a runner before an account has changed them. */
export const RUNNER_DEFAULTS = {
  enabled: false,
  trusted: false,
  tool_parse_mode: 'update_detail',
  stdio_buffer_limit_bytes: 50 * 1024 * 1024,
} as const
const bytes = { type: 'integer', minimum: 1024, maximum: 64 * 1024 * 1024 } as const
const flag = { type: 'boolean' } as const

/** The body that sets a runner; a missing setting gets its default, a missing program stays as it is. */
export const runnerBody = objectOf({
  enabled: {
    ...flag,
    default: RUNNER_DEFAULTS.enabled,
    description: 'True if agents that act for you may call it',
    examples: [true],
  },
  command: {
    type: 'string',
    maxLength: 4096,
    // A relative path would be resolved in the workspace, where agents can write.
    pattern: '^(/[^\\u0000]*|[^/\\u0000]*)$',
    description: 'A name to look up in PATH, or an absolute path; administrators only',
  },
  args: {
    type: 'array',
    items: { type: 'string', maxLength: 8192, pattern: '^[^\\u0000]*$' },
    maxItems: 256,
    description: 'Administrators only, like the command',
  },
  env: {
    type: 'object',
    propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' },
    additionalProperties: { type: 'string', maxLength: 8192, pattern: '^[^\\u0000]*$' },
    maxProperties: 64,
    writeOnly: true,
    default: {},
    description: 'Replaces the stored environment; a value sent back as its mask is kept',
    examples: [{ OPENAI_API_KEY: 'sk-example-0123456789' }],
  },
  trusted: {
    ...flag,
    default: RUNNER_DEFAULTS.trusted,
    description: 'True if the runner works without asking for approval',
  },
  tool_parse_mode: { ...toolParseMode, default: RUNNER_DEFAULTS.tool_parse_mode },
  stdio_buffer_limit_bytes: {
    ...bytes,
    default: RUNNER_DEFAULTS.stdio_buffer_limit_bytes,
    description: 'The longest message that the program may send, in bytes',
  },
})

const runnersBody = {
  type: 'object',
  propertyNames: runnerName,
  additionalProperties: { title: 'AcpRunnerSettings', ...runnerBody },
  maxProperties: 1000,
  description: 'By name',
  examples: [{ codex: { enabled: true, env: { OPENAI_API_KEY: 'sk-example-0123456789' } } }],
} as const

/** PUT /acp. */
export const runnersChange = rowOf({ runners: runnersBody })

/** PUT /agents/:id/acp. */
export const agentRunnersChange = objectOf({
  tool_enabled: { ...flag, description: 'True if the agent has the tool `acp_runner`', examples: [true] },
  runners: runnersBody,
})

/** A runner as an account sees it; the values of its environment are masked. */
export const runnerRow = {
  title: 'AcpRunner',
  ...rowOf({
    enabled: { ...flag, description: 'True if agents that act for the account may call it' },
    command: {
      type: 'string',
      description: 'A name to look up in PATH, or an absolute path',
      examples: ['npx'],
    },
    args: { type: 'array', items: { type: 'string' }, examples: [['-y', '@zed-industries/codex-acp']] },
    env: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The environment of the program, its values masked',
      examples: [{ OPENAI_API_KEY: '••••6789' }],
    },
    trusted: { ...flag, description: 'True if it works without asking for approval', examples: [false] },
    tool_parse_mode: { ...toolParseMode, examples: [RUNNER_DEFAULTS.tool_parse_mode] },
    stdio_buffer_limit_bytes: {
      ...bytes,
      description: 'The longest message that the program may send, in bytes',
      examples: [RUNNER_DEFAULTS.stdio_buffer_limit_bytes],
    },
  }),
} as const

const runners = {
  type: 'object',
  additionalProperties: runnerRow,
  description: 'By name',
  examples: [
    {
      codex: {
        enabled: true,
        command: 'npx',
        args: ['-y', '@zed-industries/codex-acp'],
        env: { OPENAI_API_KEY: '••••6789' },
        trusted: false,
        tool_parse_mode: RUNNER_DEFAULTS.tool_parse_mode,
        stdio_buffer_limit_bytes: RUNNER_DEFAULTS.stdio_buffer_limit_bytes,
      },
    },
  ],
} as const

/** All runners by name. */
export const runnerRows = { title: 'AcpRunners', ...rowOf({ runners }) } as const

/** All runners by name, with `tool_enabled` for the tool that calls them. */
export const agentRunnerRows = {
  title: 'AgentAcp',
  ...rowOf({
    tool_enabled: { ...flag, description: 'True if the agent has the tool `acp_runner`' },
    runners,
  }),
} as const
