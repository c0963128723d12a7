import type { Client } from '#client'
import type { Approval } from './approval.ts'
import { createDelegations } from './delegations.ts'
import type { ApprovalRequest, Regeneration, SentFrame, TurnFrame, UserTurn } from './frames.ts'
import { createPause } from './pause.ts'
import { isChatError, toTerminalError } from './service.ts'
import type { View } from './view.ts'

/** The time that a lost connection is replaced in, in milliseconds. */
const PATIENCE_MS = 60_000

/**
 * The outcome of following a turn: a turn that failed and `isRefused` has never begun; `ended` if it was over before any of its frames arrived, `paused` if the request that
 * it waits for stays undecided.
 */
export type Outcome =
  | { kind: 'done'; stop_reason: string }
  | { kind: 'failed'; isRefused?: boolean }
  | { kind: 'ended' }
  | { kind: 'paused' }

type TurnStatus = SentFrame<'turn_status'>

/** The turn to follow: that of a new message, otherwise the current turn of the thread. */
interface Beginning {
  /** The frame to send: a message, or the wish for a new version of an answer. */
  first_frame?: UserTurn | Regeneration
  /** The turn's id if it is known, so that the turn is recognized even if it ends before it is subscribed to. */
  turn_id?: string
  /** The turn to follow if none is active. */
  ended_turn_id?: string
  onStatus?(status: TurnStatus): void
}

interface Turn extends Beginning {
  /** Aborted to stop the turn. */
  stopping: AbortController
  /** The frames that are being read. */
  reading: Set<AsyncIterator<unknown>>
  settle(outcome: Outcome): void
  fail(error: unknown): void
}

/** The dependencies of `createFollowing`. */
export interface FollowingParts {
  service: Client
  url: string
  agent_id: string
  approval: Approval
  view: View
  signal: AbortSignal
}

