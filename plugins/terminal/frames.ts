/** What every frame of a turn carries; `seq` rises within the thread. */
interface TurnPart {
  thread_id: string
  turn_id: string
  seq: number
}

/** Token counts of a turn or of one model call. */
export interface Usage {
  input_tokens?: number
  output_tokens?: number
  total_tokens?: number
}

/** One call that waits for a person's decision; `parent_tool_call_id` where it is part of a delegated task. */
export interface ActionRequest {
  id: string
  name: string
  args: Record<string, unknown>
  /** The address of all arguments, if `args` does not show them as they are. */
  args_url?: string
  description: string
  parent_tool_call_id?: string
}

/** A turn that is paused until its calls are decided, each as its config allows; `expires_at` is Unix seconds. */
export interface ApprovalRequest extends TurnPart {
  type: 'hitl_required'
  pending_id: string
  action_requests: ActionRequest[]
  review_configs: { action_name: string; allowed_decisions: Decision['type'][] }[]
  expires_at: number
}

/** What a person decides about one call. */
export type Decision =
  | { type: 'approve'; for_thread?: boolean }
  | { type: 'edit'; edited_action: { name: string; args: Record<string, unknown> } }
  | { type: 'reject'; message?: string }
  | { type: 'respond'; message: string }

/** How a pause ended; `decisions` has one entry for each request, none where the turn was stopped. */
export interface ApprovalResolution extends TurnPart {
  type: 'hitl_resolved'
  pending_id: string
  outcome: 'decided' | 'expired' | 'stopped'
  decisions: Decision[]
}

/** What a tool took its output from. */
export interface Source {
  id: string
  title: string
  url?: string
}

/** The reply to `subscribe`; the frames that were missed follow it. */
export interface TurnStatus {
  type: 'turn_status'
  thread_id: string
  active: boolean
  turn_id?: string | null
  last_seq: number
  paused?: boolean
}

/** A message that has to wait for its turn: where it stands, 1 is the next. */
export interface TurnQueued {
  type: 'turn_queued'
  thread_id: string
  client_message_id?: string
  queue_id: string
  position: number
}

/** A message that waited and was taken back. */
export interface Unqueued {
  type: 'unqueued'
  thread_id: string
  queue_id: string
}

/** An error ends its turn; one without a `turn_id` refuses what this connection sent. */
export interface ErrorFrame extends Partial<TurnPart> {
  type: 'error'
  code: string
  message: string
  /** Of a model's failure: what to do about it, and what the provider itself said. */
  details?: { guidance?: string; detail?: string }
}

/** A part of a turn, perhaps of what a tool call delegated. */
interface Delegated extends TurnPart {
  parent_tool_call_id?: string
}

/** What the server sends on the chat socket. */
export type ServerFrame =
  | (TurnPart & { type: 'turn_started'; message_id: string; client_message_id?: string })
  | (TurnPart & { type: 'content'; content: string; message_id?: string })
  | (TurnPart & { type: 'reasoning'; content: string })
  | (Delegated & { type: 'tool_call'; tool_call_id: string; name: string; input: unknown })
  | (Delegated & {
      type: 'tool_result'
      tool_call_id: string
      name: string
      output: unknown
      is_error: boolean
      sources?: Source[]
    })
  | (Delegated & { type: 'tool_progress'; tool_call_id: string; content: string })
  | (TurnPart & { type: 'attachment'; path: string; media_type?: string })
  | (TurnPart & { type: 'usage'; usage: Usage })
  | (TurnPart & { type: 'done'; usage?: Usage; stop_reason: string })
  | ApprovalRequest
  | ApprovalResolution
  | TurnStatus
  | TurnQueued
  | Unqueued
  | ErrorFrame
  | { type: 'pong' }

/** A file in the agent's workspace. */
export interface FileBlock {
  type: 'image' | 'file'
  path: string
  filename: string
  media_type: string
}

/** What a user may say. */
export type InputBlock = { type: 'text'; text: string } | FileBlock

/** A message to the agent; sent again with the same `client_message_id` it starts no second turn. */
export type UserTurn = {
  type: 'user_turn'
  thread_id: string
  client_message_id: string
  model?: string
} & ({ text: string } | { content: InputBlock[] })

/** What the client sends on the chat socket. */
export type ClientFrame =
  | UserTurn
  | { type: 'subscribe'; thread_id: string; after_seq?: number }
  | { type: 'stop'; thread_id: string }
  | { type: 'unqueue'; thread_id: string; queue_id: string }

/** One block of a stored message. */
export interface Block {
  type: string
  text?: string
  name?: string
  input?: unknown
  output?: unknown
  is_error?: boolean
  path?: string
}

/** A stored message. */
export interface Message {
  id: string
  role: 'user' | 'assistant' | 'tool'
  content: Block[]
  turn_id?: string
  sources?: Source[]
}

/** A page of a thread's messages, oldest first. */
export interface History {
  messages: Message[]
  turn_active: boolean
  last_seq: number
  hitl_pending?: unknown
  /** The messages that wait for their turns, the next one first. */
  queued?: { queue_id: string; text: string }[]
}

/** A thread as it is listed; `last_active` is in Unix seconds. */
export interface ThreadRow {
  thread_id: string
  title?: string | null
  pinned?: boolean
  last_active?: number
  turn_active?: boolean
}

/** A file or folder of the agent's workspace; `size` in bytes, `updated_at` in Unix seconds. */
export interface FileRow {
  path: string
  kind: 'file' | 'directory'
  size: number | null
  updated_at: number
}

/** The fields of an agent that the client shows. */
export interface AgentRow {
  id: string
  name: string
  description?: string | null
  default_model?: string | null
  state?: string
}
