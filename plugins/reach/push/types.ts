import type { Locale } from '#plugin-api'

/** The key pair that identifies this installation to push services; the only document is `vapid`. */
interface PushKeyDocument {
  _id: string
  /** Base64url. */
  public_key: string
  /** Sealed. */
  private_key: string
}

/** A browser that receives the notifications of an account; `_id` is the SHA-256 of the endpoint in base64url. */
export interface SubscriptionDocument {
  _id: string
  user_id: string
  /** The session that it was made with; it ends with that session. */
  session_id: string
  endpoint: string
  /** The public key of the browser, base64url. */
  p256dh: string
  /** The secret that messages to the browser are authenticated with, sealed. */
  auth: string
  user_agent: string | null
  /** The language of its notifications, unless the account has one. */
  locale: Locale
  /** Unix seconds. */
  created_at: number
  /** Unix seconds; null before the first notification. */
  last_sent_at: number | null
}

/** The kinds of facts that accounts are notified of. */
export type NoticeKind = 'approval' | 'turn' | 'schedule'

/** A fact that an account is notified of once; `_id` is made of the fact. Times are Unix milliseconds. */
export interface NoticeDocument {
  _id: string
  kind: NoticeKind
  user_id: string
  agent_id: string
  thread_id: string
  /** The id of the approval, or of the turn that has ended. */
  subject_id: string
  /** The time of the next attempt; null once nothing is left to do. */
  due_at: number | null
  /** The time until which the process that attempts it has it. */
  lease_until: number
  /** The number of attempts that a push service did not take. */
  attempts: number
  /** The subscriptions that it was sent to. */
  sent_to: string[]
  /** Hashes of the tokens with which devices may decide the approval, by the subscription that each was sent to. */
  tokens: { hash: string; subscription_id: string }[]
  delete_at: Date
}

/** A page of the console that has the focus; `_id` is chosen by the page. */
interface FocusedPageDocument {
  _id: string
  user_id: string
  /** Unix milliseconds. */
  until: number
  delete_at: Date
}

declare module '#kernel/types' {
  interface Collections {
    push: {
      push_keys: PushKeyDocument
      push_subscriptions: SubscriptionDocument
      push_notices: NoticeDocument
      push_pages: FocusedPageDocument
    }
  }
}