/** Follows one turn of one thread at a time, and gets the decisions that it waits for. */
export const createFollowing = ({ service, url, agent_id, approval, view, signal }: FollowingParts) => {
  let thread_id: string | undefined
  /** The `seq` of the last frame seen; undefined for a running turn of which nothing was seen yet. */
  let last_seq: number | undefined
  /** The state of the thread when it was subscribed to. */
  let status: TurnStatus | undefined
  let turn: Turn | undefined
  const delegations = createDelegations()

  const chat = service.chat(agent_id, {
    patience_ms: PATIENCE_MS,
    onState(state) {
      // While a question is open, the note would appear within the line being typed.
      if (state === 'lost' && turn && !pause.isOpen) view.note('The connection was lost. Reconnecting.')
    },
  })

  const pause = createPause({
    approval,
    view,
    send: (request, decisions) =>
      chat.resume(request, decisions).catch((error: unknown) => {
        throw toTerminalError(error, url)
      }),
  })

  const read = <Frame>(followed: Turn, frames: AsyncIterableIterator<Frame>) => {
    followed.reading.add(frames)
    return frames
  }

  const askFor = (followed: Turn, request: ApprovalRequest) => {
    // Requests that were decided before are replayed as well; only the last frame can be one that still waits.
    if (request.seq < (status?.last_seq ?? 0)) return
    if (followed.stopping.signal.aborted) return chat.stop(request.thread_id)
    if (request.action_requests.some(({ for_client }) => for_client)) {
      view.note('The turn is waiting for results from the program that sent the message.')
      return request.turn_id === followed.turn_id && followed.settle({ kind: 'paused' })
    }
    if (request.turn_id !== followed.turn_id) view.note('The turn before yours needs a decision:')
    const action_requests = request.action_requests.map((action) => {
      const agent = delegations.agentBelow(action.parent_tool_call_id)
      return agent === undefined ? action : { ...action, agent }
    })
    pause
      .open({ ...request, action_requests })
      .then((end) => end === 'left' && followed.settle({ kind: 'paused' }), followed.fail)
  }

  /** Shows a frame of the followed turn; returns the outcome of its last one. */
  const show = (followed: Turn, frame: TurnFrame | SentFrame<'error'>): Outcome | undefined => {
    view.frame(frame)
    switch (frame.type) {
      case 'tool_call':
        delegations.note(frame)
        return undefined
      case 'done':
        return { kind: 'done', stop_reason: frame.stop_reason }
      case 'error':
        return { kind: 'failed' }
      case 'hitl_required':
        askFor(followed, frame)
    }
    return undefined
  }

  /** Gets the decisions that the turn before the sent message waits for. */
  const watchOthers = async (followed: Turn, id: string) => {
    for await (const frame of read(followed, chat.subscribe(id))) {
      // The frames of the followed turn are read from its own iterator.
      if (followed.turn_id !== undefined) return
      if (frame.type === 'turn_status') status = frame
      if (frame.type === 'hitl_resolved') pause.close(frame)
      if (frame.type === 'hitl_required') askFor(followed, frame)
    }
  }

  const noteQueued = (position: number) =>
    view.note(`Your message is waiting for ${position > 1 ? `the ${position} turns` : 'the turn'} before it.`)

  const start = (frame: UserTurn | Regeneration, signal: AbortSignal) => {
    if (frame.type === 'regenerate') {
      const { type, thread_id, ...settings } = frame
      return chat.regenerate(thread_id, { ...settings, signal })
    }
    const { type, text, content, ...settings } = frame
    return chat.turn(text ?? content!, { ...settings, signal })
  }

  const followSent = async (followed: Turn, first_frame: UserTurn | Regeneration) => {
    const frames = start(first_frame, followed.stopping.signal)
    let isQueued = false
    for await (const frame of read(followed, frames)) {
      if (frame.type === 'turn_started') followed.turn_id = frame.turn_id
      if (frame.type === 'hitl_resolved') pause.close(frame)
      const outcome = show(followed, frame)
      if (outcome) return outcome
      if (frame.type === 'turn_queued' && !isQueued) {
        isQueued = true
        noteQueued(frame.position)
        watchOthers(followed, frame.thread_id).catch(followed.fail)
      }
      if (frame.type === 'unqueued') view.note('Your message was withdrawn.')
    }
    return { kind: 'done', stop_reason: 'stopped' } as const
  }

  /** True if no turn runs or waits, and no frame after `lastSeq` is missing. */
  const isOver = ({ active, paused, last_seq }: TurnStatus, lastSeq = last_seq) =>
    !active && !paused && last_seq <= lastSeq

  const receiveStatus = (followed: Turn, received: TurnStatus) => {
    status = received
    followed.turn_id ??= received.turn_id ?? followed.ended_turn_id
    followed.onStatus?.(received)
    followed.onStatus = undefined
  }

  const followThread = async (followed: Turn, id: string): Promise<Outcome> => {
    let lastSeq = last_seq
    const after = lastSeq === undefined ? {} : { after_seq: lastSeq }
    for await (const frame of read(followed, chat.subscribe(id, after))) {
      if (frame.type === 'turn_status') {
        receiveStatus(followed, frame)
        if (isOver(frame, lastSeq)) break
      }
      if (!('seq' in frame)) continue
      lastSeq = frame.seq
      if (frame.type === 'path_changed') view.frame(frame)
      if (frame.type === 'hitl_resolved') pause.close(frame)
      const isFollowed = 'turn_id' in frame && frame.turn_id === followed.turn_id
      const outcome = isFollowed ? show(followed, frame) : undefined
      if (outcome) return outcome
      // The last frame of a thread may belong to no turn.
      if (status && isOver(status, lastSeq)) break
    }
    return { kind: 'ended' }
  }

  /** Returns the outcome of a turn of which only an error is known. */
  const conclude = (followed: Turn, error: unknown): Outcome => {
    signal.throwIfAborted()
    if (isChatError(error) && error.frame) {
      view.frame(error.frame)
      return { kind: 'failed', isRefused: followed.turn_id === undefined }
    }
    if (error === followed.stopping.signal.reason) return { kind: 'done', stop_reason: 'stopped' }
    throw toTerminalError(error, url)
  }

  return {
    /** The current thread; undefined before the first message of a new thread. */
    get thread_id() {
      return thread_id
    },
    /** True if a turn is followed that was not stopped yet. */
    get canStop() {
      return turn !== undefined && !turn.stopping.signal.aborted
    },

    /** Changes to another thread; `after` is the `seq` of the last frame seen there, undefined while a turn runs. */
    select(id: string | undefined, after?: number) {
      thread_id = id
      last_seq = after
    },

    /** Follows a turn of the thread until it ends, or until the request that it waits for stays undecided. */
    async follow(beginning: Beginning): Promise<Outcome> {
      signal.throwIfAborted()
      signal.addEventListener('abort', chat.close)
      status = undefined
      delegations.clear()
      const left = new Promise<Outcome>((settle, fail) => {
        turn = { ...beginning, stopping: new AbortController(), reading: new Set(), settle, fail }
      })
      const followed = turn!
      view.wait()
      try {
        const { first_frame } = beginning
        const running = first_frame ? followSent(followed, first_frame) : followThread(followed, thread_id!)
        return await Promise.race([running, left])
      } catch (error) {
        return conclude(followed, error)
      } finally {
        signal.removeEventListener('abort', chat.close)
        turn = undefined
        pause.end()
        for (const frames of followed.reading) void frames.return?.()
      }
    },

    /** Asks the server to end the turn that is followed. */
    stop() {
      if (!turn) return
      turn.stopping.abort()
      pause.end()
      if (!turn.first_frame && thread_id) chat.stop(thread_id)
    },

    /** Closes the connection. */
    close: chat.close,
  }
}
