import type { IndexDescription } from 'mongodb'
import type { Cradle } from './manifest.ts'

/** The interval at which a page that has the focus says so again, in seconds. */
export const FOCUS_SECONDS = 30
/** The time after which a page that says nothing counts as gone, in milliseconds. */
const SILENCE_MS = 2.5 * FOCUS_SECONDS * 1000

/** The indexes for looking up an account's pages and for removing those that are gone. */
export const focusIndexes: IndexDescription[] = [
  { key: { user_id: 1 } },
  { key: { delete_at: 1 }, expireAfterSeconds: 0 },
]

/** The pages of the console that have the focus, on all servers. */
export type Focus = ReturnType<typeof createFocus>

/** Creates the record of focused pages. */
export function createFocus({
  collections: { push_pages: pages },
  clock,
}: Pick<Cradle, 'collections' | 'clock'>) {
  return {
    /** Records that a page has the focus, until it says otherwise or falls silent. */
    async note(user_id: string, page_id: string): Promise<void> {
      const until = clock.now() + SILENCE_MS
      // The id belongs to the account, so that no account can speak for the pages of another one.
      const _id = `${user_id}:${page_id}`
      await pages.replaceOne({ _id }, { user_id, until, delete_at: new Date(until) }, { upsert: true })
    },
    async drop(user_id: string, page_id: string): Promise<void> {
      await pages.deleteOne({ _id: `${user_id}:${page_id}` })
    },
    /** True if the account looks at a page. */
    has: async (user_id: string): Promise<boolean> =>
      (await pages.findOne({ user_id, until: { $gt: clock.now() } }, { projection: { _id: 1 } })) !== null,
    removeAllOf: (user_id: string) => pages.deleteMany({ user_id }),
  }
}
