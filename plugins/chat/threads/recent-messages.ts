import type { MessageDocument } from '../documents.ts'
import type { Messages } from './messages.ts'

/** How many of the newest messages a model sees at the most. */
const KEPT_MESSAGES = 40
/** Threads whose newest messages are kept at hand. */
const KEPT_THREADS = 256

/** The newest messages of threads in use, so that a turn need not read what the last one wrote. */
export interface RecentMessages {
  /** The newest messages of a thread before the turn that begins at `firstSeq`. */
  before(thread_id: string, firstSeq: number): Promise<readonly MessageDocument[]>
  /** Notes the messages of a turn that was settled with `lastSeq`. */
  add(thread_id: string, firstSeq: number, messages: readonly MessageDocument[], lastSeq: number): void
}

/** Makes the memory over the stored messages; an entry counts only if it reaches right up to the turn that asks. */
export function createRecentMessages(messages: Messages): RecentMessages {
  const threads = new Map<string, { lastSeq: number; newest: readonly MessageDocument[] }>()

  const keep = (thread_id: string, lastSeq: number, newest: readonly MessageDocument[]) => {
    threads.delete(thread_id)
    threads.set(thread_id, { lastSeq, newest })
    if (threads.size > KEPT_THREADS) threads.delete(threads.keys().next().value!)
  }

  return {
    async before(thread_id, firstSeq) {
      const kept = threads.get(thread_id)
      if (kept?.lastSeq === firstSeq - 1) return kept.newest
      const page = await messages.page(thread_id, { limit: KEPT_MESSAGES, before: firstSeq })
      keep(thread_id, firstSeq - 1, page)
      return page
    },
    add(thread_id, firstSeq, added, lastSeq) {
      const kept = threads.get(thread_id)
      if (kept?.lastSeq === firstSeq - 1)
        keep(thread_id, lastSeq, [...kept.newest, ...added].slice(-KEPT_MESSAGES))
    },
  }
}
