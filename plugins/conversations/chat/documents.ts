import type { Locale, ProcessIdentity, TokenUsage, TypeOf } from '#plugin-api'
import type { ModelSettings, ToolChoices } from '../../agents/agents/types.ts'
import type { AttachedDocument } from './attached-documents.ts'
import type { AnswerFormat } from './loop/call-settings.ts'
import type { ClientTools } from './loop/client-tools.ts'
import type { artifacts, block, sources, stopReason } from './message-schemas.ts'
import type { StepEvent } from './threads/earlier-turns.ts'

/** The settings of a turn: the parameters of its model calls, and the tools and knowledge bases that were chosen for it. */
export type TurnSettings = ModelSettings &
  ToolChoices & {
    knowledge_base_ids?: readonly string[]
    /** The tools of the program that asks for the turn. */
    client_tools?: ClientTools
    answer_format?: AnswerFormat
    /** The texts at which an answer ends. */
    stop?: readonly string[]
  }

/** A file that a turn made, with its path relative to the agent's workspace. */
export type Artifact = Omit<TypeOf<typeof artifacts>[number], 'url'>

/** A source that a tool took its output from. */
export type Source = TypeOf<typeof sources>[number]

/** The way in which an answer ended. */
export type StopReason = TypeOf<typeof stopReason>

/** Something that a person should know about an answer; `details` are the values in its text. */
export interface Notice {
  code: string
  message: string
  details?: Record<string, unknown>
}

/** A part of a message. */
export type Block = TypeOf<typeof block>

/** A range of messages of one thread: from the position `first`, or its beginning, up to `last`. */
export interface MessageRange {
  thread_id: string
  first?: number
  last: number
}

/** The beginning of a version: the seq of its turn's first event, and the position that the turn continues from. */
export interface Branch {
  first: number
  after: number
}

/** One conversation of one user with one agent. `last_seq` is that of the ledger at the end of the last turn. */
export interface ThreadDocument {
  _id: string
  user_id: string
  agent_id: string
  title: string | null
  /** Who wrote the title, unless it is the beginning of the first message. */
  title_by?: 'person' | 'model'
  pinned: boolean
  /** Archived threads are in no list unless it asks for them. */
  archived?: boolean
  /** The project whose instructions and knowledge bases apply to the thread. */
  project_id?: string
  session_key: string
  channel_type: string
  model: string | null
  last_seq: number
  last_active: number
  created_at: number
  unread: number
  artifacts: Artifact[]
  sources: Source[]
  forked_from?: string
  /** The messages of other threads that a fork shows before its own, oldest first; its own positions follow them. */
  base?: MessageRange[]
  /**
   * The messages that the thread shows, base and own, oldest first, once it has versions; the last range ends at
   * `LAST_SEQ` if the path leads to the newest message.
   */
  path?: MessageRange[]
  /** The last message of the path; missing if it has to be read. */
  last_message_id?: string
  /** The tools that the user has allowed for this thread. */
  allowed_tools?: string[]
  /** The knowledge bases that its user has chosen. */
  knowledge_base_ids?: string[]
  /** Instructions for the agent that hold in this thread only. */
  instructions?: string
  summary?: ThreadSummary
  /** The version of the projection that its messages were made with; missing in documents older than the field. */
  projection_version?: number
  migration?: ThreadMigration
  active_turn: ActiveTurn | null
  /** Set while webhooks have not heard of events of the ledger behind `reported_seq`. */
  is_unreported?: true
  reported_seq?: number
  /** The newest queued turn of the thread; while it is set, only the first queued turn may start. */
  queue_tail?: string
  /** Set while the thread is being removed, null while a fork is being created; both are hidden from everyone. */
  deleted_at?: number | null
}

/** The progress of a wanted rebuild of a thread's messages; `queued_at` is Unix seconds. */
export interface ThreadMigration {
  status: 'queued' | 'running' | 'failed'
  queued_at: number
  /** The number of attempts since it was queued; only the process of the latest attempt knows it. */
  attempts: number
  /** The reason of the failure. */
  error?: string
}

/** The error of a failed turn; `message` is in the language of the turn, `details` are the values in its text. */
export interface TurnError {
  code: string
  message: string
  details: Record<string, string | number>
}

