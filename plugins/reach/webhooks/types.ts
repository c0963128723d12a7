import type { LeaseDocument, TypeOf } from '#plugin-api'
import type { deliveryStatus, disabledReason, EVENTS } from './schemas.ts'

/** The type of an event. */
export type WebhookEvent = (typeof EVENTS)[number]

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
  /** The attempts in a row that the receiver has not answered. */
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

/** Something that has happened, as records of a plugin show it. */
export interface Fact {
  /** The same each time that the records are read. */
  id: string
  event: WebhookEvent
  /** The account that it belongs to; null for the whole server, of which only administrators hear. */
  user_id: string | null
  agent_id: string | null
  /** Unix milliseconds. */
  at: number
  /** The `data` of the requests. */
  data: Record<string, unknown>
}

/** A record with facts that webhooks have not heard of yet. */
export interface UnreportedRecord {
  /** Oldest first. */
  facts: readonly Fact[]
  /** Removes the mark of the record, unless the record has changed since it was read. */
  settle(): Promise<unknown>
}

declare module '#kernel/types' {
  interface Collections {
    webhooks: {
      webhooks: WebhookDocument
      webhook_deliveries: DeliveryDocument
      webhook_leases: LeaseDocument
    }
  }
  interface ExtensionPoints {
    /**
     * Returns records that are marked as unreported, at most `limit`: of these accounts, and perhaps of others. A plugin
     * sets the mark in the same write that makes a fact true. Facts from before `since` (Unix milliseconds) may be missing.
     */
    'webhooks.sources': (question: {
      user_ids: readonly string[]
      since: number
      limit: number
    }) => Promise<readonly UnreportedRecord[]>
  }
  interface Events {
    /** A webhook was created, changed or removed, or the server has disabled it. */
    'webhook.changed': { webhook_id: string; user_id: string }
  }
}
