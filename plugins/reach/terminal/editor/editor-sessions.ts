import { type AgentContext, type ListSessionsResponse, RequestError } from '@agentclientprotocol/sdk'
import { RefusedError } from '../api.ts'
import type { History, Message, ThreadRow } from '../frames.ts'
import { createEditorSession, type EditorSession, type EditorSessionParts } from './editor-session.ts'

/** The open sessions; beyond that the least recently used idle session is closed, and can be loaded again. */
const MAX_SESSIONS = 64
const LIST_PAGE_SIZE = 50
/** The largest page of messages that the server returns. */
const HISTORY_PAGE_SIZE = 200

/** Creates the sessions of one editor, each of which is a thread with the agent. */
export const createEditorSessions = (parts: EditorSessionParts) => {
  const { session, agent_id } = parts
  const threads = `/agents/${encodeURIComponent(agent_id)}/threads`
  /** By thread, the least recently used first. */
  const sessions = new Map<string, EditorSession>()

  const readPage = (thread_id: string, limit: number, cursor?: string) => {
    const query = `limit=${limit}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const path = `${threads}/${encodeURIComponent(thread_id)}/history?${query}`
    return session.request<History>({ method: 'GET', path })
  }

  /** Reads the newest page of a thread, and all its messages, oldest first, of which one page is in memory at a time. */
  const readAll = async (thread_id: string) => {
    const newest = await readPage(thread_id, HISTORY_PAGE_SIZE)
    const cursors: string[] = []
    for (let page = newest; page.next_cursor; ) {
      cursors.push(page.next_cursor)
      page = await readPage(thread_id, HISTORY_PAGE_SIZE, page.next_cursor)
    }
    async function* readMessages(): AsyncGenerator<Message> {
      for (const cursor of cursors.reverse())
        yield* (await readPage(thread_id, HISTORY_PAGE_SIZE, cursor)).messages
      yield* newest.messages
    }
    return { end: newest, messages: readMessages() }
  }

  const makeRoom = () => {
    if (sessions.size < MAX_SESSIONS) return
    const idle = [...sessions].find(([, { isBusy }]) => !isBusy)
    if (!idle)
      throw RequestError.invalidRequest(undefined, `${MAX_SESSIONS} sessions are already being answered`)
    sessions.delete(idle[0])
  }

  const open = (thread_id: string, last_seq: number, client: AgentContext) => {
    makeRoom()
    const opened = createEditorSession({ ...parts, thread_id, last_seq, client })
    sessions.set(thread_id, opened)
    return opened
  }

  const openStored = async (thread_id: string, end: History, client: AgentContext) => {
    // The request that a turn waits for is its last frame, which must be received again.
    const last_seq = end.hitl_pending ? end.last_seq - 1 : end.last_seq
    return open(thread_id, last_seq, client)
  }

  const joinRunning = (opened: EditorSession, { turn_active, messages }: History) => {
    const turn_id = messages.at(-1)?.turn_id
    if (turn_active && turn_id !== undefined) opened.join(turn_id)
  }

  /** Forgets the session of a thread that is about to be opened again. */
  const leave = async (thread_id: string) => {
    const opened = sessions.get(thread_id)
    if (opened?.isBusy)
      throw RequestError.invalidRequest(undefined, 'a prompt of this session is still being answered')
    sessions.delete(thread_id)
  }

  const explainMissing = async <Found>(thread_id: string, request: Promise<Found>): Promise<Found> =>
    request.catch((error: unknown) => {
      // The server answers 422 for an id that is malformed.
      const isUnknown = error instanceof RefusedError && [404, 422].includes(error.status)
      throw isUnknown ? RequestError.sessionNotFound(thread_id) : error
    })

  return {
    /** Begins a thread and returns its id. */
    async begin(client: AgentContext): Promise<string> {
      const { thread_id } = await session.request<{ thread_id: string }>({ method: 'POST', path: threads })
      open(thread_id, 0, client)
      return thread_id
    },

    /** Shows all messages of a thread, then its running turn. */
    async load(thread_id: string, client: AgentContext) {
      await leave(thread_id)
      const { end, messages } = await explainMissing(thread_id, readAll(thread_id))
      const opened = await openStored(thread_id, end, client)
      for await (const message of messages) await opened.replay(message)
      joinRunning(opened, end)
    },

    /** Continues a thread without showing its messages. */
    async resume(thread_id: string, client: AgentContext) {
      await leave(thread_id)
      const end = await explainMissing(thread_id, readPage(thread_id, 1))
      joinRunning(await openStored(thread_id, end, client), end)
    },

    /** Returns the session with this id; throws if it is not open. */
    get(thread_id: string): EditorSession {
      const session = sessions.get(thread_id)
      if (!session) throw RequestError.sessionNotFound(thread_id)
      sessions.delete(thread_id)
      sessions.set(thread_id, session)
      return session
    },

    /** Returns the session with this id, if it is open. */
    find: (thread_id: string) => sessions.get(thread_id),

    /** Ends the running turn of a session and closes the session; the thread remains. */
    async close(thread_id: string) {
      const closing = this.get(thread_id)
      sessions.delete(thread_id)
      await closing.close()
    },

    /** Lists the threads with this agent, a page at a time; they belong to no folder, so the requested one is returned. */
    async list({ cwd, cursor }: { cwd: string; cursor: string | undefined }): Promise<ListSessionsResponse> {
      const query = new URLSearchParams({
        limit: String(LIST_PAGE_SIZE),
        ...(cursor !== undefined && { cursor }),
      })
      const { rows, next } = await session.readPage<ThreadRow>(`${threads}?${query}`).catch((error) => {
        if (!(error instanceof RefusedError) || error.status !== 422) throw error
        throw RequestError.invalidParams(undefined, 'the cursor is not valid')
      })
      return {
        sessions: rows.map(({ thread_id, title, last_active }) => ({
          sessionId: thread_id,
          cwd,
          title,
          updatedAt: last_active === undefined ? null : new Date(last_active * 1000).toISOString(),
        })),
        nextCursor: next === undefined ? null : new URLSearchParams(next.split('?')[1]).get('cursor'),
      }
    },
  }
}

/** The sessions of one editor. */
export type EditorSessions = ReturnType<typeof createEditorSessions>
