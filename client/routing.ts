import { type ConnectionOptions, createConnection } from './connection.ts'
import type { Credentials } from './credentials.ts'
import { ChatError } from './errors.ts'
import type {
  ClientFrame,
  Regeneration,
  SentFrame,
  ServerFrame,
  ThreadFrame,
  TurnFrame,
  UserTurn,
} from './frames.ts'
import type { OpenSocket } from './socket/node.ts'
import { isPositioned, type PositionedFrame, type ThreadReader } from './thread-reader.ts'

/** The dependencies of the routing. */
export interface RoutingParts {
  url: string
  headers: Record<string, string>
  credentials: Credentials
  openSocket: OpenSocket
  /** Throws if the server refuses this caller. */
  check(): Promise<void>
  options: ConnectionOptions
}

/** A turn that is followed. */
export interface Turn {
  reader: ThreadReader<TurnFrame>
  frame: (UserTurn | Regeneration) & { client_message_id: string }
  /** `new` until it is sent on the current connection, `sent` until the server has answered. */
  state: 'new' | 'sent' | 'queued' | 'started'
  /** True if it was sent on this or an earlier connection. */
  isKnown: boolean
  isStopping: boolean
  turn_id?: string
  queue_id?: string
  queue_position?: number
  release(): void
}

const BODY_TOO_BIG = 1009
/** The number of turns whose place in their thread is remembered. */
const REMEMBERED_TURNS = 100

