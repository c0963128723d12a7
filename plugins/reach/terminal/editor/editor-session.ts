import {
  type AgentContext,
  type ContentBlock,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { createFollowing, type FollowingParts, type Outcome } from '../following.ts'
import {
  createUserTurn,
  type ErrorFrame,
  type InputBlock,
  type Message,
  type ServerFrame,
  type UserTurn,
} from '../frames.ts'
import type { Session } from '../session.ts'
import type { Upload } from '../upload.ts'
import type { View } from '../view.ts'
import { createPermissions } from './permissions.ts'
import { joinWords, readPrompt } from './prompt-content.ts'
import { createSessionUpdates } from './session-updates.ts'
import { toRequestError, toTurnError } from './sign-in.ts'

/** The stop reasons of turns in the protocol's words. */
const STOP_REASONS: Record<string, PromptResponse['stopReason']> = {
  length: 'max_tokens',
  filtered: 'refusal',
  refused: 'refusal',
  max_steps: 'max_turn_requests',
}

/** The server's limit for an answer. */
const MAX_ANSWER_CHARS = 8000

/** The dependencies of every session of an editor. */
export interface EditorSessionParts extends Omit<FollowingParts, 'approval' | 'view'> {
  session: Session
  upload: Upload
  /** The model to use; undefined leaves the choice to the thread and the agent. */
  model: string | undefined
  /** Writes a message for a person to standard error. */
  note(text: string): void
}

/** Creates the session of one thread in an editor: its prompts, one at a time, and turns that others began there. */
export const createEditorSession = ({
  thread_id,
  last_seq,
  client,
  upload,
  model,
  note,
  ...parts
}: EditorSessionParts & {
  thread_id: string
  /** The `seq` of the last frame that the editor was shown. */
  last_seq: number
  client: AgentContext
}) => {
  let lastSeq = last_seq
  let failure: ErrorFrame | undefined
  let prompt: { cancelled: AbortController } | undefined
  /** A message that waits for another turn of the thread, which is paused by a question of its own. */
  let waiting: UserTurn | undefined
  let hasBegun = false
  /** Settles once the followed turn of somebody else is over. */
  let joined: Promise<void> | undefined
  /** Settles once no prompt is running. */
  let idle: Promise<unknown> = Promise.resolve()

  let written: Promise<unknown> = Promise.resolve()

  const send = (update: SessionUpdate) => {
    // A failure to write means that the editor is gone, which ends the whole program.
    written = client.notify('session/update', { sessionId: thread_id, update }).catch(() => undefined)
  }
  const updates = createSessionUpdates(send)

  const show = (frame: ServerFrame) => {
    if ('seq' in frame) lastSeq = Math.max(lastSeq, frame.seq ?? 0)
    if (frame.type === 'error') failure = frame
    if (frame.type === 'turn_started') hasBegun = true
    // A turn that waited in the queue could not be stopped before it began.
    if (frame.type === 'turn_started' && prompt?.cancelled.signal.aborted) following.stop()
    updates.frame(frame)
  }

  const view: View = {
    columns: 0,
    frame: show,
    note,
    fail: (code, message) => note(`${message} (${code})`),
    history: () => undefined,
    wait: () => undefined,
    line: () => undefined,
  }

  const permissions = createPermissions({
    session_id: thread_id,
    client,
    send,
    say: updates.say,
    note,
    stop: () => following.stop(),
  })
  const following = createFollowing({ ...parts, approval: permissions.approval, view })

  const follow = async (beginning: Parameters<typeof following.follow>[0]) => {
    failure = undefined
    following.select(thread_id, lastSeq)
    try {
      return await following.follow(beginning)
    } finally {
      following.close()
      // The open question is replayed first, once it can be answered.
      if (permissions.question) lastSeq = permissions.question.seq - 1
    }
  }

  const conclude = (outcome: Outcome): PromptResponse => {
    if (prompt?.cancelled.signal.aborted) return { stopReason: 'cancelled' }
    switch (outcome.kind) {
      case 'done':
        if (outcome.stop_reason === 'stopped') return { stopReason: 'cancelled' }
        return { stopReason: STOP_REASONS[outcome.stop_reason] ?? 'end_turn' }
      case 'paused':
        return { stopReason: 'end_turn' }
      case 'failed':
        throw toTurnError(failure!, thread_id)
      case 'ended':
        throw toRequestError(new Error('The turn ended, but its result was not received.'))
    }
  }

  const begin = async (user_turn: UserTurn): Promise<Outcome> => {
    hasBegun = false
    const outcome = await follow({ first_frame: user_turn })
    waiting = outcome.kind === 'paused' && !hasBegun ? user_turn : undefined
    return outcome
  }

  /** Answers the open question; undefined if it was answered elsewhere. */
  const answer = async (content: InputBlock[]): Promise<PromptResponse | undefined> => {
    const { turn_id } = permissions.question!
    const words = joinWords(content)
    if ([...words].length > MAX_ANSWER_CHARS)
      throw RequestError.invalidParams(undefined, `an answer has at most ${MAX_ANSWER_CHARS} characters`)
    permissions.answer(words)
    let isUnused = false
    let outcome = await follow({ turn_id }).finally(() => {
      isUnused = permissions.withdrawAnswer()
    })
    if (isUnused) permissions.forget()
    if (waiting && outcome.kind !== 'paused') outcome = await begin(waiting)
    return isUnused && outcome.kind !== 'paused' ? undefined : conclude(outcome)
  }

  const carryOut = async (blocks: ContentBlock[], cancelled: AbortSignal): Promise<PromptResponse> => {
    const content = await readPrompt(blocks, upload, cancelled)
    await joined
    if (cancelled.aborted) return { stopReason: 'cancelled' }
    const answered = permissions.question && (await answer(content))
    if (answered) return answered
    if (cancelled.aborted) return { stopReason: 'cancelled' }
    return conclude(await begin(createUserTurn(thread_id, content, { model })))
  }

  const cancel = () => {
    prompt?.cancelled.abort()
    following.stop()
  }

  return {
    /** True while a turn is followed. */
    get isBusy() {
      return prompt !== undefined || joined !== undefined
    },

    /** Sends a message and shows its turn to the end; throws errors that an editor understands. */
    async prompt(blocks: ContentBlock[]): Promise<PromptResponse> {
      if (prompt)
        throw RequestError.invalidRequest(undefined, 'a prompt of this session is still being answered')
      const cancelled = new AbortController()
      prompt = { cancelled }
      const running = carryOut(blocks, cancelled.signal)
        .catch((error: unknown): PromptResponse => {
          if (cancelled.signal.aborted) return { stopReason: 'cancelled' }
          throw toRequestError(error, thread_id)
        })
        .finally(() => {
          prompt = undefined
        })
      idle = running.catch(() => undefined)
      return running
    },

    /** Shows the turn that runs or waits in the thread; `turn_id` is the last known one. */
    join(turn_id: string) {
      joined = follow({ ended_turn_id: turn_id })
        .then((outcome) => {
          if (outcome.kind === 'failed') updates.say(`${failure!.message} (${failure!.code})`)
        })
        .catch((error: unknown) => note((error as Error).message))
        .finally(() => {
          joined = undefined
        })
    },

    /** Shows a stored message; settles once it is written. */
    async replay(message: Message) {
      updates.message(message)
      await written
    },

    /** Ends the running turn. */
    cancel,

    /** Ends the running turn and waits until it is over. */
    async close() {
      cancel()
      await Promise.all([idle, joined])
    },
  }
}

/** The session of one thread in an editor. */
export type EditorSession = ReturnType<typeof createEditorSession>
