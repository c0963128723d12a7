import {
  type AgentContext,
  type ContentBlock,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { createFollowing, type FollowingParts, type Outcome } from '../following.ts'
import type { ErrorFrame, InputBlock, ServerFrame, UserTurn } from '../frames.ts'
import type { Upload } from '../upload.ts'
import type { View } from '../view.ts'
import { createPermissions } from './permissions.ts'
import { readPrompt, wordsOf } from './prompt-content.ts'
import { toRequestError, toTurnError } from './request-errors.ts'
import { createSessionUpdates } from './session-updates.ts'
import { toUserTurn } from './turn-input.ts'
import type { EditorFrame, StoredMessage } from './wire.ts'

/** The server's limit for an answer, in characters. */
const LONGEST_ANSWER = 8000

/** What every session of an editor works with. */
export interface EditorSessionParts extends Omit<FollowingParts, 'approval' | 'view'> {
  upload: Upload
  /** The model that is asked for; none leaves it to the thread and the agent. */
  model: string | undefined
  /** Tells the person who looks at the program's own output. */
  note(text: string): void
}

/** Carries on one thread in an editor: its prompts, one at a time, and what runs there besides. */
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
  /** The last frame that the editor was shown. */
  last_seq: number
  client: AgentContext
}) => {
  let seen = last_seq
  let failure: ErrorFrame | undefined
  let prompt: { cancelled: AbortController } | undefined
  /** What was sent while another turn had the thread, which asks something before it gives it free. */
  let waiting: UserTurn | undefined
  let hasBegun = false
  /** A turn that is followed though this editor did not begin it. */
  let joined: Promise<void> | undefined
  /** Whatever runs; settles once it is over. */
  let idle: Promise<unknown> = Promise.resolve()

  let written: Promise<unknown> = Promise.resolve()

  const send = (update: SessionUpdate) => {
    // A failure to write means that the editor is gone, which ends the whole program.
    written = client.notify('session/update', { sessionId: thread_id, update }).catch(() => undefined)
  }
  const updates = createSessionUpdates(send)

  const show = (frame: ServerFrame) => {
    if ('seq' in frame) seen = Math.max(seen, frame.seq ?? 0)
    if (frame.type === 'error') failure = frame
    if (frame.type === 'turn_started') hasBegun = true
    // A turn that had to wait could not be stopped before it began.
    if (frame.type === 'turn_started' && prompt?.cancelled.signal.aborted) following.stop()
    updates.frame(frame as EditorFrame)
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
    following.hold(thread_id, seen)
    try {
      return await following.follow(beginning)
    } finally {
      following.close()
      // What is asked is the first to be read again, once it can be answered.
      if (permissions.question) seen = permissions.question.seq - 1
    }
  }

  const conclude = (outcome: Outcome): PromptResponse => {
    if (prompt?.cancelled.signal.aborted) return { stopReason: 'cancelled' }
    switch (outcome.kind) {
      case 'done':
        if (outcome.stop_reason === 'stopped') return { stopReason: 'cancelled' }
        return { stopReason: outcome.stop_reason === 'max_steps' ? 'max_turn_requests' : 'end_turn' }
      case 'paused':
        return { stopReason: 'end_turn' }
      case 'failed':
        throw toTurnError(failure!, thread_id)
      case 'ended':
        throw toRequestError(new Error('The turn is over, but how it ended was not received.'))
    }
  }

  const begin = async (user_turn: UserTurn): Promise<Outcome> => {
    hasBegun = false
    const outcome = await follow({ user_turn })
    waiting = outcome.kind === 'paused' && !hasBegun ? user_turn : undefined
    return outcome
  }

  /** Answers the question that is open; nothing where it had been answered elsewhere. */
  const answer = async (content: InputBlock[]): Promise<PromptResponse | undefined> => {
    const { turn_id } = permissions.question!
    const words = wordsOf(content)
    if ([...words].length > LONGEST_ANSWER)
      throw RequestError.invalidParams(undefined, `an answer has at most ${LONGEST_ANSWER} characters`)
    permissions.answer(words)
    let isLeft = false
    let outcome = await follow({ turn_id }).finally(() => {
      isLeft = permissions.takeBack()
    })
    if (isLeft) permissions.forget()
    if (waiting && outcome.kind !== 'paused') outcome = await begin(waiting)
    return isLeft && outcome.kind !== 'paused' ? undefined : conclude(outcome)
  }

  const carryOut = async (blocks: ContentBlock[], cancelled: AbortSignal): Promise<PromptResponse> => {
    const content = await readPrompt(blocks, upload, cancelled)
    await joined
    if (cancelled.aborted) return { stopReason: 'cancelled' }
    const answered = permissions.question && (await answer(content))
    if (answered) return answered
    if (cancelled.aborted) return { stopReason: 'cancelled' }
    return conclude(await begin(toUserTurn(thread_id, content, model)))
  }

  const followRunning = async (turn_id: string): Promise<Outcome> => {
    let tellOver = () => {}
    const over = new Promise<undefined>((resolve) => {
      tellOver = () => resolve(undefined)
    })
    const running = follow({
      onStatus({ active, last_seq }) {
        if (!active && last_seq > seen) tellOver()
      },
    })
    // One that ended since it was read is not waited for, but what it still brought is read under its id.
    return (await Promise.race([running, over])) ?? follow({ turn_id })
  }

  const cancel = () => {
    prompt?.cancelled.abort()
    following.stop()
  }

  return {
    /** Whether a turn is followed. */
    get isBusy() {
      return prompt !== undefined || joined !== undefined
    },

    /** Sends a message and shows its turn to the end; throws what the editor is to be answered. */
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

    /** Shows the turn that runs or waits in the thread, which was the one of that id when last seen. */
    join(turn_id: string) {
      joined = followRunning(turn_id)
        .then((outcome) => {
          if (outcome.kind === 'failed') updates.say(`${failure!.message} (${failure!.code})`)
        })
        .catch((error: unknown) => note((error as Error).message))
        .finally(() => {
          joined = undefined
        })
    },

    /** Tells what a stored message says; settles once that is written. */
    async replay(message: StoredMessage) {
      updates.message(message)
      await written
    },

    /** Ends the turn that runs. */
    cancel,

    /** Ends the turn that runs, and waits until it is over. */
    async close() {
      cancel()
      await Promise.all([idle, joined])
    },
  }
}

/** Carries on one thread in an editor. */
export type EditorSession = ReturnType<typeof createEditorSession>
