import type {
  AgentSettings,
  AppError,
  agentRow,
  DocumentFacts,
  Expert,
  Locale,
  listedAgentRow,
  Managed,
  modelSettings,
  OfferedTurn,
  Shared,
  Tool,
  TypeOf,
  UploadedFile,
  WriteArea,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { agentStatus } from './schemas.ts'

/** An agent as the API shows it. */
export type AgentRow = TypeOf<typeof agentRow>

/** An agent in a list of the API. */
export type AgentListRow = TypeOf<typeof listedAgentRow>

/** The state of an agent's runtime. */
export type AgentState = AgentRow['state']

/** The operations on an agent's runtime, of which one runs at a time. */
export type OperationName = 'start' | 'stop' | 'reload' | 'delete'

/** The operation in progress of an agent. Its holder may change the state until `until` (Unix seconds). */
export interface AgentOperation {
  id: string
  name: OperationName
  /** The server process that runs it. */
  holder: string
  until: number
}

/** The settings of an agent's `config` for the calls of its models. */
export type ModelSettings = TypeOf<typeof modelSettings>

/** A tool of a plugin that is not built in; `plugin_id` is the plugin's name. */
export interface PluginTool {
  plugin_id: string
  name: string
}

/** The tools that were switched off or on for an agent. */
export interface ToolSettings {
  disabled_builtin: string[]
  /** Built-in tools that are off by default and were switched on. */
  enabled_builtin?: string[]
  enabled_plugin: PluginTool[]
}

/** A holder of permissions. */
export type Holder = Pick<AuthCaller, 'role' | 'permissions'>

/** The part of a caller that decides which agents they see. */
export type Viewer = Pick<AuthCaller, 'id' | 'role' | 'groups'>

/** The tools of an agent that acts for a user, and the bounds of their use. */
export interface ToolAccess {
  tools: readonly Tool[]
  write_area: WriteArea | null
  /** Names of tools whose calls always need a person's approval, and of tools whose calls never do. */
  approvals: { always: readonly string[]; never: readonly string[] }
}

/** The part of a turn's message that decides which tools plugins lend it. */
export interface ToolChoices {
  connector_ids?: readonly string[]
}

/** Tools that a plugin lends an agent for a turn, and the names of those whose calls always or never need approval. */
export interface LentTools {
  tools: readonly Tool[]
  always: readonly string[]
  never: readonly string[]
}

/** A file in a workspace; `path` is relative to it, `size` in bytes. */
export interface StoredFile {
  path: string
  filename: string
  media_type: string
  size: number
}

/** A document that was read; its pages have text if its state is `ready`. */
export interface ReadDocument {
  facts: DocumentFacts
  /** The reason for which it cannot be read. */
  failure?: AppError
  /** Yields the pages in their order; a document without pages has parts that are numbered alike. */
  pages(): AsyncIterable<{ page: number; text: string }>
}

/** The parts of a system prompt that are not the agent's own settings, each a text. */
export interface Instructions {
  /** The agent's character, before its `system_prompt`. */
  character: string[]
  /** The resources that it works with, after its `system_prompt`. */
  resources: string[]
  /** Notes from its workspace. */
  notes: string[]
  /** Facts about the person whom it acts for, last, since they differ from person to person. */
  person: string[]
}

/** The turn that instructions are for. */
export interface InstructedTurn extends Omit<OfferedTurn, 'knowledge_base_ids'> {
  /** The tools that the agent has for the account. */
  tools: readonly Tool[]
}

/** An agent; times are Unix seconds. */
export interface AgentDocument
  extends Omit<AgentSettings, 'knowledge_base_ids' | 'is_shared'>,
    Managed,
    Shared {
  /** Missing in agents that are older than the field. */
  knowledge_base_ids?: string[]
  _id: string
  owner_id: string
  owner_username: string
  state: AgentState
  last_error: string | null
  state_since: number
  operation: AgentOperation | null
  /** Missing if the tool settings were never changed. */
  tool_settings?: Partial<ToolSettings>
  created_at: number
  updated_at: number
}

/** The part of an agent that decides who may open it. */
export type AgentAccess = Required<Pick<AgentDocument, 'owner_id' | 'grants'>>

/** An agent in a list, without the long fields that only its detail shows. */
export type ListedAgent = Omit<
  AgentDocument,
  'system_prompt' | 'config' | 'welcome_message' | 'knowledge_base_ids' | 'tool_settings'
>

/** The activity of an agent, as its status shows it; each plugin at `agents.activity` contributes a part. */
export type AgentActivity = Pick<TypeOf<typeof agentStatus>, 'channels' | 'turns_active'>

declare module '../../operation/signals/types.ts' {
  interface Facts {
    /** Fewer people may open an agent. */
    'agent.unshared': { agent_id: string }
  }
}

declare module '#kernel/types' {
  interface Collections {
    agents: {
      agents: AgentDocument
    }
  }
  interface GuardContexts {
    /** The owner of the agent in the path `:id`, accounts with whom it is shared, and administrators. */
    agent: { caller: AuthCaller; agent: AgentDocument }
    /** The owner of the agent in the path `:id`, accounts that may change it, and administrators. */
    editor: { caller: AuthCaller; agent: AgentDocument }
    /** The owner of the agent in the path `:id`, and administrators. */
    owner: { caller: AuthCaller; agent: AgentDocument }
    /** The owner of the agent in the path `:id` and administrators, if they hold the permission in the argument. */
    permitted_owner: { caller: AuthCaller; agent: AgentDocument }
  }
  interface Events {
    /** The settings or the state of an agent changed. */
    'agent.changed': { agent_id: string }
    /** An agent and all its data were removed. May be emitted again after a crash. */
    'agent.deleted': { agent_id: string } & AgentAccess
    /** An agent is no longer shared with some people or groups, or has another owner. */
    'agent.unshared': { agent_id: string; former: AgentAccess; current: AgentAccess }
  }
  interface ExtensionPoints {
    /** Tools that agents can call: on by default if the plugin is built in, off by default otherwise. */
    'agents.tools': Tool
    /**
     * Lends tools to an agent that acts for a user in a turn. Throws an AppError for a choice that does not exist, unless
     * the turn has begun already.
     */
    'agents.lent_tools': (question: {
      agent: AgentDocument
      user: Holder & { id: string }
      choices: ToolChoices
      has_begun: boolean
    }) => Promise<LentTools>
    /** Templates for new agents. */
    'agents.experts': Expert
    /** Texts for the system prompt of a turn. */
    'agents.instructions': (question: {
      agent: AgentDocument
      turn: InstructedTurn
    }) => Promise<Partial<Instructions> | undefined>
    /** Counts a user's unread replies of each agent, by the agent's id. */
    'agents.unread_counts': (question: {
      user_id: string
      agent_ids: readonly string[]
    }) => Promise<ReadonlyMap<string, number>>
    /** Records that a user has read the replies of an agent. */
    'agents.read_marks': (question: { agent_id: string; user_id: string }) => unknown
    /** Returns activity in an agent, for its status; numbers of all plugins are added up, and lists are joined. */
    'agents.activity': (question: {
      agent_id: string
    }) => Promise<Partial<AgentActivity>> | Partial<AgentActivity>
    /** Returns the contents of files in an agent's workspace by path, without files that are missing or larger than `max_bytes`. */
    'agents.file_contents': (question: {
      agent_id: string
      max_bytes: number
      paths: readonly string[]
    }) => Promise<ReadonlyMap<string, Uint8Array>>
    /**
     * Reads a document in an agent's workspace; undefined if the path is no file. Throws if it cannot be read at the moment.
     */
    'agents.documents': (question: {
      agent_id: string
      user_id: string
      path: string
      locale: Locale
      signal: AbortSignal
    }) => Promise<ReadDocument | undefined>
    /** Returns the paths of files that a user's own threads with an agent refer to, or only `path` if it is set. */
    'agents.named_files': (question: {
      agent_id: string
      user_id: string
      path?: string
    }) => Promise<readonly string[]>
    /** Returns the paths of files that an agent's turns have written. */
    'agents.written_files': (question: { agent_id: string }) => Promise<readonly string[]>
    /**
     * Moves a file that was sent to an agent into its workspace and returns its path and type. If `user_id` names a guest
     * of the agent, they may read it from then on.
     */
    'agents.received_files': (question: {
      agent_id: string
      file: UploadedFile
      user_id?: string
    }) => Promise<StoredFile>
    /** Ends the work of an agent that accepts no more turns. */
    'agents.stopping': (question: { agent_id: string; reason: 'stop' | 'reload' | 'delete' }) => unknown
    /** Throws if an account may not search one of these knowledge bases. */
    'agents.knowledge_checks': (question: {
      user_id: string
      knowledge_base_ids: readonly string[]
    }) => Promise<unknown>
    /** Returns the knowledge bases that new threads of an account use. */
    'agents.knowledge_defaults': (question: { user_id: string }) => Promise<string[]>
    /** Removes a plugin's data of an agent. Called again after a crash. */
    'agents.removal': (question: { agent_id: string; owner_id: string }) => unknown
  }
}
