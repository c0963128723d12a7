import { randomUUID } from 'node:crypto'
import type { WSClient } from '@wecom/aibot-node-sdk'
import { type Logger, untilAborted } from '#kernel'
import type { ChannelFailure } from '#plugin-api'
import { explainCallError, RefusedCall } from './failure.ts'
import { type Fields, fieldsOf, type Target } from './frame.ts'

/** The platform's commands. */
export interface Calls {
  /** Resolves with the body of the confirmation; rejects with a `ChannelFailure` or the signal's reason. */
  call(command: string, body: Fields, signal: AbortSignal, req_id?: string): Promise<Fields>
  /** Answers the message of a target. */
  answer(target: Target, body: Fields, signal: AbortSignal): Promise<void>
  /** Writes to the conversation of a target. */
  push(target: Target, body: Fields, signal: AbortSignal): Promise<void>
  /**
   * Answers; where the message can be answered no longer, does what is to be done instead, which is to write the same
   * to its conversation unless said otherwise. Gives whether it was an answer.
   */
  deliver(target: Target, body: Fields, signal: AbortSignal, instead?: () => Promise<void>): Promise<boolean>
  /** Whether an earlier answer to this message waits for its confirmation. */
  isWaiting(target: Target): boolean
}

/** Whether a message can be answered no longer: every refusal may be that, save those that pass. */
export const isAnswerRefused = (error: unknown) =>
  error instanceof RefusedCall && error.reason !== 'rate_limited' && error.reason !== 'unreachable'

/** Makes the calls over a socket. */
export function createCalls(client: WSClient, log: Logger): Calls {
  const headersOf = (req_id: string) => ({ headers: { req_id } })

  async function call(
    command: string,
    body: Fields,
    signal: AbortSignal,
    req_id = `${command}_${randomUUID()}`,
  ): Promise<Fields> {
    signal.throwIfAborted()
    const confirmed = client.reply(headersOf(req_id), body, command).catch((error) => {
      throw explainCallError(command, error)
    })
    return fieldsOf((await untilAborted(signal, confirmed)).body)
  }

  const calls: Calls = {
    call,

    async answer(target, body, signal) {
      await call('aibot_respond_msg', body, signal, target.req_id)
    },

    async push({ chat_id, chat_type }, body, signal) {
      await call('aibot_send_msg', { chatid: chat_id, chat_type, ...body }, signal)
    },

    async deliver(target, body, signal, instead = () => calls.push(target, body, signal)) {
      try {
        await calls.answer(target, body, signal)
        return true
      } catch (error) {
        if (!isAnswerRefused(error)) throw error
        log.debug(
          { reason: (error as ChannelFailure).message },
          'an answer was refused; it goes as a message',
        )
        await instead()
        return false
      }
    },

    isWaiting: ({ req_id }) => client.hasPendingReplyAck(headersOf(req_id)),
  }
  return calls
}
