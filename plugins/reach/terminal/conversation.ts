import { createFollowing, type FollowingParts, type Outcome } from './following.ts'
import { createUserTurn, type FileBlock, type History } from './frames.ts'
import { shorten } from './printable.ts'
import type { Session } from './session.ts'

const SHOWN_MESSAGES = 6
const SHOWN_COLUMNS = 60

/** Creates a conversation with an agent: sends messages in one thread at a time, and shows their turns. */
export const createConversation = (parts: FollowingParts & { session: Session }) => {
  const { agent_id, session, view } = parts
  const threads = `/agents/${encodeURIComponent(agent_id)}/threads`
  const following = createFollowing(parts)
  let model: string | undefined
  /** Files that go with the next message. */
  let attached: FileBlock[] = []

  const readHistory = (id: string, limit: number) =>
    session.request<History>({
      method: 'GET',
      path: `${threads}/${encodeURIComponent(id)}/history?limit=${limit}`,
    })

  return {
    /** The current thread; undefined before the first message of a new thread. */
    get thread_id() {
      return following.thread_id
    },
    /** True if a turn is followed that was not stopped yet. */
    get canStop() {
      return following.canStop
    },
    /** The model to use; undefined leaves the choice to the thread and the agent. */
    get model() {
      return model
    },
    set model(reference: string | undefined) {
      model = reference
    },

    /** Sends a file of the workspace with the next message. */
    attach(file: FileBlock) {
      attached.push(file)
    },

    /** Leaves the thread; the next message opens a new thread. */
    renew: () => following.select(undefined),

    /** Continues a thread without showing its messages; a turn that waits for a decision is shown and followed. */
    async select(id: string): Promise<Outcome | undefined> {
      const { messages, last_seq, hitl_pending } = await readHistory(id, 1)
      // The request that a turn waits for is its last frame.
      following.select(id, hitl_pending ? last_seq - 1 : last_seq)
      if (!hitl_pending) return undefined
      const outcome = await following.follow({ turn_id: messages.at(-1)?.turn_id })
      return outcome.kind === 'ended' ? undefined : outcome
    },

    /** Continues a thread: shows its last messages and follows its running or waiting turn, if there is one. */
    async open(id: string): Promise<Outcome | undefined> {
      const { messages, turn_active, last_seq, queued = [] } = await readHistory(id, SHOWN_MESSAGES)
      view.note(`Thread ${id}`)
      for (const { text } of queued) view.note(`Waiting: ${shorten(text, SHOWN_COLUMNS)}`)
      if (!turn_active) {
        following.select(id, last_seq)
        view.history(messages)
        return undefined
      }
      following.select(id)
      const outcome = await following.follow({
        onStatus(status) {
          const isStored = status.turn_id ? (turn_id?: string) => turn_id !== status.turn_id : () => true
          view.history(messages.filter((message) => message.role === 'user' || isStored(message.turn_id)))
        },
      })
      return outcome.kind === 'ended' ? this.open(id) : outcome
    },

    /** Continues in a copy of the thread up to its latest reply; returns the copy's id, undefined without a thread. */
    async fork(): Promise<string | undefined> {
      const { thread_id } = following
      if (!thread_id) return undefined
      const forked = await session.request<{ thread_id: string }>({
        method: 'POST',
        path: `${threads}/${encodeURIComponent(thread_id)}/fork`,
        body: { assistant_turns_from_end: 1 },
      })
      const { last_seq } = await readHistory(forked.thread_id, 1)
      following.select(forked.thread_id, last_seq)
      return forked.thread_id
    },

    /** Sends a message and follows its turn. */
    async send(text: string): Promise<Outcome> {
      if (!following.thread_id) {
        const created = await session.request<{ thread_id: string }>({ method: 'POST', path: threads })
        following.select(created.thread_id, 0)
      }
      const files = attached
      attached = []
      const user_turn = createUserTurn(following.thread_id!, [{ type: 'text', text }, ...files], model)
      return following.follow({ user_turn }).catch((error: unknown) => {
        attached.unshift(...files)
        throw error
      })
    },

    /** Asks the server to end the turn that is followed. */
    stop: following.stop,

    /** Closes the connection. */
    close: following.close,
  }
}

/** A conversation with an agent. */
export type Conversation = ReturnType<typeof createConversation>
