import { setTimeout as pause } from 'node:timers/promises'
import { AppError, type FrameOf, type Issue } from '#plugin-api'
import type { ThreadDocument } from './documents.ts'
import { receivedFrames, sentFrames } from './frames.ts'
import type { EventStream } from './ledger/follow.ts'
import { subscribe } from './ledger/follow.ts'
import { type Cradle, socket } from './manifest.ts'
import { toQuestion } from './question.ts'
import type { KnownTurn } from './queue/client-messages.ts'

const DESCRIPTION = `Send a \`user_turn\` and read frames until \`done\` or \`error\`. One connection can follow several threads.

### Order

A turn sends \`turn_started\` first, then what happens in it, then \`done\` or \`error\` as its last frame. A thread runs one turn at a time: a message that has to wait is answered by \`turn_queued\`. After \`hitl_required\` the turn is paused until its requests are decided by \`POST /agents/{id}/chat/hitl/resume\`, or it is stopped, or they expire.

### Resume

Frames of a turn carry a \`seq\`, which rises by one within the thread, and are stored before they are sent. After a cut, send \`subscribe\` with the last \`seq\` that you have as \`after_seq\`: each frame after it follows, none missing and none twice, also after a restart of the server. Whether your last message arrived you need not know: send it again with the same \`client_message_id\`, which starts no second turn.`

const declared = socket({
  path: '/agents/:id/chat/ws',
  operation_id: 'chatWithAgent',
  summary: 'Chat with an agent',
  description: DESCRIPTION,
  guard: 'agent',
  scope: 'chat',
  receive: receivedFrames,
  send: sentFrames,
  repeats: ['thread_id', 'client_message_id'],
  closes: {
    1001: 'The server is shutting down. Connect again and subscribe.',
    1008: 'You sent too many frames, or too many bad ones in a row, or the agent is no longer available to you.',
    1013: 'You read too slowly. Connect again and subscribe.',
  },
})

type Received = FrameOf<typeof receivedFrames>
type UserTurn = Extract<Received, { type: 'user_turn' | 'regenerate' }>
/** A message that was sent before. */
type RepeatedTurn = UserTurn & { client_message_id: string }

/** The interval at which a turn is looked for that was stored but has no event yet, in milliseconds. */
const BEGINNING_POLL_MS = 500

/** The refusal of a project for a thread that exists. */
const NEW_ONLY: Issue = {
  path: '/project_id',
  rule: 'newThread',
  message:
    'is for a new thread; change the project of this thread with PATCH /agents/{id}/threads/{thread_id}',
}

/** The refusal of a version in a thread that does not exist. */
const OLD_ONLY: Issue = {
  path: '/replaces',
  rule: 'existingThread',
  message: 'needs the thread of the message as thread_id or session_key',
}

type HandlerParts = Parameters<Parameters<typeof declared.handle>[0]>

/** The chat WebSocket. */
export const chatSocket = declared.handle(
  (connection, request, cradle) => new ChatConnection(connection, request, cradle),
)

/** The turns, subscriptions, stops and keepalive of one connection. A class, because thousands of them may be idle. */
class ChatConnection {
  readonly #connection: HandlerParts[0]
  readonly #request: HandlerParts[1]
  readonly #cradle: Cradle
  readonly #subscriptions = new Map<string, EventStream>()
  #isClosed = false

  constructor(connection: HandlerParts[0], request: HandlerParts[1], cradle: Cradle) {
    this.#connection = connection
    this.#request = request
    this.#cradle = cradle
  }

