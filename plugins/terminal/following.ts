import type { Approval } from './approval.ts'
import { createConnection } from './connection.ts'
import type { ApprovalRequest, SentFrame, ServerFrame, UserTurn } from './frames.ts'
import { createPause } from './pause.ts'
import type { Session } from './session.ts'
import type { View } from './view.ts'

/** The close code that means that a message was larger than the server accepts. */
const MESSAGE_TOO_BIG = 1009

/**
 * The outcome of following a turn: `ended` if it was over before any of its frames arrived, `paused` if the request that
 * it waits for stays undecided.
 */
export type Outcome =
  | { kind: 'done'; stop_reason: string }
  | { kind: 'failed' }
  | { kind: 'ended' }
  | { kind: 'paused' }

type TurnStatus = SentFrame<'turn_status'>

/** The turn to follow: that of a new message, otherwise the current turn of the thread. */
interface Beginning {
  /** The message to send; it is sent again after a lost connection until the server has named the turn. */
  user_turn?: UserTurn
  /** The turn's id if it is known, so that the turn is recognized even if it ends before it is subscribed to. */
  turn_id?: string
  onStatus?(status: TurnStatus): void
}

interface Turn extends Beginning {
  /** The id of the message in the queue, while it waits there. */
  queue_id?: string
  stopping?: boolean
  settle(outcome: Outcome): void
  fail(error: unknown): void
}

/** The dependencies of `createFollowing`. */
export interface FollowingParts {
  url: string
  agent_id: string
  session: Session
  language: string
  approval: Approval
  view: View
  signal: AbortSignal
}

