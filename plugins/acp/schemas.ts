import { objectOf } from '#kernel'

/** The name of the tool that calls runners. */
export const TOOL_NAME = 'acp_runner'

/** What the names of runners look like. */
export const RUNNER_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/
const runnerName = { type: 'string', pattern: RUNNER_NAME.source } as const
const MODES = ['call_title', 'update_detail', 'call_detail'] as const
/** What a runner has that an account has set nothing of. */
export const RUNNER_DEFAULTS = {
  enabled: false,
  trusted: false,
  tool_parse_mode: 'update_detail',
  stdio_buffer_limit_bytes: 50 * 1024 * 1024,
} as const
const bytes = { type: 'integer', minimum: 1024, maximum: 64 * 1024 * 1024 } as const
const flag = { type: 'boolean' } as const

/** A runner as it is sent; what is left out has its default, but its program stays. */
export const runnerBody = objectOf({
  enabled: { ...flag, default: RUNNER_DEFAULTS.enabled },
  command: {
    type: 'string',
    maxLength: 4096,
    // A relative path would be one in the workspace, where agents write.
    pattern: '^(/[^\\u0000]*|[^/\\u0000]*)$',
    description: 'A name that is looked up in PATH, or an absolute path; administrators only',
  },
  args: {
    type: 'array',
    items: { type: 'string', maxLength: 8192, pattern: '^[^\\u0000]*$' },
    maxItems: 256,
    description: 'Administrators only, as with the command',
  },
  env: {
    type: 'object',
    propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' },
    additionalProperties: { type: 'string', maxLength: 8192, pattern: '^[^\\u0000]*$' },
    maxProperties: 64,
    writeOnly: true,
    default: {},
    description: 'Replaces what was set before; a mask that was answered keeps its value',
  },
  trusted: {
    ...flag,
    default: RUNNER_DEFAULTS.trusted,
    description: 'Whether nobody is asked before it does something',
  },
  tool_parse_mode: { enum: MODES, default: RUNNER_DEFAULTS.tool_parse_mode },
  stdio_buffer_limit_bytes: {
    ...bytes,
    default: RUNNER_DEFAULTS.stdio_buffer_limit_bytes,
    description: 'The longest message that the program may send',
  },
})

const runnersBody = {
  type: 'object',
  propertyNames: runnerName,
  additionalProperties: runnerBody,
  maxProperties: 1000,
} as const

/** PUT /acp. */
export const runnersChange = objectOf({ runners: runnersBody }, ['runners'])

/** PUT /agents/:id/acp. */
export const agentRunnersChange = objectOf({ tool_enabled: flag, runners: runnersBody })

/** A runner as an account sees it; the values of its environment are masked. */
export const runnerRow = {
  title: 'AcpRunner',
  ...objectOf(
    {
      enabled: flag,
      command: { type: 'string' },
      args: { type: 'array', items: { type: 'string' } },
      env: { type: 'object', additionalProperties: { type: 'string' } },
      trusted: flag,
      tool_parse_mode: { enum: MODES },
      stdio_buffer_limit_bytes: bytes,
    },
    ['enabled', 'command', 'args', 'env', 'trusted', 'tool_parse_mode', 'stdio_buffer_limit_bytes'],
  ),
} as const

const runners = { type: 'object', additionalProperties: runnerRow } as const

/** All runners, by name. */
export const runnerRows = { title: 'AcpRunners', ...objectOf({ runners }, ['runners']) } as const

/** The same, and whether an agent has the tool that calls them. */
export const agentRunnerRows = {
  title: 'AgentAcp',
  ...objectOf({ tool_enabled: flag, runners }, ['tool_enabled', 'runners']),
} as const
