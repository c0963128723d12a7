import type { UploadedFile } from '#kernel'
import type { ReasoningLevel, Tool, WriteArea } from '#plugin-api'
import type { AuthCaller } from '../auth/types.ts'

/** What an agent is doing. */
export type AgentState = 'stopped' | 'starting' | 'running' | 'stopping' | 'failed'

/** What can be done to an agent's runtime, one at a time. */
export type OperationName = 'start' | 'stop' | 'reload' | 'delete'

/** The operation in flight of one agent: whoever sets it may change the state, until `until` (Unix seconds). */
export interface AgentOperation {
  id: string
  name: OperationName
  /** The server process at work. */
  holder: string
  until: number
}

/** What the owner sets. `default_model` is `<provider>:<model>`. */
export interface AgentSettings {
  name: string
  description: string | null
  persona_mbti: string | null
  default_model: string | null
  system_prompt: string | null
  template_name: string | null
  is_shared: boolean
  icon: string | null
  color: string | null
  welcome_message: string | null
  config: Record<string, unknown>
}

/** The settings of an agent's `config` for the calls of its models. */
export interface ModelSettings {
  temperature?: number
  top_p?: number
  max_output_tokens?: number
  max_steps?: number
  reasoning?: ReasoningLevel
}

/** A tool that a plugin from outside brings; `plugin_id` is the plugin's name. */
export interface PluginTool {
  plugin_id: string
  name: string
}

/** Which tools an agent has besides those that always stay on. */
export interface ToolSettings {
  disabled_builtin: string[]
  /** Of those that are off until they are switched on. */
  enabled_builtin?: string[]
  enabled_plugin: PluginTool[]
}

/** Who has permissions. */
export type Holder = Pick<AuthCaller, 'role' | 'permissions'>

/** What an agent may do with tools when it acts for a user. */
export interface ToolAccess {
  tools: readonly Tool[]
  write_area: WriteArea | null
  /** Names of tools whose calls all need a person's approval, and of those whose calls never do. */
  approvals: { always: readonly string[]; never: readonly string[] }
}

/** A file of a workspace, by its path from there; `bytes` are filled in where it can be read. */
export interface WantedFile {
  path: string
  bytes?: Uint8Array
}

/** A file in a workspace; `path` is relative to it, `size` in bytes. */
export interface StoredFile {
  path: string
  filename: string
  media_type: string
  size: number
}

/** The parts of a system prompt that are not the agent's own settings, each a text. */
export interface Instructions {
  /** Who the agent is; stands before its `system_prompt`. */
  character: string[]
  /** What it works with; stands behind it. */
  resources: string[]
  /** What is written down in its workspace; stands last. */
  notes: string[]
}

/** One agent; times are Unix seconds. */
export interface AgentDocument extends AgentSettings {
  _id: string
  owner_id: string
  owner_username: string
  state: AgentState
  last_error: string | null
  state_since: number
  operation: AgentOperation | null
  /** Missing in agents that have all built-in tools and no others. */
  tool_settings?: Partial<ToolSettings>
  created_at: number
  updated_at: number
}

/** An agent as it is read for lists: without what may be long and only the one who opens it needs. */
export type ListedAgent = Omit<
  AgentDocument,
  'system_prompt' | 'config' | 'welcome_message' | 'tool_settings'
>

/** A channel of an agent as its status shows it. */
export interface ChannelActivity {
  id: string
  kind: string
  name: string
  state: string
}

/** What goes on in an agent, filled in by those who know. */
export interface AgentActivity {
  channels: ChannelActivity[]
  turns_active: number
}

declare module '#kernel/types' {
  interface Collections {
    agents: {
      agents: AgentDocument
    }
  }
  interface GuardContexts {
    /** The agent in the path, which the caller owns, has shared with them or administers. */
    agent: { caller: AuthCaller; agent: AgentDocument }
    /** The agent in the path, which the caller owns or administers. */
    owner: { caller: AuthCaller; agent: AgentDocument }
    /** The agent in the path, of an owner who also has the permission that the guard is used with. */
    permitted_owner: { caller: AuthCaller; agent: AgentDocument }
  }
  interface Events {
    /** Agents are about to be shown to a user; listeners add to each row's `unread_count`. */
    'agent.rows_listed': { user_id: string; rows: { id: string; unread_count: number }[] }
    /** A user has seen what an agent wrote to them. */
    'agent.read': { agent_id: string; user_id: string }
    /** The status of an agent is about to be shown; listeners add to `activity`. */
    'agent.status_read': { agent_id: string; activity: AgentActivity }
    /** The system prompt of a turn is being made; listeners add to `instructions` and are waited for. */
    'agent.instructed': { agent: AgentDocument; instructions: Instructions }
    /** Files of an agent's workspace are wanted; a listener fills in those that are there and no larger. */
    'agent.files_wanted': { agent_id: string; max_bytes: number; files: WantedFile[] }
    /** A user wants to see files that their threads with an agent name: listeners add their paths, of `path` only if set. */
    'agent.files_named': { agent_id: string; user_id: string; path?: string; named: Set<string> }
    /** Somebody wants to know which files of its workspace an agent's turns have written; listeners add the paths. */
    'agent.written_files_listed': { agent_id: string; paths: Set<string> }
    /** Somebody has sent an agent a file, which lies at a path of its own; a listener moves it into the workspace and says where. */
    'agent.file_sent': { agent_id: string; file: UploadedFile; stored?: StoredFile }
    /** An agent no longer takes turns; listeners end what runs in it and are waited for. */
    'agent.stopping': { agent_id: string; reason: 'stop' | 'reload' | 'delete' }
    /** The settings or the state of an agent changed. */
    'agent.changed': { agent_id: string }
    /** An agent goes; listeners remove what they keep of it. May come again after a crash. */
    'agent.deleted': { agent_id: string; owner_id: string }
  }
}
