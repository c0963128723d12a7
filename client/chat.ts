import { ChatError } from './errors.ts'
import type {
  ApprovalRequest,
  Decision,
  InputBlock,
  Regeneration,
  ThreadFrame,
  TurnFrame,
  UserTurn,
} from './frames.ts'
import { createRouting, type RoutingParts, type Turn } from './routing.ts'
import { createThreadReader, type ThreadReader } from './thread-reader.ts'

/** Settings of one turn. */
export interface TurnOptions
  extends Partial<
    Pick<
      UserTurn,
      | 'thread_id'
      | 'project_id'
      | 'session_key'
      | 'model'
      | 'reasoning'
      | 'client_message_id'
      | 'replaces'
      | 'knowledge_base_ids'
      | 'connector_ids'
    >
  > {
  /** Stops the turn, or takes its message back while it waits. */
  signal?: AbortSignal
}

/** Settings of a new version of an answer; without one, the setting of its message applies. */
export interface RegenerateOptions
  extends Pick<Regeneration, 'message_id' | 'model' | 'reasoning' | 'client_message_id'> {
  /** Stops the turn. */
  signal?: AbortSignal
}

/** Settings of a subscription. */
export interface SubscribeOptions {
  /** The `seq` of the last frame seen. Default: the start of the running turn, or else the end of the thread. */
  after_seq?: number
  /** Ends the subscription. */
  signal?: AbortSignal
}

/** The dependencies of a chat. */
interface ChatParts extends RoutingParts {
  /** Sends the decisions about a paused turn. */
  resume(verdict: { thread_id: string; pending_id: string; decisions: Decision[] }): Promise<void>
}

/** Creates a chat with one agent: any number of turns and subscriptions over one connection. */
export const createChat = ({ resume, ...parts }: ChatParts) => {
  const routing = createRouting(parts)

  /** Starts a turn and returns its frames. */
  const start = (
    frame: Turn['frame'],
    signal: AbortSignal | undefined,
  ): AsyncIterableIterator<TurnFrame, undefined> => {
    const turn: Turn = {
      frame,
      state: 'new',
      isKnown: false,
      isStopping: false,
      reader: createThreadReader<TurnFrame>({
        thread_id: frame.thread_id,
        onBehind: () => turn.reader.thread_id && routing.ask(turn.reader.thread_id),
        onLeave: () => routing.endTurn(turn),
      }),
      release: () => signal?.removeEventListener('abort', stop),
    }
    const stop = () => routing.stopTurn(turn, signal?.reason)
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
    else routing.addTurn(turn)
    return turn.reader.iterator
  }

  return {
    /**
     * Sends a message and returns the frames of its turn up to `done`. A failed turn throws a `ChatError`. A lost
     * connection is replaced, and the frames go on without a gap.
     */
    turn(
      message: string | InputBlock[],
      { signal, client_message_id = createId(), ...settings }: TurnOptions = {},
    ): AsyncIterableIterator<TurnFrame, undefined> {
      const content = typeof message === 'string' ? { text: message } : { content: message }
      return start({ type: 'user_turn', ...settings, ...content, client_message_id } as Turn['frame'], signal)
    },

    /** Has the last answer of a thread, or the one with `message_id`, written anew; returns the frames like `turn`. */
    regenerate: (
      thread_id: string,
      { signal, client_message_id = createId(), ...settings }: RegenerateOptions = {},
    ): AsyncIterableIterator<TurnFrame, undefined> =>
      start({ type: 'regenerate', thread_id, ...settings, client_message_id }, signal),

    /** Returns the frames of a thread from a position on, until the reader leaves. */
    subscribe(
      thread_id: string,
      { after_seq, signal }: SubscribeOptions = {},
    ): AsyncIterableIterator<ThreadFrame, undefined> {
      const reader: ThreadReader<ThreadFrame> = createThreadReader<ThreadFrame>({
        thread_id,
        position: after_seq,
        onBehind: () => routing.ask(thread_id),
        onLeave: () => routing.endSubscription(reader),
      })
      const stop = () => routing.endSubscription(reader, signal?.reason)
      signal?.addEventListener('abort', stop)
      if (signal?.aborted) stop()
      else routing.addSubscription(reader, () => signal?.removeEventListener('abort', stop))
      return reader.iterator
    },

    /** Ends the turn of a thread that runs or waits for decisions. */
    stop: (thread_id: string) => routing.send({ type: 'stop', thread_id }),

    /** Takes a message back that waits for its turn. */
    unqueue: (thread_id: string, queue_id: string) => routing.send({ type: 'unqueue', thread_id, queue_id }),

    /** Sends the decisions about the calls of a paused turn, one for each of its requests. */
    resume: (
      { thread_id, pending_id }: Pick<ApprovalRequest, 'thread_id' | 'pending_id'>,
      decisions: Decision[],
    ) => resume({ thread_id, pending_id, decisions }),

    /** Tries to replace a lost connection at once instead of after a pause, for example because the network is back. */
    retryNow: routing.retryNow,

    /** Closes the connection: subscriptions end, unfinished turns throw; on the server they go on. */
    close() {
      routing.close(new ChatError({ code: 'CLOSED', message: 'The chat was closed.' }))
    },
  }
}

/** A chat with one agent. */
export type Chat = ReturnType<typeof createChat>

const createId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
