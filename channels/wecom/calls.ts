import { randomUUID } from 'node:crypto'
import type { WSClient } from '@wecom/aibot-node-sdk'
import {
  ChannelFailure,
  type ChannelFailureReason,
  type Json,
  type Logger,
  PlatformRefusal,
  toObject,
  untilAborted,
} from '#plugin-api'
import { isSubscriptionLost, toCallFailure } from './failure.ts'
import type { Target } from './frame.ts'

/** Refusals after which a message to the conversation may still be accepted; WeCom has several codes for an old one. */
const UNANSWERABLE: readonly ChannelFailureReason[] = ['not_found', 'unsupported', 'unknown']

/** True if a message may no longer be answerable, or not in this form. */
export const isAnswerRefused = (error: unknown) =>
  error instanceof PlatformRefusal && UNANSWERABLE.includes(error.reason)

/** Number of calls in a row without a confirmation after which a connection counts as dead. */
const MAX_UNCONFIRMED = 2

/** Creates the calls over a socket; `onDead` is called if the connection cannot carry calls any more. */
export function createCalls(client: WSClient, log: Logger, onDead: (error: ChannelFailure) => void) {
  const createHeaders = (req_id: string) => ({ headers: { req_id } })
  let unconfirmed = 0
  /** The call that was made last: it may be why the platform closes the connection. */
  let latestCall: symbol | undefined

  function examine(failure: unknown): void {
    if (!(failure instanceof ChannelFailure)) return
    unconfirmed = failure.reason === 'timeout' ? unconfirmed + 1 : 0
    if (unconfirmed >= MAX_UNCONFIRMED || isSubscriptionLost(failure)) onDead(failure)
  }

  /** Sends a command and resolves with the confirmation's body. Rejects with a `ChannelFailure` or the signal's reason. */
  async function call(
    command: string,
    body: Json,
    signal: AbortSignal,
    req_id = `${command}_${randomUUID()}`,
  ): Promise<Json> {
    signal.throwIfAborted()
    const thisCall = Symbol(command)
    latestCall = thisCall
    const confirmed = client.reply(createHeaders(req_id), body, command).then(
      (confirmation) => {
        unconfirmed = 0
        return confirmation
      },
      (error) => {
        const failure = toCallFailure(command, error, latestCall === thisCall)
        examine(failure)
        throw failure
      },
    )
    return toObject((await untilAborted(signal, confirmed)).body)
  }

  /** Answers the message of a target. */
  async function answer(target: Target, body: Json, signal: AbortSignal): Promise<void> {
    await call('aibot_respond_msg', body, signal, target.req_id)
  }

  /** Sends a message to the conversation of a target. */
  async function push({ chat_id, chat_type }: Target, body: Json, signal: AbortSignal): Promise<void> {
    await call('aibot_send_msg', { chatid: chat_id, chat_type, ...body }, signal)
  }

  return {
    call,
    answer,
    push,

    /**
     * Answers a message. If it can no longer be answered, calls `instead`, which by default pushes the same body to the
     * conversation. Returns true if it was an answer.
     */
    async deliver(
      target: Target,
      body: Json,
      signal: AbortSignal,
      instead = () => push(target, body, signal),
    ): Promise<boolean> {
      try {
        await answer(target, body, signal)
        return true
      } catch (error) {
        if (!isAnswerRefused(error)) throw error
        log.debug(
          { reason: (error as ChannelFailure).message },
          'an answer was refused; it is sent as a message',
        )
        await instead()
        return false
      }
    },

    /** True if an earlier answer to this message waits for its confirmation. */
    isWaiting: ({ req_id }: Target): boolean => client.hasPendingReplyAck(createHeaders(req_id)),
  }
}

/** The commands of the platform. */
export type Calls = ReturnType<typeof createCalls>
