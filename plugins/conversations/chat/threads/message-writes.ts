import type { Write } from '#plugin-api'
import type { MessageDocument } from '../documents.ts'
import type { ThreadOwner } from './threads.ts'

/** A change of the messages of a thread: first some are removed, then others are stored. */
export interface MessageChange {
  thread_id: string
  /** Removes the messages with `after < position <= upTo`. */
  removed?: { after: number; upTo: number }
  stored?: { owner: ThreadOwner; messages: readonly MessageDocument[] }
}

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Returns writes that are made together with a change of messages; they can be repeated. */
    'chat.message_writes': (question: MessageChange) => readonly Write[]
  }
}
