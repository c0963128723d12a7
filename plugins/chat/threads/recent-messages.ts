import type { MessageDocument, ThreadDocument } from '../documents.ts'
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
  before(
    thread: ShownThread & Pick<ThreadDocument, 'projection_version'>,
    firstSeq: number,
  ): Promise<readonly MessageDocument[]>
  /** Notes the messages of a turn that was settled with `lastSeq`. */
  add(thread_id: string, firstSeq: number, messages: readonly MessageDocument[], lastSeq: number): void
}

/** What is kept of a thread: the messages up to `lastSeq`, which a rebuilding of the thread makes useless. */
interface Entry {
  lastSeq: number
  version: number | undefined
  newest: readonly MessageDocument[]
}

/** Makes the memory over the stored messages; an entry counts only if it reaches right up to the turn that asks. */
export function createRecentMessages(messages: Messages): RecentMessages {
  const threads = new Map<string, Entry & { size: number }>()
  let kept = 0

  const drop = (thread_id: string) => {
    kept -= threads.get(thread_id)?.size ?? 0
    threads.delete(thread_id)
  }
  const keep = (thread_id: string, entry: Entry) => {
    drop(thread_id)
    const size = entry.newest.reduce((sum, message) => sum + sizeOfMessage(message), 0)
    threads.set(thread_id, { ...entry, size })
    kept += size
    while (threads.size > KEPT_THREADS || kept > KEPT_CHARACTERS) drop(threads.keys().next().value!)
  }

  return {
    async before(thread, firstSeq) {
      const { _id: thread_id, projection_version: version } = thread
      const known = threads.get(thread_id)
      if (known?.lastSeq === firstSeq - 1 && known.version === version) return known.newest
      const newest = await messages.page(thread, { limit: KEPT_MESSAGES, before: firstSeq })
      keep(thread_id, { lastSeq: firstSeq - 1, version, newest })
      return newest
    },
    add(thread_id, firstSeq, added, lastSeq) {
      const known = threads.get(thread_id)
      if (known?.lastSeq === firstSeq - 1)
        keep(thread_id, { ...known, lastSeq, newest: [...known.newest, ...added].slice(-KEPT_MESSAGES) })
    },
  }
}
