import type { TypeOf, UploadedFile } from '#kernel'
import type {
  AgentSettings,
  agentRow,
  Expert,
  listedAgentRow,
  modelSettings,
  Tool,
  WriteArea,
} from '#plugin-api'
import type { AuthCaller } from '../auth/types.ts'
import type { agentStatus } from './schemas.ts'

/** An agent as the API shows it. */
export type AgentRow = TypeOf<typeof agentRow>

/** An agent in a list of the API. */
export type AgentListRow = TypeOf<typeof listedAgentRow>

/** The state of an agent's runtime. */
export type AgentState = AgentRow['state']

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

/** The settings of an agent's `config` for the calls of its models. */
export type ModelSettings = TypeOf<typeof modelSettings>

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

/** What goes on in an agent, as its status shows it; each provider of `agents.activity` fills in its part. */
export type AgentActivity = Pick<TypeOf<typeof agentStatus>, 'channels' | 'turns_active'>

declare module '#kernel/types' {
  interface Collections {
    agents: {
      agents: AgentDocument
    }
  }
  interface GuardContexts {
    /** The owner of the agent in the path `:id`, accounts with whom it is shared, and administrators. */
    agent: { caller: AuthCaller; agent: AgentDocument }
    /** The owner of the agent in the path `:id`, and administrators. */
    owner: { caller: AuthCaller; agent: AgentDocument }
    /** The owner of the agent in the path `:id` and administrators, if they hold the permission in the argument. */
    permitted_owner: { caller: AuthCaller; agent: AgentDocument }
  }
  interface Events {
    /** The settings or the state of an agent changed. */
    'agent.changed': { agent_id: string }
    /** An agent and all that was kept of it is gone. May come again after a crash. */
    'agent.deleted': { agent_id: string; owner_id: string }
  }
  interface ExtensionPoints {
    /** Tools that agents can call. Those of built-in plugins are on until an owner switches them off, all others off until switched on. */
    'agents.tools': Tool
    /** Templates that agents are made from. */
    'agents.experts': Expert
    /** Texts for the system prompt of a turn. */
    'agents.instructions': (asked: { agent: AgentDocument }) => Promise<Partial<Instructions> | undefined>
    /** How many replies of each agent a user has not read, by the agent's id. */
    'agents.unread_counts': (asked: {
      user_id: string
      agent_ids: readonly string[]
    }) => Promise<ReadonlyMap<string, number>>
    /** Notes that a user has seen what an agent wrote to them. */
    'agents.read_marks': (asked: { agent_id: string; user_id: string }) => unknown
    /** What goes on in an agent, for its status. */
    'agents.activity': (asked: {
      agent_id: string
    }) => Promise<Partial<AgentActivity>> | Partial<AgentActivity>
    /** The bytes of files in an agent's workspace, by path; without those that are missing or larger than `max_bytes`. */
    'agents.file_contents': (asked: {
      agent_id: string
      max_bytes: number
      paths: readonly string[]
    }) => Promise<ReadonlyMap<string, Uint8Array>>
    /** Paths of the files that a user's own threads with an agent name; only `path`, if it is set. */
    'agents.named_files': (asked: {
      agent_id: string
      user_id: string
      path?: string
    }) => Promise<readonly string[]>
    /** Paths of the files that an agent's turns have written. */
    'agents.written_files': (asked: { agent_id: string }) => Promise<readonly string[]>
    /** Moves a file that somebody sent to an agent into its workspace, and says where it is. */
    'agents.received_files': (asked: { agent_id: string; file: UploadedFile }) => Promise<StoredFile>
    /** Ends what runs in an agent that takes no more turns. */
    'agents.stopping': (asked: { agent_id: string; reason: 'stop' | 'reload' | 'delete' }) => unknown
    /** Removes what a plugin keeps of an agent. Called again after a crash. */
    'agents.removal': (asked: { agent_id: string; owner_id: string }) => unknown
  }
}