/** Follows one turn of one thread at a time, across lost connections, and gets the decisions that it waits for. */
export const createFollowing = ({
  url,
  agent_id,
  session,
  language,
  approval,
  view,
  signal,
}: FollowingParts) => {
  let thread_id: string | undefined
  /** The `seq` of the last frame seen; undefined for a running turn of which nothing was seen yet. */
  let last_seq: number | undefined
  /** The thread that the open connection is subscribed to. */
  let subscribed: string | undefined
  /** The state of the thread when it was subscribed to. */
  let status: TurnStatus | undefined
  let turn: Turn | undefined

  const pause = createPause({
    approval,
    view,
    send: (request, decisions) =>
      session.request({
        method: 'POST',
        path: `/agents/${encodeURIComponent(agent_id)}/chat/hitl/resume`,
        body: { thread_id: request.thread_id, decisions },
      }),
  })

  /** Stops the running turn, or withdraws the message that waits in the queue. */
  const sendStop = () => {
    if (!connection.isOpen || !thread_id || !turn) return
    const { queue_id, turn_id, user_turn } = turn
    if (queue_id !== undefined) connection.send({ type: 'unqueue', thread_id, queue_id })
    // Before the server has named the turn, the running turn may belong to another message: stop ours once it is named.
    else if (!user_turn || turn_id !== undefined) connection.send({ type: 'stop', thread_id })
  }

  const askFor = (request: ApprovalRequest) => {
    const followed = turn!
    // Requests that were decided before are replayed as well; only the last frame can be one that still waits.
    if (request.seq < (status?.last_seq ?? 0)) return
    if (followed.stopping) return sendStop()
    if (request.turn_id !== followed.turn_id) view.note('The turn before yours is asking:')
    pause.open(request).then((end) => end === 'left' && followed.settle({ kind: 'paused' }), followed.fail)
  }

  const receiveStatus = (received: TurnStatus) => {
    if (!turn) return
    status = received
    if (!turn.user_turn) turn.turn_id ??= status.turn_id ?? undefined
    turn.onStatus?.(status)
    turn.onStatus = undefined
    const isOver = !status.active && !status.paused && status.last_seq <= (last_seq ?? status.last_seq)
    const wasStarted = !turn.user_turn || turn.turn_id !== undefined
    if (isOver && wasStarted) turn.settle({ kind: 'ended' })
  }

  /** Receives a frame of another turn: a finished one, or the running one that the sent message waits for. */
  const receiveOther = (frame: ServerFrame & { turn_id?: string; seq?: number }) => {
    const isPast = (frame.seq ?? 0) <= (status?.last_seq ?? 0) && frame.turn_id !== status?.turn_id
    if (isPast) return
    if (frame.type === 'hitl_required') askFor(frame)
  }

  const receiveQueued = (frame: SentFrame<'turn_queued'>) => {
    const followed = turn!
    if (frame.client_message_id !== followed.user_turn?.client_message_id) return
    view.frame(frame)
    const before = frame.position > 1 ? `the ${frame.position} turns` : 'the turn'
    if (followed.queue_id === undefined) view.note(`Your message waits for ${before} before it.`)
    followed.queue_id = frame.queue_id
    if (followed.stopping) sendStop()
  }

  const receiveUnqueued = (frame: SentFrame<'unqueued'>) => {
    if (frame.queue_id !== turn!.queue_id) return
    view.frame(frame)
    view.note('Your message was withdrawn.')
    turn!.settle({ kind: 'done', stop_reason: 'stopped' })
  }

  const receive = (frame: ServerFrame) => {
    if (frame.type === 'pong' || (frame.thread_id ?? thread_id) !== thread_id) return
    if (!turn) {
      // Frames that arrive while no turn is followed are read again by the next subscription.
      subscribed = undefined
      return
    }
    if (frame.type === 'turn_status') return receiveStatus(frame)
    if (frame.type === 'turn_queued') return receiveQueued(frame)
    if (frame.type === 'unqueued') return receiveUnqueued(frame)
    if (frame.seq !== undefined) {
      if (frame.seq <= (last_seq ?? 0)) return
      last_seq = frame.seq
    }
    if (frame.type === 'turn_started' && frame.client_message_id === turn.user_turn?.client_message_id) {
      turn.turn_id ??= frame.turn_id
      turn.queue_id = undefined
      // The turn began before its message could be withdrawn.
      if (turn.stopping) sendStop()
    }
    if (frame.type === 'hitl_resolved') pause.close(frame)
    if (frame.turn_id !== undefined && frame.turn_id !== turn.turn_id) return receiveOther(frame)
    view.frame(frame)
    if (frame.type === 'done') turn.settle({ kind: 'done', stop_reason: frame.stop_reason })
    else if (frame.type === 'error') turn.settle({ kind: 'failed' })
    else if (frame.type === 'hitl_required') askFor(frame)
  }

  const connection = createConnection({
    url,
    agent_id,
    session,
    language,
    signal,
    onFrame: receive,
    onRetry() {
      // While a question is open, the note would appear within the line being typed.
      if (!pause.isOpen) view.note('The connection was lost. Reconnecting.')
    },
    onDrop(code) {
      subscribed = undefined
      if (code === MESSAGE_TOO_BIG) turn?.fail(new Error('The message is longer than the server accepts.'))
      else if (turn) sync().catch(turn.fail)
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
    if (turn.stopping) sendStop()
  }

  return {
    /** The current thread; undefined before the first message of a new thread. */
    get thread_id() {
      return thread_id
    },
    /** True if a turn is followed that was not stopped yet. */
    get canStop() {
      return turn !== undefined && !turn.stopping
    },

    /** Changes to another thread; `after` is the `seq` of the last frame seen there, undefined while a turn runs. */
    hold(id: string | undefined, after?: number) {
      thread_id = id
      last_seq = after
      subscribed = undefined
      status = undefined
    },

    /** Follows a turn of the thread until it ends, or until the request that it waits for stays undecided. */
    follow: (beginning: Beginning) =>
      new Promise<Outcome>((resolve, reject) => {
        const end = () => {
          if (turn !== followed) return
          turn = undefined
          pause.end()
          signal.removeEventListener('abort', abort)
        }
        const followed: Turn = {
          ...beginning,
          settle(outcome) {
            end()
            resolve(outcome)
          },
          fail(error) {
            end()
            reject(error)
          },
        }
        const abort = () => followed.fail(signal.reason)
        signal.addEventListener('abort', abort)
        turn = followed
        view.wait()
        sync().catch(followed.fail)
      }),

    /** Asks the server to end the turn that is followed. */
    stop() {
      if (!turn) return
      turn.stopping = true
      pause.end()
      sendStop()
    },

    /** Closes the connection. */
    close: () => connection.close(),
  }
}
