import { type AgentContext, type ListSessionsResponse, RequestError } from '@agentclientprotocol/sdk'
import { RefusedError } from '../api.ts'
import type { ThreadRow } from '../frames.ts'
import { createEditorSession, type EditorSession, type EditorSessionParts } from './editor-session.ts'
import { createThreadHistory } from './thread-history.ts'
import type { HistoryPage } from './wire.ts'

/** One that was not used for longest is forgotten for one more; it can be loaded again. */
const MOST_SESSIONS = 64
const LISTED = 50

/** Keeps the sessions of one editor, each a thread with the agent. */
export const createEditorSessions = (parts: EditorSessionParts) => {
  const { session, agent_id } = parts
  const threads = `/agents/${encodeURIComponent(agent_id)}/threads`
  const history = createThreadHistory({ session, agent_id })
  /** By thread, the one that was used last at the end. */
  const sessions = new Map<string, EditorSession>()

  const makeRoom = () => {
    if (sessions.size < MOST_SESSIONS) return
    const idle = [...sessions].find(([, { isBusy }]) => !isBusy)
    if (!idle) throw RequestError.invalidRequest(undefined, `${MOST_SESSIONS} sessions are answered at once`)
    sessions.delete(idle[0])
  }

  const open = (thread_id: string, last_seq: number, client: AgentContext) => {
    makeRoom()
    const opened = createEditorSession({ ...parts, thread_id, last_seq, client })
    sessions.set(thread_id, opened)
    return opened
  }

  const openStored = async (thread_id: string, end: HistoryPage, client: AgentContext) => {
    // What a turn waits for is its last frame, and is to be seen again.
    const last_seq = end.hitl_pending ? end.last_seq - 1 : end.last_seq
    return open(thread_id, last_seq, client)
  }

  const joinRunning = (opened: EditorSession, { turn_active, messages }: HistoryPage) => {
    const turn_id = messages.at(-1)?.turn_id
    if (turn_active && turn_id !== undefined) opened.join(turn_id)
  }

  /** Gives up what is shown of a thread that is opened once more. */
  const leave = async (thread_id: string) => {
    const opened = sessions.get(thread_id)
    if (opened?.isBusy)
      throw RequestError.invalidRequest(undefined, 'a prompt of this session is still being answered')
    sessions.delete(thread_id)
  }

  const finding = async <Found>(thread_id: string, found: Promise<Found>): Promise<Found> =>
    found.catch((error: unknown) => {
      // An id that is none at all is refused in its form.
      const isUnknown = error instanceof RefusedError && [404, 422].includes(error.status)
      throw isUnknown ? RequestError.sessionNotFound(thread_id) : error
    })

  return {
    /** Begins a thread and gives its id. */
    async begin(client: AgentContext): Promise<string> {
      const { thread_id } = await session.request<{ thread_id: string }>({ method: 'POST', path: threads })
      open(thread_id, 0, client)
      return thread_id
    },

    /** Shows all of a thread, then what runs there. */
    async load(thread_id: string, client: AgentContext) {
      await leave(thread_id)
      const { end, messages } = await finding(thread_id, history.readAll(thread_id))
      const opened = await openStored(thread_id, end, client)
      for await (const message of messages) await opened.replay(message)
      joinRunning(opened, end)
    },

    /** Goes on with a thread without showing what was said. */
    async resume(thread_id: string, client: AgentContext) {
      await leave(thread_id)
      const end = await finding(thread_id, history.readEnd(thread_id))
      joinRunning(await openStored(thread_id, end, client), end)
    },

    /** The session of that id; throws where it is not open. */
    get(thread_id: string): EditorSession {
      const found = sessions.get(thread_id)
      if (!found) throw RequestError.sessionNotFound(thread_id)
      sessions.delete(thread_id)
      sessions.set(thread_id, found)
      return found
    },

    /** The session of that id, if it is open. */
    find: (thread_id: string) => sessions.get(thread_id),

    /** Ends what runs in a session and forgets it; the thread stays. */
    async close(thread_id: string) {
      const closing = this.get(thread_id)
      sessions.delete(thread_id)
      await closing.close()
    },

    /** The threads with this agent, a page at a time; they belong to no folder, so to whichever is asked for. */
    async list({ cwd, cursor }: { cwd: string; cursor: string | undefined }): Promise<ListSessionsResponse> {
      const query = new URLSearchParams({ limit: String(LISTED), ...(cursor !== undefined && { cursor }) })
      const { rows, next } = await session.readPage<ThreadRow>(`${threads}?${query}`).catch((error) => {
        if (!(error instanceof RefusedError) || error.status !== 422) throw error
        throw RequestError.invalidParams(undefined, 'this cursor was not given here')
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

/** Keeps the sessions of one editor. */
export type EditorSessions = ReturnType<typeof createEditorSessions>
