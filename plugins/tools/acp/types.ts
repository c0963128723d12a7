import type { AuthCaller } from '../../identity/auth/types.ts'

/** The details of a tool call that the reader of a turn sees: its title, its updates as well, or all of its input. */
export type ToolParseMode = 'call_title' | 'update_detail' | 'call_detail'

/** The program of a runner, which is the same for every account. */
export interface RunnerProgram {
  command: string
  args: string[]
}

/** A runner that an administrator has defined, or another program for a built-in runner; `_id` is its name. */
interface DefinitionDocument extends RunnerProgram {
  _id: string
  updated_at: number
}

/** An account's settings of a runner. */
export interface RunnerSettings {
  enabled: boolean
  /** True if neither its calls nor their steps need a person's approval. */
  trusted: boolean
  tool_parse_mode: ToolParseMode
  /** The longest message that the runner may send. */
  stdio_buffer_limit_bytes: number
}

/** One account's settings of one runner; `_id` is `<user_id>:<name>`. */
export interface RunnerDocument extends RunnerSettings {
  _id: string
  user_id: string
  name: string
  /** JSON, sealed for the purpose `acp_runner:<_id>`; null without an environment. */
  env: string | null
  /** The program for which the environment was entered: no other receives it. Null for the built-in one. */
  env_program: RunnerProgram | null
  updated_at: number
}

/** A runner with everything needed to start it, its environment decrypted. */
export interface OpenedRunner extends RunnerProgram, RunnerSettings {
  name: string
  env: Record<string, string>
}

/** The caller who reads or changes runners. */
export type RunnerCaller = Pick<AuthCaller, 'id' | 'role'>

declare module '#kernel/types' {
  interface Collections {
    acp: {
      acp_definitions: DefinitionDocument
      acp_runners: RunnerDocument
    }
  }
}
