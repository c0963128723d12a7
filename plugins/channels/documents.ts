import type { ChannelFailureReason, ConversationType, InboundFile, JSONValue, Sender } from '#plugin-api'

/** How a channel's connection stands. */
export type ChannelState = 'connected' | 'connecting' | 'disconnected' | 'failed'

/** The state of a channel as the server process that has it says; `since` is Unix seconds. */
export interface ChannelRuntime {
  state: ChannelState
  reason: ChannelFailureReason | null
  error: string | null
  since: number
  /** How often the connection has come back. */
  reconnects: number
}

/** One channel; times are Unix seconds. */
export interface ChannelDocument {
  _id: string
  agent_id: string
  /** Unique among the agent's. */
  name: string
  kind: string
  enabled: boolean
  /** Without what the kind's schema marks writeOnly. */
  config: Record<string, unknown>
  /** The others, JSON, sealed for the purpose `channel:<_id>`. */
  secret_config: string | null
  /** Rises with every change of what the channel is connected with. */
  revision: number
  runtime: ChannelRuntime
  /** The lease under which a process keeps the connection, as long as that lasts. */
  lease?: string
  created_at: number
  updated_at: number
}

/** How far the answer to a message has been delivered. */
export interface DeliveryProgress {
  /** Parts of the answer that are done: a turn that waits for a person is answered in several. */
  parts: number
  /** Within the part after these, as the writer has left it. */
  sent: number
  covered: number
  live: JSONValue
  /** Files of the answer that have been sent. */
  files: number
}

/** A message that came from a platform; what it says is kept until it is answered. */
export interface InboxDocument {
  _id: string
  channel_id: string
  agent_id: string
  /** The platform's. */
  message_id: string
  conversation_id: string
  conversation_type: ConversationType
  sender: Sender
  text?: string
  quote?: { text: string; sender?: string }
  /** JSON of the files and of the target, sealed for the purpose `inbox:<_id>`. */
  sealed?: string
  /** Unix milliseconds. */
  sent_at: number
  /** Whether it is a command that does not wait for what is being answered. */
  urgent: boolean
  /** Set where too much was waiting already: it is only told so. */
  refused?: true
  /** Set until the message is answered. */
  open?: true
  /** The thread that answers it, and the seq behind which the turn stands. */
  thread_id?: string
  after_seq?: number
  progress?: DeliveryProgress
  /** When that was done. */
  closed_at?: Date
}

/** What is sealed of a message. */
export interface SealedParts {
  files: InboundFile[]
  target: JSONValue
}

/** Something that was said in a group and not to the bot; `id` is the platform's, `at` is Unix milliseconds. */
export interface OverheardMessage {
  id: string
  sender: string
  text: string
  at: number
}

/** One conversation of a channel; `_id` is `<channel>:<conversation>`. */
export interface ConversationDocument {
  _id: string
  channel_id: string
  agent_id: string
  /** The thread that it goes on in; null until somebody speaks. */
  thread_id: string | null
  overheard: OverheardMessage[]
}
