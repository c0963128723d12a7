import { randomUUID } from 'node:crypto'
import { createFollowing, type FollowingParts, type Outcome } from './following.ts'
import { createUserTurn, type FileBlock, type History, type Message } from './frames.ts'
import { shorten } from './printable.ts'
import type { Session } from './session.ts'

const SHOWN_MESSAGES = 6
const SHOWN_COLUMNS = 60
/** The number of messages that are read at a time to find earlier ones. */
const PAGE_SIZE = 50

/** A message as it is sent, and sent again with the same id if it is not certain that it has arrived. */
interface Draft {
  client_message_id: string
  text: string
  /** The files of the message that it replaces. */
  files: FileBlock[]
  /** The message of which it is a new version. */
  replaces?: string
}

/** A message that can be changed and sent again. */
export interface EditableMessage {
  text: string
  /** True if tools were called after it. */
  hasCalls: boolean
  /** Sends the changed text and follows its turn. */
  send(text: string): Promise<Outcome>
}

/** A summary of earlier messages, and the number of messages that it replaces for the model. */
export interface Compaction {
  messages: number
  summary: string
}

/** Creates a conversation with an agent: sends messages in one thread at a time, and shows their turns. */
export const createConversation = (parts: FollowingParts & { session: Session }) => {
  const { agent_id, session, view } = parts
  const threads = `/agents/${encodeURIComponent(agent_id)}/threads`
  const following = createFollowing(parts)
  let model: string | undefined
  /** Files that go with the next message. */
  let attached: FileBlock[] = []
  /** The last message, unless its turn is certain to have begun. */
  let unsent: Draft | undefined

  const readHistory = (id: string, limit: number, cursor?: string) =>
    session.request<History>({
      method: 'GET',
      path: `${threads}/${encodeURIComponent(id)}/history?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
    })

  const enter = (id: string | undefined, lastSeq?: number) => {
    unsent = undefined
    following.select(id, lastSeq)
  }

  /** Reads the messages of the current thread, newest first. */
  async function* readNewestFirst(): AsyncGenerator<Message> {
    const { thread_id } = following
    if (!thread_id) return
    let cursor: string | undefined
    do {
      const { messages, next_cursor } = await readHistory(thread_id, PAGE_SIZE, cursor)
      yield* messages.toReversed()
      cursor = next_cursor ?? undefined
    } while (cursor !== undefined)
  }

  const createDraft = (text: string, replaced?: Message): Draft => ({
    client_message_id: randomUUID(),
    text,
    files: replaced?.content.filter((block) => block.type === 'image' || block.type === 'file') ?? [],
    ...(replaced && { replaces: replaced.id }),
  })

  const deliver = async (draft: Draft, chosenModel = model): Promise<Outcome> => {
    unsent = draft
    if (!following.thread_id) {
      const created = await session.request<{ thread_id: string }>({ method: 'POST', path: threads })
      following.select(created.thread_id, 0)
    }
    const { text, files, ...settings } = draft
    const content = [{ type: 'text' as const, text }, ...files, ...attached]
    const first_frame = createUserTurn(following.thread_id!, content, { ...settings, model: chosenModel })
    const outcome = await following.follow({ first_frame })
    if (outcome.kind === 'failed' && outcome.isRefused) return outcome
    unsent = undefined
    attached = []
    return outcome
  }

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
    renew: () => enter(undefined),

    /** Continues a thread without showing its messages; a turn that waits for a decision is shown and followed. */
    async select(id: string): Promise<Outcome | undefined> {
      const { messages, last_seq, hitl_pending } = await readHistory(id, 1)
      // The request that a turn waits for is its last frame.
      enter(id, hitl_pending ? last_seq - 1 : last_seq)
      if (!hitl_pending) return undefined
      const outcome = await following.follow({ turn_id: messages.at(-1)?.turn_id })
      return outcome.kind === 'ended' ? undefined : outcome
    },

    /** Continues a thread: shows its last messages and follows its running or waiting turn, if there is one. */
    async open(id: string, title = `Thread ${id}`): Promise<Outcome | undefined> {
      const { messages, turn_active, last_seq, queued = [] } = await readHistory(id, SHOWN_MESSAGES)
      view.note(title)
      for (const { text } of queued) view.note(`Waiting: ${shorten(text, SHOWN_COLUMNS)}`)
      if (!turn_active) {
        enter(id, last_seq)
        view.history(id, messages)
        return undefined
      }
      enter(id)
      const outcome = await following.follow({
        onStatus(status) {
          const isStored = status.turn_id ? (turn_id?: string) => turn_id !== status.turn_id : () => true
          view.history(
            id,
            messages.filter((message) => message.role === 'user' || isStored(message.turn_id)),
          )
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
      enter(forked.thread_id, last_seq)
      return forked.thread_id
    },

    /** Has the model summarize the earlier messages of the thread; returns undefined without a thread. */
    async compact(): Promise<Compaction | undefined> {
      const { thread_id } = following
      if (!thread_id) return undefined
      const path = `${threads}/${encodeURIComponent(thread_id)}/compact`
      return session.request<Compaction>({ method: 'POST', path })
    },

    /** Sends a message and follows its turn. */
    send: (text: string): Promise<Outcome> => deliver(createDraft(text)),

    /**
     * Finds the nth message of the user from the end, 1 being the last one; one that was not delivered counts as the last.
     * Without that many it returns their number.
     */
    async findMessage(n: number): Promise<EditableMessage | number> {
      const draft = unsent
      if (draft && n === 1) {
        const send = (text: string) => deliver({ ...draft, client_message_id: randomUUID(), text })
        return { text: draft.text, hasCalls: false, send }
      }
      let count = draft && !draft.replaces ? 1 : 0
      let hasCalls = false
      for await (const message of readNewestFirst()) {
        hasCalls ||= message.content.some(({ type }) => type === 'tool_use')
        if (message.role !== 'user') continue
        count += 1
        if (count === n)
          return { text: textOf(message), hasCalls, send: (text) => deliver(createDraft(text, message)) }
      }
      return count
    },

    /**
     * Sends the last message again if it was not delivered, or else has the last answer written anew; returns undefined
     * without a message.
     */
    async retry(chosenModel = model): Promise<Outcome | undefined> {
      if (unsent) return deliver(unsent, chosenModel)
      const { thread_id } = following
      if (!thread_id || (await this.readLastExchange()).length === 0) return undefined
      const choice = chosenModel === undefined ? {} : { model: chosenModel }
      return following.follow({ first_frame: { type: 'regenerate', thread_id, ...choice } })
    },

    /** Reads the last message of the user, and the beginning of its answer. */
    async readLastExchange(): Promise<Message[]> {
      let answer: Message[] = []
      for await (const message of readNewestFirst()) {
        if (message.role === 'user') return [message, ...answer]
        answer = [message]
      }
      return []
    },

    /** Changes to the version of the conversation that leads through a message, and shows its end. */
    async chooseVersion(message_id: string): Promise<Outcome | undefined> {
      const id = following.thread_id!
      const path = `${threads}/${encodeURIComponent(id)}/path`
      await session.request({ method: 'PUT', path, body: { message_id } })
      return this.open(id, 'Another version is shown:')
    },

    /** Asks the server to end the turn that is followed. */
    stop: following.stop,

    /** Closes the connection. */
    close: following.close,
  }
}

/** Returns the text of a message, without its files. */
export const textOf = ({ content }: Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')

/** A conversation with an agent. */
export type Conversation = ReturnType<typeof createConversation>