  async message(frame: Received): Promise<void> {
    const { chat, threads, turnQueue } = this.#cradle
    switch (frame.type) {
      case 'ping':
        return this.#connection.send({ type: 'pong' })
      case 'user_turn':
      case 'regenerate':
        return this.#startTurn(frame).catch((error) => this.#reportFailure(error, frame))
      case 'stop': {
        const thread = await threads.get(this.#owner, frame.thread_id)
        chat
          .stop(thread)
          .then(async (isStopped) => {
            if (!isStopped) await this.#sendStatus(thread._id)
          })
          .catch((error) => this.#connection.sendError(error, { thread_id: thread._id }))
        return
      }
      case 'unqueue': {
        const { thread_id, queue_id } = frame
        const isTakenBack = await turnQueue.takeBack(this.#owner, thread_id, queue_id)
        if (!isTakenBack) await this.#sendStatus(thread_id)
        else if (!this.#subscriptions.has(thread_id))
          this.#connection.send({ type: 'unqueued', thread_id, queue_id })
        return
      }
      case 'subscribe': {
        const { start_seq, elsewhere, last_seq, queued } = await this.#sendStatus(frame.thread_id)
        if (queued.length > 0) turnQueue.watch(frame.thread_id)
        const after = Math.min(frame.after_seq ?? start_seq, last_seq)
        this.#attach(frame.thread_id, after, elsewhere ? 'elsewhere' : 'ledger')
      }
    }
  }

  close(): void {
    this.#isClosed = true
    for (const subscription of this.#subscriptions.values()) subscription.end()
  }

  get #owner() {
    const { caller, agent } = this.#request.context
    return { user_id: caller.id, agent_id: agent._id }
  }

  #reportFailure(error: unknown, { thread_id, client_message_id }: Partial<UserTurn>): void {
    this.#connection.sendError(error, { thread_id, client_message_id })
  }

  #attach(thread_id: string, after: number, from: 'ledger' | 'now' | 'elsewhere'): void {
    // The connection may have been closed while its frame was handled.
    if (this.#isClosed) return
    const { user_id } = this.#owner
    this.#subscriptions.get(thread_id)?.end()
    const start = { thread_id, user_id, after, from }
    this.#subscriptions.set(thread_id, subscribe(start, this.#connection, this.#cradle))
  }

  async #startTurn(frame: UserTurn): Promise<void> {
    const { agents, chat, clientMessages, models, threadProjects, threads } = this.#cradle
    const { caller } = this.#request.context
    const { user_id, agent_id } = this.#owner
    const { client_message_id, model } = frame
    const { project_id } = { project_id: undefined, ...frame }
    const question = toQuestion(
      frame.type === 'regenerate' ? { ...frame, regenerate: frame.message_id ?? true } : frame,
    )
    const [agent, repeated, existingThread] = await Promise.all([
      agents.findRecent(caller, agent_id),
      client_message_id === undefined ? null : clientMessages.findRepeated(this.#owner, client_message_id),
      this.#findThread(frame),
    ])
    if (repeated && (await this.#follow(repeated, frame as RepeatedTurn))) return
    if (agent?.state !== 'running')
      throw new AppError('AGENT_NOT_RUNNING', { state: agent?.state ?? 'deleted' })
    if (model) await models.assertUsable(model, user_id)
    await agents.assertSearchable(user_id, question.settings?.knowledge_base_ids)
    const isNew = !existingThread && frame.thread_id === undefined
    if (project_id !== undefined && !isNew) throw new AppError('VALIDATION_FAILED', { issues: [NEW_ONLY] })
    await threadProjects.assertVisible(user_id, project_id)
    if (question.version && isNew) throw new AppError('VALIDATION_FAILED', { issues: [OLD_ONLY] })
    const thread = isNew
      ? await threadProjects.settle(
          await threads.create(this.#owner, project_id === undefined ? {} : { project_id }),
        )
      : existingThread
    if (thread && !this.#subscriptions.has(thread._id)) this.#join(thread, client_message_id)
    const thread_id = thread?._id ?? frame.thread_id!
    chat
      .start({
        thread_id,
        agent,
        user: caller,
        client_message_id,
        ...question,
        locale: this.#request.locale,
        request_id: this.#request.request_id,
      })
      .then(async (started) => {
        if (started.outcome === 'started') return started.ended
        if (started.outcome === 'queued') {
          const { turn_id: queue_id, position } = started
          this.#connection.send({ type: 'turn_queued', thread_id, client_message_id, queue_id, position })
          return
        }
        const { turn } = started
        if (!(await this.#follow(turn, frame as RepeatedTurn))) await this.#sendStatus(turn.thread_id)
        if (isNew) await this.#discard(thread_id)
      })
      .catch(async (error) => {
        this.#reportFailure(error, { thread_id, client_message_id })
        if (isNew && error instanceof AppError && error.code === 'TOO_MANY_TURNS')
          await this.#discard(thread_id)
      })
  }

  /**
   * Shows the turn of a repeated message from the position of this connection on, on whatever server the turn runs, or
   * reports that it is queued. Returns false if the message was taken back.
   */
  async #follow(repeatedTurn: KnownTurn, frame: RepeatedTurn): Promise<boolean> {
    const { clientMessages, history, queuedTurns, threads, turnQueue } = this.#cradle
    const { thread_id, turn_id, first_seq } = repeatedTurn
    const { client_message_id } = frame
    const thread = await threads.get(this.#owner, thread_id)
    if (first_seq !== null) {
      const { elsewhere } = await history.status(thread)
      const after = this.#subscriptions.get(thread_id)?.position ?? first_seq - 1
      this.#attach(thread_id, after, elsewhere ? 'elsewhere' : 'ledger')
      void this.#awaitBeginning(repeatedTurn, frame)
      return true
    }
    const position = await queuedTurns.positionOf(thread_id, turn_id)
    if (position !== undefined) {
      turnQueue.watch(thread_id)
      if (!this.#subscriptions.has(thread_id)) this.#join(thread, client_message_id)
      this.#connection.send({
        type: 'turn_queued',
        thread_id,
        client_message_id,
        queue_id: turn_id,
        position,
      })
      return true
    }
    const current = await clientMessages.findRepeated(this.#owner, client_message_id)
    if (current && current.first_seq !== null) return this.#follow(current, frame)
    await clientMessages.forget(turn_id)
    return false
  }

  /** Sends a repeated message anew if its turn never begins, because a crash came before its first event. */
  async #awaitBeginning({ thread_id, turn_id, first_seq }: KnownTurn, frame: RepeatedTurn): Promise<void> {
    const { clientMessages, ledger, running, threads } = this.#cradle
    const { client_message_id } = frame
    try {
      for (; !this.#isClosed; await pause(BEGINNING_POLL_MS)) {
        const { active_turn } = await threads.get(this.#owner, thread_id)
        // A turn lets go of its thread only after its first event, so the event is read last.
        const current = await clientMessages.findRepeated(this.#owner, client_message_id)
        if ((await ledger.find(thread_id, first_seq!))?.turn_id === turn_id) return
        const isStarting = running.get(thread_id)?.client_message_id === client_message_id
        if (active_turn?.turn_id === turn_id || isStarting) continue
        if (current?.turn_id === turn_id && current.first_seq !== null) await clientMessages.forget(turn_id)
        return await this.#startTurn(frame)
      }
    } catch (error) {
      this.#reportFailure(error, { thread_id, client_message_id })
    }
  }

  async #sendStatus(thread_id: string) {
    const { history, threads } = this.#cradle
    const thread = await threads.get(this.#owner, thread_id)
    const { start_seq, elsewhere, ...status } = await history.status(thread)
    this.#connection.send({ type: 'turn_status', thread_id, ...status })
    return { start_seq, elsewhere, ...status }
  }

  /** Subscribes to a thread from now on, including all of the turn that this message has just started. */
  #join(thread: ThreadDocument, client_message_id: string | undefined): void {
    const { chat, running } = this.#cradle
    const current = running.get(thread._id)
    if (current?.opened && client_message_id !== undefined && current.client_message_id === client_message_id)
      this.#attach(thread._id, current.opened.lease.first_seq - 1, 'ledger')
    else this.#attach(thread._id, chat.positionOf(thread), 'now')
  }

  /**
   * Finds the thread that a turn is meant for; undefined if this connection reads it already or the turn starts a new
   * one.
   */
  async #findThread(frame: UserTurn): Promise<ThreadDocument | undefined> {
    const { threads } = this.#cradle
    const { thread_id, session_key } = { session_key: undefined, ...frame }
    if (thread_id) return this.#subscriptions.has(thread_id) ? undefined : threads.get(this.#owner, thread_id)
    return session_key === undefined ? undefined : threads.getBySession(this.#owner, session_key)
  }

  /** Removes a thread that was created for a turn which another connection has already started. */
  async #discard(thread_id: string): Promise<void> {
    const { chat, threads } = this.#cradle
    this.#subscriptions.get(thread_id)?.end()
    this.#subscriptions.delete(thread_id)
    await chat.purge(await threads.hide({ ...this.#owner, _id: thread_id }))
  }
}
