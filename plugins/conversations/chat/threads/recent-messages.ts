import type { MessageDocument, ThreadDocument } from '../documents.ts'
import { measureMessage } from '../documents.ts'
import type { Messages } from './messages.ts'
import type { ShownThread } from './paths.ts'

/** The most messages that are kept of a thread: more than models receive. */
const KEPT_MESSAGES = 100
/** The most threads whose newest messages are cached, and the most characters of all of them. */
const KEPT_THREADS = 256
const KEPT_CHARACTERS = 32 * 1024 * 1024

/** The cached messages of a thread, up to `lastSeq`; they are obsolete when the thread is rebuilt. */
interface Entry {
  lastSeq: number
  version: number | undefined
  newest: readonly MessageDocument[]
}

/** A cache of the newest messages of active threads, so that a turn need not read what the last one wrote. */
export type RecentMessages = ReturnType<typeof createRecentMessages>

/** Creates the cache; an entry is used only if it ends right before the turn that asks. */
export function createRecentMessages(messages: Messages) {
  const threads = new Map<string, Entry & { size: number }>()
  let keptChars = 0

  const drop = (thread_id: string) => {
    keptChars -= threads.get(thread_id)?.size ?? 0
    threads.delete(thread_id)
  }
  const keep = (thread_id: string, entry: Entry) => {
    drop(thread_id)
    const size = entry.newest.reduce((sum, message) => sum + measureMessage(message), 0)
    threads.set(thread_id, { ...entry, size })
    keptChars += size
    while (threads.size > KEPT_THREADS || keptChars > KEPT_CHARACTERS) drop(threads.keys().next().value!)
  }

  return {
    /** Returns the newest messages of a thread before the turn that begins at `firstSeq`. */
    async before(
      thread: ShownThread & Pick<ThreadDocument, 'projection_version'>,
      firstSeq: number,
    ): Promise<readonly MessageDocument[]> {
      const { _id: thread_id, projection_version: version } = thread
      const cached = threads.get(thread_id)
      // A turn that continues from elsewhere brings a path of its own.
      const isNext = cached?.lastSeq === firstSeq - 1 && !thread.active_turn?.path
      if (isNext && cached.version === version) return cached.newest
      const newest = await messages.page(thread, { limit: KEPT_MESSAGES, beforeSeq: firstSeq })
      keep(thread_id, { lastSeq: firstSeq - 1, version, newest })
      return newest
    },
    /** Adds the messages of a turn that was settled with `lastSeq`. */
    add(thread_id: string, firstSeq: number, added: readonly MessageDocument[], lastSeq: number): void {
      const cached = threads.get(thread_id)
      if (cached?.lastSeq === firstSeq - 1)
        keep(thread_id, { ...cached, lastSeq, newest: [...cached.newest, ...added].slice(-KEPT_MESSAGES) })
    },
  }
}
