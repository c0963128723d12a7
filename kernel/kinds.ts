import type { LocalizedText } from './locale.ts'
import type { JSONSchema } from './schema.ts'

/** A sort of messaging platform. The default export of each folder in `channels/`, or registered by a plugin. */
export interface ChannelKind {
  kind: string
  label: LocalizedText
  /** JSON Schema of a channel's `config`; secrets are marked writeOnly. */
  config_schema: JSONSchema
}

/** What a tool call may know and use. `workspace` is the agent's folder, an absolute path. */
export interface ToolContext {
  workspace: string
  agent_id: string
  thread_id: string
  user_id: string
  signal: AbortSignal
  /** Tells the reader of the turn about a file the tool made; the path is relative to the workspace. */
  attach(file: { path: string; media_type: string }): void
}

/** A tool that agents can call. What `execute` returns is given to the model; what it throws, too, as an error. */
export interface Tool {
  name: string
  label: LocalizedText
  description: string
  input_schema: JSONSchema
  /** False for the tools that always stay on. */
  disableable: boolean
  execute(input: never, context: ToolContext): Promise<string> | string
}
