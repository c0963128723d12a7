/** The types of events that webhooks hear of. */
export const WEBHOOK_EVENTS = [
  'turn.ended',
  'approval.requested',
  'schedule.run_ended',
  'channel.state_changed',
  'budget.warned',
] as const

/** The type of an event. */
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** Something that has happened, as records of a plugin show it. */
export interface WebhookFact {
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
  facts: readonly WebhookFact[]
  /** Removes the mark of the record, unless the record has changed since it was read. */
  settle(): Promise<unknown>
}

declare module '#kernel/types' {
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
}
