import type { TestChat } from '../../support/chat.ts'
import type { TestReply } from '../../support/server.ts'

/** Somebody who calls the API; null for a stranger. */
type Token = string | null | undefined

/** Returns the calls of tests about shares. */
export const createShareCalls = ({
  server,
  threads,
  connect,
  fake,
}: Omit<TestChat, 'history' | 'decide'>) => ({
  share: (thread_id: string, body: object, options: { token?: string; agent_id?: string } = {}) =>
    threads('POST', `/${thread_id}/shares`, { body, ...options }),
  read: (share_id: string, token?: Token): Promise<TestReply> =>
    server.request('GET', `/shared/${share_id}`, token === undefined ? {} : { token }),
  update: (share_id: string, body: object = {}, token?: Token) =>
    server.request('PUT', `/shares/${share_id}`, { body, ...(token !== undefined && { token }) }),
  remove: (share_id: string, token?: Token) =>
    server.request('DELETE', `/shares/${share_id}`, token === undefined ? {} : { token }),
  list: (query = '', token?: Token) =>
    server.request('GET', `/shares${query}`, token === undefined ? {} : { token }),
  /** Reads a file as a browser does, by its address. */
  async open(url: string, token?: string): Promise<{ status: number; text: string; headers: Headers }> {
    const headers = token ? { authorization: `Bearer ${token}` } : undefined
    const response = await fetch(`${server.url}${url}`, headers && { headers })
    return { status: response.status, text: await response.text(), headers: response.headers }
  },
  /** Runs a turn with an answer of the model; returns its thread. */
  async talk(
    turn: object,
    replies: Parameters<typeof fake.next>,
    options: { token?: string; agent_id?: string } = {},
  ): Promise<string> {
    const socket = await connect(options)
    fake.next(...replies)
    const { thread_id, end } = await socket.ask(turn)
    if (end.type !== 'done') throw new Error(`the turn ended with ${JSON.stringify(end)}`)
    return thread_id
  },
})
