import type { TypeOf } from '#plugin-api'
import type { Account } from '../../identity/users/types.ts'
import type { requestStatus, scheme } from './schemas.ts'

/** The account and the agent of a trigger; part of every query of a client. */
export interface TriggerOwner {
  user_id: string
  agent_id: string
}

/** A way in which requests are verified. */
export type Scheme = TypeOf<typeof scheme>

/** A trigger; times are Unix seconds. */
export interface TriggerDocument extends TriggerOwner {
  _id: string
  name: string
  prompt: string
  thread: 'new' | 'same'
  model: string | null
  enabled: boolean
  scheme: Scheme
  /** Sealed. */
  secret: string
  /** The scopes of the credential that it was last changed with, if that is not a session: they limit its turns. */
  scopes: readonly string[] | null
  /** The thread in which its turns follow each other, if `thread` is `same` and it has started one. */
  thread_id: string | null
  last_request_at: number | null
  created_at: number
  updated_at: number
}

/** The reason why a request was refused; `details` are the values in its text. */
export interface RequestError {
  code: string
  details: Record<string, string | number>
}

/** A verified request; `_id` follows from the trigger and `delivery_id`, so that each one is stored once. */
export interface TriggerDeliveryDocument extends TriggerOwner {
  _id: string
  trigger_id: string
  delivery_id: string
  /** Unix milliseconds. */
  received_ms: number
  status: TypeOf<typeof requestStatus>
  repeats: number
  /** The thread of its turn, chosen before the turn starts. */
  thread_id: string
  turn_id: string | null
  bytes: number
  missing: string[]
  error: RequestError | null
  /** For the TTL index. */
  delete_at: Date
}

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Throws an AppError if an account cannot start a turn now, such as TOKEN_QUOTA_EXCEEDED. */
    'triggers.checks': (question: { account: Account }) => unknown
  }
  interface Collections {
    triggers: {
      triggers: TriggerDocument
      trigger_deliveries: TriggerDeliveryDocument
    }
  }
}
