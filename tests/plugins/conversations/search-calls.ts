import type { TestChat } from '../../support/chat.ts'

/** A row of a search. */
export interface Row {
  thread_id: string
  agent_id: string
  agent_name: string
  title: string | null
  message_id: string | null
  role: string | null
  timestamp: number
  snippet: { text: string; match: boolean }[]
}

/** A server's calls for searches. */
export function createSearchCalls(chat: TestChat) {
  const { server, fake } = chat
  const request = (query: Record<string, string>, token?: string) =>
    server.request('GET', `/search?${new URLSearchParams(query)}`, { token })

  return {
    request,
    /** Has a turn with this question and answer; returns its thread. */
    async say(
      text: string,
      answer: string,
      { thread_id, token }: { thread_id?: string; token?: string } = {},
    ): Promise<string> {
      const socket = await chat.connect({ token })
      fake.next({ text: [answer] })
      const turn = await socket.ask({ ...(thread_id && { thread_id }), text })
      socket.close()
      return turn.thread_id
    },
    /** Returns the rows of all pages of a search. */
    async search(query: Record<string, string>, token?: string): Promise<Row[]> {
      const rows: Row[] = []
      for (let cursor: string | undefined; ; ) {
        const { status, body, headers } = await request({ ...query, ...(cursor && { cursor }) }, token)
        if (status !== 200) throw new Error(`search answered ${status} ${JSON.stringify(body)}`)
        rows.push(...body)
        const next = /<\?([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
        if (next === undefined) return rows
        cursor = new URLSearchParams(next).get('cursor')!
      }
    },
    /** Returns the texts of the messages in the index, which are none once nothing is left of a thread. */
    countIndexed: (thread_id: string): Promise<number> =>
      server.db.collection('search_pages').countDocuments({ thread_id }),
  }
}

/** Returns the matches of a row. */
export const matchesOf = ({ snippet }: Row): string[] =>
  snippet.flatMap(({ text, match }) => (match ? [text] : []))