/** Creates the routing of the frames of one connection to its turns and subscriptions, across lost connections. */
export const createRouting = ({ options, ...parts }: RoutingParts) => {
  const turns = new Set<Turn>()
  /** The readers of threads, each with the function that releases its signal. */
  const subscriptions = new Map<ThreadReader<ThreadFrame>, () => void>()
  /** The last turns that have begun, by the ids of their messages: the server shows none twice on one connection. */
  const begunTurns = new Map<string, { turn_id: string; thread_id: string; after: number }>()
  /** Frames to send once the connection is open. */
  let waiting: ClientFrame[] = []
  /** The subscriptions that the server has not answered yet, by thread. */
  const unansweredSubscriptions = new Map<string, number>()
  /** Threads whose subscription waits for the answer to a turn, which might have begun before the wanted position. */
  const deferred = new Set<string>()

  const connection = createConnection({
    ...options,
    ...parts,
    isNeeded: () => turns.size > 0 || subscriptions.size > 0 || waiting.length > 0,
    onOpen() {
      for (const turn of turns) if (turn.state === 'new') sendTurn(turn)
      const threads = [...turns].map(({ reader }) => reader.thread_id)
      for (const { thread_id } of subscriptions.keys()) threads.push(thread_id)
      for (const thread_id of new Set(threads)) if (thread_id !== undefined) ask(thread_id)
      for (const frame of waiting) connection.send(frame)
      waiting = []
    },
    onFrame: (frame, size) => receive(frame, size),
    onLost(code) {
      forgetAsked()
      const unanswered = [...turns].filter(({ state }) => state === 'sent')
      // A turn that was not started is sent again under its id, which the server recognizes.
      for (const turn of turns) if (turn.state !== 'started') turn.state = 'new'
      if (code === BODY_TOO_BIG) failLargest(unanswered)
    },
    onFail(error) {
      waiting = []
      for (const turn of turns) endTurn(turn, error)
      for (const reader of subscriptions.keys()) endSubscription(reader, error)
    },
  })

  const forgetAsked = () => {
    unansweredSubscriptions.clear()
    deferred.clear()
  }

  /** The readers that want frames of a thread from a position of their own. */
  const readersOf = (thread_id: string): Pick<ThreadReader<ThreadFrame>, 'thread_id' | 'wanted'>[] =>
    [
      ...[...turns].flatMap(({ state, reader }) => (state === 'started' ? [reader] : [])),
      ...subscriptions.keys(),
    ].filter((reader) => reader.thread_id === thread_id)

  const sendTurn = (turn: Turn) => {
    turn.state = 'sent'
    turn.isKnown = true
    connection.send(turn.frame)
  }

  /** Subscribes to a thread at the lowest position that a reader wants. */
  const ask = (thread_id: string) => {
    if (!connection.isOpen) return
    const positions = readersOf(thread_id).map((reader) => reader.wanted)
    if (positions.length === 0) return
    const isUnanswered = [...turns].some(
      ({ state, frame }) => state === 'sent' && frame.thread_id === thread_id,
    )
    if (isUnanswered) {
      deferred.add(thread_id)
      return
    }
    unansweredSubscriptions.set(thread_id, (unansweredSubscriptions.get(thread_id) ?? 0) + 1)
    const knownPositions = positions.filter((after) => after !== undefined)
    const position =
      knownPositions.length < positions.length ? {} : { after_seq: Math.min(...knownPositions) }
    connection.send({ type: 'subscribe', thread_id, ...position })
  }

  /** Subscribes again if a reader wants earlier frames than those that come after this position. */
  const askBefore = (thread_id: string, position: number) => {
    if (readersOf(thread_id).some((reader) => reader.wanted !== undefined && reader.wanted < position))
      ask(thread_id)
  }

  /** Sends the subscription that had to wait for the answer to a turn. */
  const askDeferred = (thread_id: string | undefined) => {
    if (thread_id !== undefined && deferred.delete(thread_id)) ask(thread_id)
  }

  const sendStop = ({ state, queue_id, reader: { thread_id } }: Turn) => {
    if (!connection.isOpen || thread_id === undefined) return
    if (state === 'started') connection.send({ type: 'stop', thread_id })
    else if (state === 'queued') connection.send({ type: 'unqueue', thread_id, queue_id: queue_id! })
  }

  const beginTurn = (turn: Turn) => {
    const { turn_id, thread_id, after } = begunTurns.get(turn.frame.client_message_id)!
    Object.assign(turn, { state: 'started', isKnown: true, turn_id })
    turn.frame.thread_id = thread_id
    turn.reader.begin(thread_id, after)
  }

  const rememberTurn = (
    client_message_id: string,
    { turn_id, thread_id, seq }: SentFrame<'turn_started'>,
  ) => {
    begunTurns.delete(client_message_id)
    begunTurns.set(client_message_id, { turn_id, thread_id, after: seq - 1 })
    const [oldest] = begunTurns.keys()
    if (begunTurns.size > REMEMBERED_TURNS) begunTurns.delete(oldest!)
  }

  const endTurn = (turn: Turn, error?: unknown) => {
    turns.delete(turn)
    turn.release()
    turn.reader.finish(error)
    askDeferred(turn.frame.thread_id)
  }

  const endSubscription = (reader: ThreadReader<ThreadFrame>, error?: unknown) => {
    subscriptions.get(reader)?.()
    subscriptions.delete(reader)
    reader.finish(error)
  }

  const failLargest = (candidates: Turn[]) => {
    const sizeOf = ({ frame }: Turn) => JSON.stringify(frame).length
    const [largest] = candidates.sort((a, b) => sizeOf(b) - sizeOf(a))
    const message = 'The message is longer than the server accepts.'
    if (largest) endTurn(largest, new ChatError({ code: 'BODY_TOO_LARGE', message }))
  }

  const findTurn = (client_message_id: string | undefined) =>
    [...turns].find(
      ({ frame, state }) => state !== 'started' && frame.client_message_id === client_message_id,
    )

  const receive = (frame: ServerFrame, size: number) => {
    if (isPositioned(frame)) receivePositioned(frame, size)
    else if (frame.type === 'turn_status') receiveStatus(frame, size)
    else if (frame.type === 'turn_queued') receiveQueued(frame, size)
    else if (frame.type === 'unqueued') receiveUnqueued(frame, size)
    else if (frame.type === 'error') receiveRefusal(frame)
  }

  const receivePositioned = (frame: PositionedFrame, size: number) => {
    const { thread_id, seq } = frame
    const begun = frame.type === 'turn_started' ? findTurn(frame.client_message_id) : undefined
    if (begun && frame.type === 'turn_started') {
      rememberTurn(begun.frame.client_message_id, frame)
      beginTurn(begun)
    }
    let isGap = false
    for (const turn of turns) {
      const { reader, state } = turn
      if (state !== 'started' || reader.thread_id !== thread_id) continue
      const isMine = turn.turn_id === frame.turn_id
      if (isMine && frame.type === 'error') {
        if (reader.position === seq - 1) endTurn(turn, toError(frame))
        continue
      }
      const result = reader.take(frame, size, isMine)
      isGap ||= result === 'gap'
      if (isMine && result === 'taken' && frame.type === 'done') endTurn(turn)
    }
    for (const reader of subscriptions.keys()) {
      if (reader.thread_id !== thread_id) continue
      const isFirst = reader.position === undefined
      const result = reader.take(frame, size)
      isGap ||= result === 'gap'
      if (isFirst && result === 'taken') askBefore(thread_id, seq - 1)
    }
    // While a subscription is unanswered, frames of the one before it may arrive.
    if (isGap && !unansweredSubscriptions.has(thread_id)) ask(thread_id)
    if (!begun) return
    if (begun.isStopping) sendStop(begun)
    askDeferred(thread_id)
  }

  const receiveStatus = (frame: SentFrame<'turn_status'>, size: number) => {
    const { thread_id } = frame
    const unanswered = (unansweredSubscriptions.get(thread_id) ?? 0) - 1
    if (unanswered > 0) unansweredSubscriptions.set(thread_id, unanswered)
    else unansweredSubscriptions.delete(thread_id)
    for (const reader of subscriptions.keys()) {
      if (reader.thread_id !== thread_id) continue
      const isFirst = reader.wanted === undefined
      if (isFirst) reader.beginAt(frame)
      reader.addUnpositioned(frame, size)
      if (isFirst && reader.position !== undefined) askBefore(thread_id, reader.position)
    }
    for (const turn of turns)
      if (turn.isStopping && turn.state === 'started' && turn.turn_id === frame.turn_id) sendStop(turn)
  }

  const receiveQueued = (frame: SentFrame<'turn_queued'>, size: number) => {
    const turn = findTurn(frame.client_message_id)
    if (!turn) return
    const isRepeated = turn.queue_id === frame.queue_id && turn.queue_position === frame.position
    Object.assign(turn, { state: 'queued', queue_id: frame.queue_id, queue_position: frame.position })
    turn.frame.thread_id = frame.thread_id
    turn.reader.thread_id = frame.thread_id
    if (!isRepeated) turn.reader.addUnpositioned(frame, size)
    if (turn.isStopping) sendStop(turn)
    askDeferred(frame.thread_id)
  }

  const receiveUnqueued = (frame: SentFrame<'unqueued'>, size: number) => {
    for (const reader of subscriptions.keys())
      if (reader.thread_id === frame.thread_id) reader.addUnpositioned(frame, size)
    for (const turn of turns) {
      if (turn.queue_id !== frame.queue_id) continue
      turn.reader.addUnpositioned(frame, size)
      endTurn(turn)
    }
  }

  /** An error without a position answers a frame of this client. */
  const receiveRefusal = (frame: SentFrame<'error'>) => {
    const { client_message_id } = frame
    // An id that is not valid is not repeated; subscriptions are answered in their order.
    const thread_id =
      frame.thread_id ??
      (client_message_id === undefined ? [...unansweredSubscriptions.keys()][0] : undefined)
    const turn = client_message_id === undefined ? undefined : findTurn(client_message_id)
    if (turn) {
      // It is sent again once the server is back.
      if (frame.code === 'SHUTTING_DOWN') turn.state = 'new'
      else endTurn(turn, toError(frame))
      askDeferred(turn.frame.thread_id)
    } else if (thread_id !== undefined && client_message_id === undefined) {
      unansweredSubscriptions.delete(thread_id)
      for (const other of turns) if (other.reader.thread_id === thread_id) endTurn(other, toError(frame))
      for (const reader of subscriptions.keys())
        if (reader.thread_id === thread_id) endSubscription(reader, toError(frame))
    }
  }

  return {
    /** Sends the message of a turn, and passes the frames of the turn to its reader. */
    addTurn(turn: Turn) {
      turns.add(turn)
      const begunTurn = begunTurns.get(turn.frame.client_message_id)
      if (begunTurn) beginTurn(turn)
      if (!connection.isOpen) connection.need()
      else if (begunTurn) ask(begunTurn.thread_id)
      else sendTurn(turn)
    },

    /** Passes the frames of a thread to a reader; `release` is called at the end. */
    addSubscription(reader: ThreadReader<ThreadFrame>, release: () => void) {
      subscriptions.set(reader, release)
      if (connection.isOpen) ask(reader.thread_id!)
      else connection.need()
    },

    endTurn,
    endSubscription,

    /** Stops a turn, or takes its message back; one that was never sent ends with this error. */
    stopTurn(turn: Turn, error: unknown) {
      if (!turn.isKnown) return endTurn(turn, error)
      turn.isStopping = true
      sendStop(turn)
    },

    /** Asks for the frames that the readers of a thread have not taken. */
    ask,

    /** Sends a frame, once the connection is open. */
    send(frame: ClientFrame) {
      if (connection.isOpen) return connection.send(frame)
      waiting.push(frame)
      connection.need()
    },

    /** Makes the next attempt of a lost connection at once. */
    retryNow: connection.retryNow,

    /** Closes the connection: subscriptions end, unfinished turns end with this error. */
    close(error: unknown) {
      waiting = []
      for (const turn of turns) endTurn(turn, error)
      for (const reader of subscriptions.keys()) endSubscription(reader)
      forgetAsked()
      connection.close()
    },
  }
}

const toError = (frame: SentFrame<'error'>) => new ChatError(frame, { frame })
