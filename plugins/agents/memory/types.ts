import type { TypeOf } from '#plugin-api'
import type { memoryRow } from './schemas.ts'

/** True memories are `kept`; those that only an agent wants to remember are `proposed` until a person decides. */
export type MemoryState = TypeOf<typeof memoryRow>['state']

/** The message that a memory comes from, of the person whom it is about. */
export interface MemorySource {
  agent_id: string
  thread_id: string
  message_id: string
}

/** A memory of an account; times are Unix seconds. Ids rise with the time of creation. */
export interface MemoryDocument {
  _id: string
  user_id: string
  /** The agent that it is for; null for all agents. */
  agent_id: string | null
  /** One line of 1 to 300 characters. */
  text: string
  /** The folded text, which a search looks at. */
  folded: string
  state: MemoryState
  source: MemorySource | null
  created_at: number
  updated_at: number
}

/** A turn of an account that was not read for proposals yet. */
export interface NotedTurn {
  thread_id: string
  agent_id: string
  turn_id: string
}

/** The turns of an account, by its id, since its conversations were read for proposals. */
export interface MemoryReviewDocument {
  _id: string
  turns: NotedTurn[]
}

/** A thread that is reached neither from the console nor by a program. */
export interface HeardThread {
  user_id: string
  agent_id: string
  thread_id: string
  /** `schedule` or the kind of a channel. */
  channel_type: string
}

declare module '#kernel/types' {
  interface Collections {
    memory: {
      memories: MemoryDocument
      memory_reviews: MemoryReviewDocument
    }
  }
  interface Events {
    /** Memories of an account are new or gone, or have changed. */
    'memory.changed': { user_id: string }
  }
  interface ExtensionPoints {
    /**
     * Tells who reads the answers in a thread: `one` if only the account itself does and wants agents to remember there,
     * `many` otherwise; undefined for the threads of other plugins. Without an answer, the thread has no memory.
     */
    'memory.listeners': (
      thread: HeardThread,
    ) => Promise<'one' | 'many' | undefined> | 'one' | 'many' | undefined
  }
}
