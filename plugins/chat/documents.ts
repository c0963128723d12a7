/** A file that a turn made, its path relative to the agent's workspace. */
export interface Artifact {
  path: string
  filename: string
  media_type: string
}

/** Where a reply took something from. */
export interface Source {
  id: string
  title: string
  url?: string
}

/** A part of a message. */
export type Block =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; id: string; name: string; output: string; is_error: boolean }
  | { type: 'image' | 'file'; path: string; filename: string; media_type: string }

/** Tokens of one model call, or of a whole turn. */
export interface Usage {
  input_tokens: number
  output_tokens: number
  total_tokens: number
  cached_input_tokens?: number
  reasoning_tokens?: number
}

/** The tokens of both. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum = { ...one }
  for (const name of Object.keys(other) as (keyof Usage)[]) sum[name] = (sum[name] ?? 0) + other[name]!
  return sum
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
  active_turn: ActiveTurn | null
  /** Set when the thread is being removed; nobody sees it any more. */
  deleted_at?: number
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
  usage?: Usage
  artifacts?: Artifact[]
  sources?: Source[]
}

/** Which process runs a turn; `host` and `pid` tell a dead one on the same machine at once. */
export interface Holder {
  node_id: string
  host: string
  pid: number
}

/** The turn that has a thread. Its holder renews `lease_until` (Unix milliseconds). */
export interface ActiveTurn {
  turn_id: string
  /** The seq of its first event. */
  first_seq: number
  holder: Holder
  lease_until: number
  started_at: number
  /** Set by a process that cannot stop the turn itself. */
  stop_requested?: boolean
}

/** A client message that has started a turn; `_id` is the turn's. */
export interface ClientMessageDocument {
  _id: string
  thread_id: string
  user_id: string
  agent_id: string
  client_message_id: string
  first_seq: number
  created_at: Date
}
