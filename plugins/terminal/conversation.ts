import { randomUUID } from 'node:crypto'
import { createFollowing, type FollowingParts, type Outcome } from './following.ts'
import type { FileBlock, History } from './frames.ts'
import { shorten } from './printable.ts'

const SHOWN_MESSAGES = 6
const SHOWN_COLUMNS = 60

/** Holds one thread with an agent: sends what is said in it, and shows what comes of that. */
export const createConversation = (parts: FollowingParts) => {
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
    /** The thread that is held; none before the first message of a new one. */
    get thread_id() {
      return following.thread_id
    },
    /** Whether a turn is followed and was not told to stop. */
    get canStop() {
      return following.canStop
    },
    /** The model that is asked for; none leaves it to the thread and the agent. */
    get model() {
      return model
    },
    set model(reference: string | undefined) {
      model = reference
    },

    /** Has a file of the workspace go with the next message. */
    attach(file: FileBlock) {
      attached.push(file)
    },

    /** Leaves the thread; the next message opens a new one. */
    renew: () => following.hold(undefined),

    /** Continues a thread without showing it, but for what comes of a turn that waits for a decision there. */
    async select(id: string): Promise<Outcome | undefined> {
      const { messages, last_seq, hitl_pending } = await readHistory(id, 1)
      // What a turn waits for is its last frame.
      following.hold(id, hitl_pending ? last_seq - 1 : last_seq)
      if (!hitl_pending) return undefined
      const outcome = await following.follow({ turn_id: messages.at(-1)?.turn_id })
      return outcome.kind === 'ended' ? undefined : outcome
    },

    /** Continues a thread: shows its last messages and follows the turn that runs or waits there, if one does. */
    async open(id: string): Promise<Outcome | undefined> {
      const { messages, turn_active, last_seq, queued = [] } = await readHistory(id, SHOWN_MESSAGES)
      view.note(`Thread ${id}`)
      for (const { text } of queued) view.note(`Waiting: ${shorten(text, SHOWN_COLUMNS)}`)
      if (!turn_active) {
        following.hold(id, last_seq)
        view.history(messages)
        return undefined
      }
      following.hold(id)
      const outcome = await following.follow({
        onStatus(status) {
          const isStored = status.turn_id ? (turn_id?: string) => turn_id !== status.turn_id : () => true
          view.history(messages.filter((message) => message.role === 'user' || isStored(message.turn_id)))
        },
      })
      return outcome.kind === 'ended' ? this.open(id) : outcome
    },

    /** Goes on in a copy of the thread that ends with its latest reply; gives the copy's id, or nothing to copy. */
    async fork(): Promise<string | undefined> {
      const { thread_id } = following
      if (!thread_id) return undefined
      const forked = await session.request<{ thread_id: string }>({
        method: 'POST',
        path: `${threads}/${encodeURIComponent(thread_id)}/fork`,
        body: { assistant_turns_from_end: 1 },
      })
      const { last_seq } = await readHistory(forked.thread_id, 1)
      following.hold(forked.thread_id, last_seq)
      return forked.thread_id
    },

    /** Sends a message and follows its turn. */
    async send(text: string): Promise<Outcome> {
      if (!following.thread_id) {
        const created = await session.request<{ thread_id: string }>({ method: 'POST', path: threads })
        following.hold(created.thread_id, 0)
      }
      const files = attached
      attached = []
      const said = files.length > 0 ? { content: [{ type: 'text' as const, text }, ...files] } : { text }
      return following
        .follow({
          user_turn: {
            type: 'user_turn',
            thread_id: following.thread_id!,
            ...said,
            client_message_id: randomUUID(),
            ...(model === undefined ? {} : { model }),
          },
        })
        .catch((error: unknown) => {
          attached.unshift(...files)
          throw error
        })
    },

    /** Asks the server to end the turn that is followed. */
    stop: following.stop,

    /** Lets go of the connection. */
    close: following.close,
  }
}

/** Holds one thread with an agent. */
export type Conversation = ReturnType<typeof createConversation>
