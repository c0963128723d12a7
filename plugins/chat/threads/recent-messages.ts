import type { MessageDocument } from '../documents.ts'
import { sizeOfMessage } from '../message-size.ts'
import type { ShownThread } from './message-ranges.ts'
import type { Messages } from './messages.ts'

/** How many of a thread's newest messages are wanted at the most: more than models are told. */
const KEPT_MESSAGES = 100
/** Threads whose newest messages are kept at hand, and how many characters of them together. */
const KEPT_THREADS = 256
const KEPT_CHARACTERS = 32 * 1024 * 1024

/** The newest messages of threads in use, so that a turn need not read what the last one wrote. */
export interface RecentMessages {
  /** The newest messages of a thread before the turn that begins at `firstSeq`. */
  before(thread: ShownThread, firstSeq: number): Promise<readonly MessageDocument[]>
  /** Notes the messages of a turn that was settled with `lastSeq`. */
  add(thread_id: string, firstSeq: number, messages: readonly MessageDocument[], lastSeq: number): void
}

/** Makes the memory over the stored messages; an entry counts only if it reaches right up to the turn that asks. */
export function createRecentMessages(messages: Messages): RecentMessages {
  const threads = new Map<string, { lastSeq: number; newest: readonly MessageDocument[]; size: number }>()
  let kept = 0

  const drop = (thread_id: string) => {
    kept -= threads.get(thread_id)?.size ?? 0
    threads.delete(thread_id)
  }
  const keep = (thread_id: string, lastSeq: number, newest: readonly MessageDocument[]) => {
    drop(thread_id)
    const size = newest.reduce((sum, message) => sum + sizeOfMessage(message), 0)
    threads.set(thread_id, { lastSeq, newest, size })
    kept += size
    while (threads.size > KEPT_THREADS || kept > KEPT_CHARACTERS) drop(threads.keys().next().value!)
  }

  return {
    async before(thread, firstSeq) {
      const known = threads.get(thread._id)
      if (known?.lastSeq === firstSeq - 1) return known.newest
      const page = await messages.page(thread, { limit: KEPT_MESSAGES, before: firstSeq })
      keep(thread._id, firstSeq - 1, page)
      return page
    },
    add(thread_id, firstSeq, added, lastSeq) {
      const known = threads.get(thread_id)
      if (known?.lastSeq === firstSeq - 1)
        keep(thread_id, lastSeq, [...known.newest, ...added].slice(-KEPT_MESSAGES))
    },
  }
}
