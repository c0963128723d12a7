import { type Chat, ChatError, type Decision, type InputBlock, type TurnOptions } from '#client'
import { client } from '../../server/client.ts'
import { waitToRetry } from '../../server/wake.ts'
import { dropQueued, foldFrame } from './fold-frame.ts'
import { foldNewestPage, foldOlderPage, foldSentElsewhere } from './fold-page.ts'
import { createPublisher } from './publisher.ts'
import { type Block, createView, type HistoryPage, type ThreadView } from './thread-view.ts'

/** The messages of a page of history. */
const PAGE = 50
const RETRY_MS = 2_000

/** Settings of the messages of a conversation. */
export type SendSettings = Pick<TurnOptions, 'model' | 'reasoning' | 'connector_ids' | 'knowledge_base_ids'>

interface Parts {
  chat: Chat
  agent_id: string
  thread_id: string
  /** True if the thread was just created and has no history. */
  isNew: boolean
  /** Called when the server has accepted a message. */
  onAccepted(): void
  /** Called when a turn of the thread begins, pauses, continues or ends. */
  onTurn(): void
}

/** Creates the state of one thread: history first, then the frames after it, until it is closed. */
export function createThreadStore({ chat, agent_id, thread_id, isNew, onAccepted, onTurn }: Parts) {
  const closing = new AbortController()
  const { signal } = closing
  const published = createPublisher<ThreadView>(createView(thread_id, isNew))
  const { update } = published

  const readPage = async (query: { limit: number; cursor?: string }): Promise<HistoryPage> => {
    const path = { id: agent_id, thread_id }
    const { data, error } = await client.GET('/agents/{id}/threads/{thread_id}/history', {
      params: { path, query },
      signal,
    })
    if (error) throw error
    return data
  }

  /** Reads the newest page, again after a lost connection and while the server rebuilds the thread. */
  const begin = async () => {
    for (;;) {
      try {
        const page = await readPage({ limit: PAGE })
        update((view) => foldNewestPage(view, page))
        if (!page.history_loading) return
        await pause(page.history_retry_after_ms ?? RETRY_MS)
      } catch (error) {
        if (!(error instanceof TypeError) || signal.aborted) throw error
        await waitToRetry(RETRY_MS)
      }
    }
  }

  const follow = async () => {
    for await (const frame of chat.subscribe(thread_id, { after_seq: published.latest().last_seq, signal })) {
      const previous = published.latest()
      update((view) => foldFrame(view, frame))
      const { active, pending, turns, isStale } = published.latest()
      if (isStale) await begin()
      if (active !== previous.active || pending !== previous.pending) onTurn()
      if (frame.type === 'turn_started' && turns.at(-1)?.messages.some(({ isUnread }) => isUnread))
        fillIn().catch(() => {})
    }
  }

  /** Reads the message that another page has sent. */
  const fillIn = async () => {
    const page = await readPage({ limit: PAGE })
    update((view) => foldSentElsewhere(view, page))
  }

  const run = async () => {
    try {
      if (published.latest().status !== 'ready') await begin()
      await follow()
    } catch (error) {
      if (!signal.aborted) update((view) => ({ ...view, error }))
    }
  }

  let loading: Promise<void> | undefined
  const loadOlder = async () => {
    const { older } = published.latest()
    if (older === null) return
    const page = await readPage({ limit: PAGE, cursor: older })
    // If another version was chosen meanwhile, the page is of the former path.
    update((view) => (view.older === older ? foldOlderPage(view, page) : view))
  }

  /** Sends a message; with `replaces`, as a new version of another one. */
  const send = (
    content: readonly InputBlock[],
    settings: SendSettings & { replaces?: string } = {},
  ): Promise<void> => {
    const client_message_id = createId()
    const start = () => chat.turn([...content], { thread_id, client_message_id, ...settings })
    return say(client_message_id, content, start, () => void send(content, settings))
  }

  /** Has an answer written anew. */
  const regenerate = (
    message_id: string,
    settings: Pick<SendSettings, 'model' | 'reasoning'> = {},
  ): Promise<void> => {
    const client_message_id = createId()
    const start = () => chat.regenerate(thread_id, { message_id, client_message_id, ...settings })
    return say(client_message_id, [], start, () => void regenerate(message_id, settings))
  }

  const say = async (
    client_message_id: string,
    content: readonly InputBlock[],
    start: () => ReturnType<Chat['turn']>,
    again: () => void,
  ) => {
    const drop = (view: ThreadView) =>
      view.outgoing.filter((one) => one.client_message_id !== client_message_id)
    update((view) => ({ ...view, outgoing: [...view.outgoing, { client_message_id, content, again }] }))
    published.flush()
    try {
      for await (const frame of start()) {
        if (frame.type === 'turn_queued') {
          const { queue_id } = frame
          const waiting = { queue_id, client_message_id, content, text: readText(content) }
          update((view) =>
            // A turn that has begun meanwhile no longer waits.
            view.turns.some(({ id }) => id === queue_id)
              ? { ...view, outgoing: drop(view) }
              : {
                  ...dropQueued(view, queue_id),
                  outgoing: drop(view),
                  queued: [...dropQueued(view, queue_id).queued, waiting],
                },
          )
          onAccepted()
        }
        // From here on the subscription shows the turn.
        if (frame.type === 'turn_started' || frame.type === 'unqueued') break
      }
      onAccepted()
    } catch (error) {
      const refusal =
        error instanceof ChatError ? error : new ChatError({ code: 'CLOSED', message: String(error) })
      // A turn that began and failed shows its error itself.
      if (refusal.frame?.seq !== undefined) return onAccepted()
      update((view) => ({
        ...view,
        outgoing: view.outgoing.map((one) =>
          one.client_message_id === client_message_id ? { ...one, error: refusal } : one,
        ),
      }))
    }
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    })

  void run()

  return {
    thread_id,
    agent_id,
    read: published.read,
    latest: published.latest,
    listen: published.listen,
    send,
    regenerate,

    /** Has the thread show the version of a message, and what followed it. */
    async choose(message_id: string) {
      const path = { id: agent_id, thread_id }
      const { error } = await client.PUT('/agents/{id}/threads/{thread_id}/path', {
        params: { path },
        body: { message_id },
      })
      if (error) throw error
    },

    /** Removes a message that was refused. */
    dismiss: (client_message_id: string) =>
      update((view) => ({
        ...view,
        outgoing: view.outgoing.filter((one) => one.client_message_id !== client_message_id),
      })),

    stop: () => chat.stop(thread_id),
    unqueue: (queue_id: string) => chat.unqueue(thread_id, queue_id),

    /** Sends the decisions about the calls of the paused turn. */
    decide: (pending_id: string, decisions: Decision[]) => chat.resume({ thread_id, pending_id }, decisions),

    /** Reads the page before the oldest message that was read. */
    loadOlder: () => {
      loading ??= loadOlder().finally(() => {
        loading = undefined
      })
      return loading
    },

    /** Reads older pages until a number of messages are there, or all of them. */
    loadMessages: async (count: number) => {
      const isShort = ({ older, turns }: ThreadView) =>
        older !== null && turns.reduce((sum, { messages }) => sum + messages.length, 0) < count
      while (isShort(published.latest())) await loadOlder()
      published.flush()
    },

    /** Reads the thread again after a failure. */
    retry: () => {
      update((view) => ({ ...createView(thread_id), outgoing: view.outgoing }))
      void run()
    },

    close: () => closing.abort(),
  }
}

/** The state of one thread, outside of React. */
export type ThreadStore = ReturnType<typeof createThreadStore>

/** The text of a message, without its files. */
export const readText = (content: readonly { type: string; text?: string }[]) =>
  content.flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join('\n\n')

/** The files of a message. */
export const readFiles = (content: readonly Block[]) =>
  content.flatMap((block) => (block.type === 'image' || block.type === 'file' ? [block] : []))

const createId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
