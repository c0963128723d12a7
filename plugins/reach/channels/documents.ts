import type {
  ChannelFailureReason,
  ConversationType,
  InboundFile,
  JSONValue,
  Managed,
  QuotedMessage,
  Sender,
} from '#plugin-api'

/** The state of a channel's connection. */
export type ChannelState = 'connected' | 'connecting' | 'disconnected' | 'failed'

/** The state of a channel, reported by the server process that has it; `since` is in Unix seconds. */
export interface ChannelRuntime {
  state: ChannelState
  reason: ChannelFailureReason | null
  error: string | null
  since: number
  /** Number of times the connection was restored. */
  reconnects: number
  /** The newest message, file or change that the platform refused, with the time in Unix seconds. */
  last_refusal: { reason: ChannelFailureReason; detail: string; at: number } | null
}

/** A channel; times are in Unix seconds. */
export interface ChannelDocument extends Managed {
  _id: string
  agent_id: string
  /** Unique among the channels of the agent. */
  name: string
  kind: string
  enabled: boolean
  /** The config without the fields that the kind's schema marks writeOnly. */
  config: Record<string, unknown>
  /** The writeOnly fields: JSON, sealed for the purpose `channel:<_id>`. */
  secret_config: string | null
  /** Increases with every change that needs a new connection. */
  revision: number
  runtime: ChannelRuntime
  /** The position in what the platform delivers and its account: JSON, sealed for `cursor:<_id>`. */
  cursor?: string
  /** Grows with each position. */
  cursor_number?: number
  /** The lease under which a process has the connection, while it lasts. */
  lease?: string
  /** The newest changes of its state that webhooks have not heard of. */
  unreported?: StateChange[]
  created_at: number
  updated_at: number
}

/** A change of the state of a channel; `at` is Unix milliseconds. */
export interface StateChange extends Pick<ChannelRuntime, 'state' | 'reason'> {
  id: string
  at: number
}

/** A position in what a platform delivers, and its account, as JSON; `number` grows with each. */
export interface StoredCursor {
  text: string
  number: number
}

/** The delivered part of the answer to a message. */
export interface DeliveryProgress {
  /** Number of delivered parts: a turn that waits for decisions is answered in several. */
  parts: number
  /** `sent`, `covered` and `live` are the progress of the writer in the part after these. */
  sent: number
  covered: number
  live: JSONValue
  /** Number of files of the answer that have been sent. */
  files: number
}

/**
 * The reason why a message is answered by a sentence: too many are waiting, it has content that the kind cannot read, or
 * it has no content.
 */
export type Refusal = 'too_many' | 'unreadable' | 'nothing_said'

/** A message from a platform; its content is stored until it is answered. */
export interface InboxDocument {
  _id: string
  channel_id: string
  agent_id: string
  /** The platform's id of the message. */
  message_id: string
  conversation_id: string
  conversation_type: ConversationType
  sender: Sender
  text?: string
  quote?: Omit<QuotedMessage, 'files'>
  /** JSON of the files and of the target, sealed for the purpose `inbox:<_id>`. */
  sealed?: string
  /** The position behind the message, until its channel has it: JSON, sealed for `inbox-cursor:<_id>`. */
  cursor?: string
  cursor_number?: number
  /** In Unix milliseconds. */
  sent_at: number
  /** True for a command that runs while a message is being answered. */
  urgent: boolean
  /** Set if no turn answers the message, only the sentence of this name. */
  refusal?: Refusal
  /** Set until the message is answered. */
  open?: true
  /** The client message of a turn that has ended: nobody has written this message, only the answer is delivered. */
  turn_message_id?: string
  /** The thread of the turn that answers it; set before the turn begins if the conversation has left that thread. */
  thread_id?: string
  /** The seq after which that turn begins; set once it has begun. */
  after_seq?: number
  progress?: DeliveryProgress
  /** The time of the answer. */
  closed_at?: Date
}

/** The sealed fields of a message. */
export interface SealedParts {
  files: InboundFile[]
  target: JSONValue
}

/** A message of a group that does not mention the bot; `id` is the platform's, `at` is in Unix milliseconds. */
export interface OverheardMessage {
  id: string
  sender: string
  text: string
  at: number
  files?: InboundFile[]
}

/** A conversation of a channel; `_id` is `<channel>:<conversation>`. */
export interface ConversationDocument {
  _id: string
  channel_id: string
  agent_id: string
  /** The thread that it continues in; null until the bot is addressed. */
  thread_id: string | null
  /** The type, the sender and the target of the newest message to the bot; the target is JSON, sealed for `conversation:<_id>`. */
  type?: ConversationType
  sender?: Sender
  target?: string
  /** The time of that message, in Unix seconds. */
  last_message_at?: number
  overheard: Omit<OverheardMessage, 'files'>[]
  /** JSON of the files of overheard messages by the id of the message, sealed for `overheard-files:<_id>`. */
  overheard_files?: string
  /** The `_id` of the conversation that it continues in, after the platform changed its id. */
  moved_to?: string
}
