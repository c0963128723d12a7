import type { Locale, TypeOf } from '#kernel'
import type { ReasoningLevel, TokenUsage } from '#plugin-api'
import type { artifacts, block, sources } from './schemas.ts'

/** A file that a turn made, its path relative to the agent's workspace. */
export type Artifact = Omit<TypeOf<typeof artifacts>[number], 'url'>

/** A source that a tool took its output from. */
export type Source = TypeOf<typeof sources>[number]

/** A part of a message. */
export type Block = TypeOf<typeof block>

/** Messages of one thread: those up to the position `last`, behind the range before it. */
export interface MessageRange {
  thread_id: string
  last: number
}

/** One conversation of one user with one agent. `last_seq` is the ledger's at the end of the last turn. */
export interface ThreadDocument {
  _id: string
  user_id: string
  agent_id: string
  title: string | null
  pinned: boolean
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
  /** What a fork shows of other threads before its own messages, oldest first; its own positions begin behind. */
  base?: MessageRange[]
  /** Tools that the user has allowed for this thread. */
  allowed_tools?: string[]
  summary?: ThreadSummary
  /** The version of the projection that its messages are of; missing where that is older than the field. */
  projection_version?: number
  migration?: ThreadMigration
  active_turn: ActiveTurn | null
  /** The newest turn that waits for the thread; while it is set, no turn starts but the first of those that wait. */
  queue_tail?: string
  /** Set when the thread is being removed, null while a fork is being made: nobody sees it. */
  deleted_at?: number | null
}

/** How far the rebuilding of a thread's messages is that is wanted and not done; `queued_at` is Unix seconds. */
export interface ThreadMigration {
  status: 'queued' | 'running' | 'failed'
  queued_at: number
  /** How often it was begun since it was queued: a number that only one who works on it has. */
  attempts: number
  /** Why it failed. */
  error?: string
}

/** Why a turn failed; `message` is in the language of the turn, `details` are those that messages are made of. */
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
  status: 'complete' | 'streaming' | 'stopped' | 'failed'
  model?: string
  usage?: TokenUsage
  artifacts?: Artifact[]
  sources?: Source[]
  /** Set on the last reply of a turn that failed. */
  error?: TurnError
}

/** Which process runs a turn; `host` and `pid` tell a dead one on the same machine at once. */
export interface Holder {
  node_id: string
  host: string
  pid: number
}

/** What is remembered of a thread's messages up to a position, instead of telling them to models again. */
export interface ThreadSummary {
  text: string
  position: number
}

/** What a paused turn waits for; `expires_at` is Unix seconds. */
export interface PausedTurn {
  pending_id: string
  seq: number
  expires_at: number
  /** The process that holds calls which wait for a person while they are at work. */
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
  /** Set while nobody runs the turn, as it waits for a person; `seq` is that of its `hitl_required`. */
  paused?: PausedTurn
  /** Set from a decision until what was decided is begun: a process that dies meanwhile has done nothing of it. */
  resuming?: boolean
  /** Set by a process that cannot stop the turn itself. */
  stop_requested?: boolean
}

/** A client message that has started a turn, or waits to do so; `_id` is the turn's. */
export interface ClientMessageDocument {
  _id: string
  thread_id: string
  user_id: string
  agent_id: string
  client_message_id: string
  /** Null while the turn waits for its thread. */
  first_seq: number | null
  created_at: Date
}

/** A turn that waits for its thread; `_id` is the id that it has from its start on, and tells the order. */
export interface QueuedTurnDocument {
  _id: string
  thread_id: string
  user_id: string
  agent_id: string
  client_message_id?: string
  content: Block[]
  model?: string
  reasoning?: ReasoningLevel
  locale: Locale
  request_id: string
  /** Unix seconds. */
  created_at: number
  /** Set by the process that has the thread and is about to start the turn. */
  is_starting?: boolean
}
