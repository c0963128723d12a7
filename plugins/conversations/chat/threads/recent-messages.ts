import type { MessageDocument, ThreadDocument } from '../documents.ts'
import { measureMessage } from '../documents.ts'
import type { Messages } from './messages.ts'
import type { ShownThread } from './paths.ts'

/** The most messages that are kept of a thread: more than models receive. */
const KEPT_MESSAGES = 100
/** The most characters that are kept of all threads. */
const KEPT_CHARACTERS = 32 * 1024 * 1024
/** The room that a message, or a thread, takes beside its text, in characters. */
const ALLOWANCE = 500

/** The cached messages of a thread, up to `lastSeq`; they are obsolete when the thread is rebuilt. */
interface Entry {
  lastSeq: number
  version: number | undefined
  newest: readonly MessageDocument[]
}

const measure = (messages: readonly MessageDocument[]) =>
  messages.reduce((sum, message) => sum + ALLOWANCE + measureMessage(message), 0)

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
  const keep = (thread_id: string, entry: Entry, size: number) => {
    drop(thread_id)
    threads.set(thread_id, { ...entry, size })
    keptChars += size
    while (keptChars > KEPT_CHARACTERS) drop(threads.keys().next().value!)
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
      keep(thread_id, { lastSeq: firstSeq - 1, version, newest }, ALLOWANCE + measure(newest))
      return newest
    },
    /** Adds the messages of a turn that was settled with `lastSeq`. */
    add(thread_id: string, firstSeq: number, added: readonly MessageDocument[], lastSeq: number): void {
      const cached = threads.get(thread_id)
      if (cached?.lastSeq !== firstSeq - 1) return
      const all = [...cached.newest, ...added]
      const newest = all.slice(-KEPT_MESSAGES)
      const dropped = all.slice(0, all.length - newest.length)
      keep(thread_id, { ...cached, lastSeq, newest }, cached.size + measure(added) - measure(dropped))
    },
  }
}
