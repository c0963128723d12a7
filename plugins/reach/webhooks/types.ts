import type { LeaseDocument, TypeOf, WebhookEvent } from '#plugin-api'
import type { deliveryStatus, disabledReason } from './schemas.ts'

/** A webhook; times are Unix seconds unless they say otherwise. */
export interface WebhookDocument {
  _id: string
  user_id: string
  /** The agent that its events must be about; null for all. */
  agent_id: string | null
  url: string
  events: WebhookEvent[]
  /** Sealed. */
  secret: string
  enabled: boolean
  disabled_reason: TypeOf<typeof disabledReason> | null
  /**
   * The time since which it is enabled, in Unix milliseconds: it does not hear of what was before. At the start of a
   * second, because some records have no exacter times.
   */
  hears_since: number
  /** The first failure after the last success. */
  failing_since: number | null
  /** The number of consecutive attempts without an answer. */
  silences: number
  /** Nothing is sent before this time, in Unix milliseconds. */
  hold_until: number
  /** The number of positions that its deliveries have taken. */
  positions: number
  created_at: number
  updated_at: number
}

/** The reason why an attempt failed; `details` are the values in its text. */
export interface DeliveryError {
  code: string
  details: Record<string, string | number>
}

/** An event on its way to a webhook; `_id` follows from both, so that an event is stored once for each webhook. */
export interface DeliveryDocument {
  _id: string
  webhook_id: string
  user_id: string
  agent_id: string | null
  event: WebhookEvent | 'webhook.test'
  /** The order in which the deliveries of a webhook are sent. */
  position: number
  /** The JSON that is sent. */
  body: string
  status: TypeOf<typeof deliveryStatus>
  attempts: number
  /** The time of the next attempt, in Unix milliseconds; null if none follows. */
  next_at: number | null
  /** The time at which it is given up, in Unix milliseconds. */
  give_up_at: number
  /** Unix seconds. */
  created_at: number
  last_attempt_at: number | null
  response_status: number | null
  error: DeliveryError | null
  /** Set once it is finished, for the TTL index. */
  delete_at: Date | null
}

declare module '#kernel/types' {
  interface Collections {
    webhooks: {
      webhooks: WebhookDocument
      webhook_deliveries: DeliveryDocument
      webhook_leases: LeaseDocument
    }
  }
  interface Events {
    /** A webhook was created, changed or removed, or the server has disabled it. */
    'webhook.changed': { webhook_id: string; user_id: string }
  }
}
