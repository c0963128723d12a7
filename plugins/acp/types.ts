import type { AuthCaller } from '../auth/types.ts'
import type { Definitions } from './definitions.ts'
import type { Runners } from './runners.ts'
import type { RunnerRuns } from './runs.ts'

/** What of a tool call the reader of a turn is told: its title, its updates as well, or all that is said when it begins. */
export type ToolParseMode = 'call_title' | 'update_detail' | 'call_detail'

/** Which program a runner is; the same for everybody. */
export interface RunnerProgram {
  command: string
  args: string[]
}

/** A runner that an administrator has defined, or another program for one that is built in; `_id` is its name. */
export interface DefinitionDocument extends RunnerProgram {
  _id: string
  updated_at: number
}

/** What an account has set of a runner. */
export interface RunnerSettings {
  enabled: boolean
  /** Whether neither its calls nor their steps need a person's approval. */
  trusted: boolean
  tool_parse_mode: ToolParseMode
  /** The longest message that it may send. */
  stdio_buffer_limit_bytes: number
}

/** One account's settings of one runner; `_id` is `<user_id>:<name>`. */
export interface RunnerDocument extends RunnerSettings {
  _id: string
  user_id: string
  name: string
  /** JSON, sealed for the purpose `acp_runner:<_id>`; null where there is none. */
  env: string | null
  updated_at: number
}

/** A runner with all that starting it takes, its environment in the clear. */
export interface OpenedRunner extends RunnerProgram, RunnerSettings {
  name: string
  env: Record<string, string>
}

/** Who asks for runners, or changes them. */
export type RunnerCaller = Pick<AuthCaller, 'id' | 'role'>

declare module '#kernel/types' {
  interface Collections {
    acp: {
      acp_definitions: DefinitionDocument
      acp_runners: RunnerDocument
    }
  }
  interface PrivateServices {
    acp: {
      acpDefinitions: Definitions
      acpRunners: Runners
      acpRuns: RunnerRuns
    }
  }
}
