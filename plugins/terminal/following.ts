import type { Approval } from './approval.ts'
import { createConnection } from './connection.ts'
import type { ApprovalRequest, ServerFrame, TurnQueued, TurnStatus, Unqueued, UserTurn } from './frames.ts'
import { createPause } from './pause.ts'
import type { Session } from './session.ts'
import type { View } from './view.ts'

/** The close code of a server that was sent more than it takes. */
const MESSAGE_TOO_BIG = 1009

/**
 * How following a turn came out; `ended` when it was over before anything of it was seen, `paused` when what it waits
 * for was left undecided.
 */
export type Outcome =
  | { kind: 'done'; stop_reason: string }
  | { kind: 'failed' }
  | { kind: 'ended' }
  | { kind: 'paused' }

/** What to follow: the turn that a message begins, else the one that the thread has. */
interface Beginning {
  /** What is sent, and after a loss sent again, until the server has named the turn. */
  user_turn?: UserTurn
  /** A turn that is known, also where it ends before it is looked for. */
  turn_id?: string
  onStatus?(status: TurnStatus): void
}

interface Turn extends Beginning {
  /** The name of the message in the queue, as long as it waits. */
  queue_id?: string
  stopping?: boolean
  settle(outcome: Outcome): void
  fail(error: unknown): void
}

/** What a follower of turns works with. */
export interface FollowingParts {
  url: string
  agent_id: string
  session: Session
  language: string
  approval: Approval
  view: View
  signal: AbortSignal
}

/** Follows one turn of one thread at a time, across losses of the connection, and has decided what it waits for. */
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
  /** The last frame seen of what is followed; unknown before a turn that was found running. */
  let last_seq: number | undefined
  /** The thread whose frames the open connection brings. */
  let subscribed: string | undefined
  /** Where the thread stood when it was subscribed to. */
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

  /** Ends the turn that runs, or takes the message back that waits for its own. */
  const stop = () => {
    if (!connection.isOpen || !thread_id || !turn) return
    const { queue_id, turn_id, user_turn } = turn
    if (queue_id !== undefined) connection.send({ type: 'unqueue', thread_id, queue_id })
    // A message of which nothing is known yet is stopped when that is told: what runs now may be another's turn.
    else if (!user_turn || turn_id !== undefined) connection.send({ type: 'stop', thread_id })
  }

  const askFor = (request: ApprovalRequest) => {
    const followed = turn!
    // One that was decided before stands in what is read again; the one that waits is the last there is.
    if (request.seq < (status?.last_seq ?? 0)) return
    if (followed.stopping) return stop()
    if (request.turn_id !== followed.turn_id) view.note('The turn before yours asks:')
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

  /** A turn that is over, or one that has the thread: then what was sent waits for it. */
  const receiveOther = (frame: ServerFrame & { turn_id?: string; seq?: number }) => {
    const isPast = (frame.seq ?? 0) <= (status?.last_seq ?? 0) && frame.turn_id !== status?.turn_id
    if (isPast) return
    if (frame.type === 'hitl_required') askFor(frame)
  }

  const receiveQueued = (frame: TurnQueued) => {
    const followed = turn!
    if (frame.client_message_id !== followed.user_turn?.client_message_id) return
    view.frame(frame)
    const before = frame.position > 1 ? `the ${frame.position} turns` : 'the turn'
    if (followed.queue_id === undefined) view.note(`Your message waits for ${before} before it.`)
    followed.queue_id = frame.queue_id
    if (followed.stopping) stop()
  }

  const receiveUnqueued = (frame: Unqueued) => {
    if (frame.queue_id !== turn!.queue_id) return
    view.frame(frame)
    view.note('Your message was taken back.')
    turn!.settle({ kind: 'done', stop_reason: 'stopped' })
  }

  const receive = (frame: ServerFrame) => {
    if (frame.type === 'pong' || (frame.thread_id ?? thread_id) !== thread_id) return
    if (!turn) {
      // What comes while nothing is followed is read when something is.
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
      // One that was to be taken back has begun first.
      if (turn.stopping) stop()
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
      // It would stand in the line that is being typed.
      if (!pause.isOpen) view.note('The connection was lost; trying again.')
    },
    onDrop(code) {
      subscribed = undefined
      if (code === MESSAGE_TOO_BIG) turn?.fail(new Error('The message is longer than the server takes.'))
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
    if (turn.stopping) stop()
  }

  return {
    /** The thread that is held; none before the first message of a new one. */
    get thread_id() {
      return thread_id
    },
    /** Whether a turn is followed and was not told to stop. */
    get canStop() {
      return turn !== undefined && !turn.stopping
    },

    /** Holds another thread, of which everything behind `after` is still to be seen; unknown where a turn runs. */
    hold(id: string | undefined, after?: number) {
      thread_id = id
      last_seq = after
      subscribed = undefined
      status = undefined
    },

    /** Follows a turn of the thread until it ends, or what it waits for is left undecided. */
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
      stop()
    },

    /** Lets go of the connection. */
    close: () => connection.close(),
  }
}
