import { setTimeout as sleep } from 'node:timers/promises'
import { jointWriterOf } from '#plugin-api'
import type { ThreadOwner } from '../chat/threads/threads.ts'
import type { Cradle } from './manifest.ts'
import { INDEX_VERSION } from './store/pages.ts'

/** The progress of the index. */
export interface SearchStateDocument {
  _id: 'index'
  /** The version of the index; another one is built anew. */
  version: number
  /** The last thread that was read; null once all of them are. */
  after: string | null
  /** The time until which the index is known to be kept with the messages, in Unix seconds. */
  seen_at: number
}

const THREADS = 100
const MESSAGES = 50
const PAGES = 1000
/** Turns of threads that were active so long before the last sign of the plugin are read again, in seconds. */
const MARGIN_SECONDS = 300

/** Builds the index of messages that were stored while this plugin did not run. */
export type Upkeep = ReturnType<typeof createUpkeep>

/** Creates the upkeep of the index. */
export function createUpkeep({
  collections: { search_pages, search_state },
  ownMessages,
  searchPages,
  clock,
}: Pick<Cradle, 'collections' | 'ownMessages' | 'searchPages' | 'clock'>) {
  const writer = jointWriterOf(search_pages)
  let isCaughtUp = false

  /** Reads the messages of a thread into the index; takes as much time for other work. */
  const readThread = async (thread_id: string, owner: ThreadOwner, signal: AbortSignal): Promise<void> => {
    for (let after = 0; !signal.aborted; ) {
      const startedAt = performance.now()
      const messages = await ownMessages.page(thread_id, after, MESSAGES)
      if (messages.length === 0) break
      const upTo = messages.at(-1)!.position
      await writer.write(
        searchPages.toWrites({ thread_id, removed: { after, upTo }, stored: { owner, messages } }),
      )
      after = upTo
      await sleep(performance.now() - startedAt)
    }
    // If the thread was removed meanwhile, the last writes may have come after the removal.
    await removeGone([thread_id])
  }

  const removeGone = async (thread_ids: readonly string[]): Promise<void> => {
    for (const thread_id of await ownMessages.listGone(thread_ids))
      await writer.write(searchPages.toWrites({ thread_id, removed: { after: 0, upTo: Infinity } }))
  }

  /** Reads the threads that were active from a time on; false if it was aborted. */
  const readThreads = async (
    start: string,
    active_since: number,
    signal: AbortSignal,
    note: (after: string) => Promise<unknown>,
  ): Promise<boolean> => {
    const bases = new Set<string>()
    for (let after = start; ; ) {
      const threads = await ownMessages.listThreads(after, { active_since, limit: THREADS })
      if (threads.length === 0) return true
      for (const { _id, base = [], ...owner } of threads) {
        // A fork may be all that still shows the messages of a deleted thread.
        for (const { thread_id } of base)
          if (!bases.has(thread_id)) {
            bases.add(thread_id)
            await readThread(thread_id, owner, signal)
          }
        await readThread(_id, owner, signal)
        if (signal.aborted) return false
      }
      after = threads.at(-1)!._id
      await note(after)
    }
  }

  /** Removes the pages of threads that were deleted while this plugin did not run. */
  const sweep = async (signal: AbortSignal): Promise<boolean> => {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { thread_ids, last } = await searchPages.listThreads(after, PAGES)
      await removeGone(thread_ids)
      if (signal.aborted) return false
      after = last
    }
    return true
  }

  const store = (changes: Partial<SearchStateDocument>) =>
    search_state.updateOne({ _id: 'index' }, { $set: changes }, { upsert: true })

  return {
    /** Brings the index up to date; continues an interrupted run. */
    async run(signal: AbortSignal): Promise<void> {
      const now = clock.seconds()
      let state = await search_state.findOne({ _id: 'index' })
      if (state?.version !== INDEX_VERSION) {
        await searchPages.clear()
        state = { _id: 'index', version: INDEX_VERSION, after: '', seen_at: now }
        await store(state)
      }
      if (!isCaughtUp) {
        const since = state.seen_at - MARGIN_SECONDS
        if (!(await readThreads('', since, signal, async () => {})) || !(await sweep(signal))) return
        isCaughtUp = true
      }
      if (state.after !== null) {
        if (!(await readThreads(state.after, 0, signal, (after) => store({ after })))) return
        await store({ after: null })
      }
      await store({ seen_at: now })
    },
    /** Has the index built anew, because the messages are of another time. */
    async reset(): Promise<void> {
      await search_state.deleteMany({})
      await searchPages.clear()
    },
  }
}
