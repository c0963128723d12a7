import type { Session } from '../session.ts'
import type { HistoryPage, StoredMessage } from './wire.ts'

/** As many messages as the server gives at once. */
const PAGE_SIZE = 200

/** Reads the threads of one agent. */
export const createThreadHistory = ({ session, agent_id }: { session: Session; agent_id: string }) => {
  const readPage = (thread_id: string, limit: number, cursor?: string) => {
    const query = `limit=${limit}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const thread = `/agents/${encodeURIComponent(agent_id)}/threads/${encodeURIComponent(thread_id)}`
    return session.request<HistoryPage>({ method: 'GET', path: `${thread}/history?${query}` })
  }

  return {
    /** How a thread stands, with its last message. */
    readEnd: (thread_id: string) => readPage(thread_id, 1),

    /** How a thread stands, and all its messages, oldest first, of which one page is held at a time. */
    async readAll(thread_id: string) {
      const newest = await readPage(thread_id, PAGE_SIZE)
      const cursors: string[] = []
      for (let page = newest; page.next_cursor; ) {
        cursors.push(page.next_cursor)
        page = await readPage(thread_id, PAGE_SIZE, page.next_cursor)
      }
      async function* readMessages(): AsyncGenerator<StoredMessage> {
        for (const cursor of cursors.reverse()) yield* (await readPage(thread_id, PAGE_SIZE, cursor)).messages
        yield* newest.messages
      }
      return { end: newest, messages: readMessages() }
    },
  }
}