/** One message; `position` is the seq of the ledger event that began it, `timestamp` is in milliseconds. */
export interface MessageDocument {
  _id: string
  thread_id: string
  position: number
  role: 'user' | 'assistant' | 'tool'
  content: Block[]
  timestamp: number
  turn_id: string
  /** Set on the first message of a turn that does not continue from the event before it. */
  branch?: Branch
  status: 'complete' | 'streaming' | 'stopped' | 'failed'
  model?: string
  usage?: TokenUsage
  /** Set on the last reply of a turn that did not fail. */
  stop_reason?: StopReason
  notices?: Notice[]
  /** The thoughts and signatures of a reply with tool calls, which its model expects back; see `thoughts.ts`. */
  thoughts?: string
  /** The documents that a user attached, as models see them. */
  documents?: AttachedDocument[]
  /** The user's message comes from elsewhere and may be somebody else's. */
  is_copied?: true
  artifacts?: Artifact[]
  sources?: Source[]
  /** Set on the last reply of a failed turn. */
  error?: TurnError
}

/** The server that runs a turn, and its process, of which others on the same machine know at once if it is dead. */
export interface Holder extends ProcessIdentity {
  node_id: string
}

/** A summary of a thread's messages up to a position, which models receive instead of them. */
export interface ThreadSummary {
  text: string
  position: number
  /** The message at the position. */
  message_id: string
  /** Unix seconds. */
  made_at: number
}

/** The approval that a paused turn waits for; `expires_at` is Unix seconds. */
export interface PausedTurn {
  pending_id: string
  seq: number
  expires_at: number
  /** True if the turn waits for results of its program, which no person decides. */
  for_client?: true
  /** The process that holds running calls of the turn, which wait for a person. */
  held_by?: Holder
}

/** The turn that has a thread. Its holder renews `lease_until` (Unix milliseconds). */
export interface ActiveTurn {
  turn_id: string
  /** The seq of its first event. */
  first_seq: number
  holder: Holder
  lease_until: number
  started_at: number
  /** The path of the thread with this turn, if it is another one than before the turn. */
  path?: MessageRange[]
  /** The scopes of the credential that it was started with, if that is not a session. */
  scopes?: readonly string[]
  /** Set while no process runs the turn because it waits for a person; `seq` is that of its `hitl_required`. */
  paused?: PausedTurn
  /**
   * Identifies the attempt to resume the turn, from a decision until it takes effect: a process that dies in between has
   * not acted on the decision.
   */
  resuming?: string
  /** Set by a process that cannot stop the turn itself. */
  stop_requested?: boolean
}

/** A client message that has started a turn or is queued to do so; `_id` is the turn's. */
export interface ClientMessageDocument {
  _id: string
  thread_id: string
  user_id: string
  agent_id: string
  client_message_id: string
  /** Null while the turn is queued. */
  first_seq: number | null
  created_at: Date
}

/** A queued turn; `_id` is its id from the start and defines the order. */
export interface QueuedTurnDocument {
  _id: string
  thread_id: string
  user_id: string
  agent_id: string
  client_message_id?: string
  content: Block[]
  documents?: AttachedDocument[]
  model?: string
  settings?: TurnSettings
  /** Its steps that happened elsewhere. */
  steps?: StepEvent[]
  locale: Locale
  request_id: string
  /** The scopes of the credential that it was sent with, if that is not a session. */
  scopes?: readonly string[]
  /** Unix seconds. */
  created_at: number
  /** Set by the process that has taken the thread and is about to start the turn. */
  is_starting?: boolean
}

/**
 * Returns the length of a block as a model receives it, in characters; thoughts are left out, and of a file only the
 * path counts.
 */
export function measureBlock(block: Block): number {
  switch (block.type) {
    case 'text':
      return block.text.length
    case 'thinking':
      return 0
    case 'tool_use':
      return JSON.stringify(block.input).length
    case 'tool_result':
      return block.output.length
    default:
      return block.path.length
  }
}

/**
 * Returns the length of a message as its own model receives it, with its thoughts and documents, in characters.
 */
export function measureMessage({
  content,
  documents = [],
  thoughts,
}: Pick<MessageDocument, 'content' | 'documents' | 'thoughts'>): number {
  let size = thoughts?.length ?? 0
  for (const { text } of documents) size += text.length
  for (const block of content) size += measureBlock(block)
  return size
}
