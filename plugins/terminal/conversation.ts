import { randomUUID } from 'node:crypto'
import { RefusedError } from './api.ts'
import { createConnection } from './connection.ts'
import type { ApprovalRequest, Decision, History, ServerFrame, TurnStatus, UserTurn } from './frames.ts'
import type { Session } from './session.ts'
import type { View } from './view.ts'

const SHOWN_MESSAGES = 6

/** How following a turn came out; `ended` when it was over before anything of it was seen. */
export type Outcome =
  | { kind: 'done'; stop_reason: string }
  | { kind: 'failed' }
  | { kind: 'ended' }
  | { kind: 'paused'; request: ApprovalRequest }

interface Turn {
  /** What is sent, and after a loss sent again, until the server has named the turn. */
  user_turn?: UserTurn
  turn_id?: string
  stopping?: boolean
  onStatus?(status: TurnStatus): void
  settle(outcome: Outcome): void
  fail(error: unknown): void
}

/** Holds one thread with an agent, and follows one turn of it at a time, across losses of the connection. */
export const createConversation = ({
  url,
  agent_id,
  session,
  language,
  view,
  signal,
}: {
  url: string
  agent_id: string
  session: Session
  language: string
  view: View
  signal: AbortSignal
}) => {
  const threads = `/agents/${encodeURIComponent(agent_id)}/threads`
  let thread_id: string | undefined
  /** The last frame seen of what is followed; unknown before a turn that was found running. */
  let last_seq: number | undefined
  /** The thread whose frames the open connection brings. */
  let subscribed: string | undefined
  let turn: Turn | undefined
  let model: string | undefined
  let isQueued = false

  const receiveStatus = (status: TurnStatus) => {
    if (!turn) return
    turn.onStatus?.(status)
    turn.onStatus = undefined
    const isOver = !status.active && !status.paused && status.last_seq <= (last_seq ?? status.last_seq)
    const wasStarted = !turn.user_turn || turn.turn_id !== undefined
    if (isOver && wasStarted) turn.settle({ kind: 'ended' })
  }

  const receive = (frame: ServerFrame) => {
    if (frame.type === 'pong' || !turn || (frame.thread_id ?? thread_id) !== thread_id) return
    if (frame.type === 'turn_status') return receiveStatus(frame)
    if (frame.seq !== undefined) {
      if (frame.seq <= (last_seq ?? 0)) return
      last_seq = frame.seq
    }
    if (frame.type === 'turn_started' && frame.client_message_id === turn.user_turn?.client_message_id)
      turn.turn_id ??= frame.turn_id
    if (frame.turn_id !== undefined && frame.turn_id !== turn.turn_id) {
      if (!isQueued && turn.turn_id === undefined)
        view.note('Another turn is running in this thread; yours is next.')
      isQueued = true
      return
    }
    view.frame(frame)
    if (frame.type === 'done') turn.settle({ kind: 'done', stop_reason: frame.stop_reason })
    else if (frame.type === 'error') turn.settle({ kind: 'failed' })
    else if (frame.type === 'hitl_required') turn.settle({ kind: 'paused', request: frame })
  }

  const connection = createConnection({
    url,
    agent_id,
    session,
    language,
    signal,
    onFrame: receive,
    onRetry: () => view.note('The connection was lost; trying again.'),
    onDrop() {
      subscribed = undefined
      if (turn) sync().catch(turn.fail)
    },
  })

  const sync = async () => {
    await connection.open()
    if (!turn || !thread_id) return
    if (subscribed !== thread_id) {
      connection.send({
        type: 'subscribe',
        thread_id,
        ...(last_seq === undefined ? {} : { after_seq: last_seq }),
      })
      subscribed = thread_id
    }
    if (turn.user_turn && turn.turn_id === undefined) connection.send(turn.user_turn)
    if (turn.stopping) connection.send({ type: 'stop', thread_id })
  }

  const follow = (
    begin: Pick<Turn, 'user_turn' | 'turn_id' | 'stopping' | 'onStatus'>,
    then?: () => Promise<void>,
  ) =>
    new Promise<Outcome>((resolve, reject) => {
      const end = () => {
        turn = undefined
        signal.removeEventListener('abort', abort)
      }
      const settle = (outcome: Outcome) => {
        end()
        resolve(outcome)
      }
      const fail = (error: unknown) => {
        end()
        reject(error)
      }
      const abort = () => fail(signal.reason)
      signal.addEventListener('abort', abort)
      turn = { ...begin, settle, fail }
      isQueued = false
      view.wait()
      sync().then(then).catch(fail)
    })

  const readHistory = (id: string, limit: number) =>
    session.request<History>({
      method: 'GET',
      path: `${threads}/${encodeURIComponent(id)}/history?limit=${limit}`,
    })

  return {
    /** The thread that is held; none before the first message of a new one. */
    get thread_id() {
      return thread_id
    },
    /** Whether a turn is followed and was not told to stop. */
    get canStop() {
      return turn !== undefined && !turn.stopping
    },
    /** The model that is asked for; none leaves it to the thread and the agent. */
    get model() {
      return model
    },
    set model(reference: string | undefined) {
      model = reference
    },

    /** Leaves the thread; the next message opens a new one. */
    renew() {
      thread_id = undefined
    },

    /** Continues a thread without showing it. */
    async select(id: string) {
      const history = await readHistory(id, 1)
      thread_id = id
      last_seq = history.last_seq
      subscribed = undefined
    },

    /** Continues a thread: shows its last messages and follows the turn that runs there, if one does. */
    async open(id: string): Promise<Outcome | undefined> {
      const history = await readHistory(id, SHOWN_MESSAGES)
      view.note(`Thread ${id}`)
      thread_id = id
      last_seq = history.last_seq
      subscribed = undefined
      if (!history.turn_active && !history.hitl_pending) {
        view.history(history.messages)
        return undefined
      }
      last_seq = undefined
      const outcome = await follow({
        onStatus(status) {
          const isStored = status.turn_id ? (turn_id?: string) => turn_id !== status.turn_id : () => true
          if (turn) turn.turn_id = status.turn_id ?? undefined
          view.history(
            history.messages.filter((message) => message.role === 'user' || isStored(message.turn_id)),
          )
        },
      })
      return outcome.kind === 'ended' ? this.open(id) : outcome
    },

    /** Sends a message and follows its turn. */
    async send(text: string): Promise<Outcome> {
      if (!thread_id) {
        const created = await session.request<{ thread_id: string }>({ method: 'POST', path: threads })
        thread_id = created.thread_id
        last_seq = 0
      }
      return follow({
        user_turn: {
          type: 'user_turn',
          thread_id,
          text,
          client_message_id: randomUUID(),
          ...(model === undefined ? {} : { model }),
        },
      })
    },

    /** Asks the server to end the turn that is followed. */
    stop() {
      if (!turn || !thread_id) return
      turn.stopping = true
      if (connection.isOpen) connection.send({ type: 'stop', thread_id })
    },

    /** Decides the calls that a turn waits for and follows it further. */
    resume(request: ApprovalRequest, decisions: Decision[]): Promise<Outcome> {
      subscribed = undefined
      return follow({ turn_id: request.turn_id }, async () => {
        const path = `/agents/${encodeURIComponent(agent_id)}/chat/hitl/resume`
        const body = { thread_id: request.thread_id, decisions }
        await session.request({ method: 'POST', path, body }).catch((error: unknown) => {
          if (!(error instanceof RefusedError) || error.code !== 'HITL_NOT_PENDING') throw error
          // Somebody else was quicker; the turn goes on with what they decided.
          view.note(error.message)
        })
      })
    },

    /** Ends a turn that waits for decisions. */
    abandon(request: ApprovalRequest): Promise<Outcome> {
      subscribed = undefined
      return follow({ turn_id: request.turn_id, stopping: true })
    },

    /** Lets go of the connection. */
    close: () => connection.close(),
  }
}

/** Holds one thread with an agent. */
export type Conversation = ReturnType<typeof createConversation>
