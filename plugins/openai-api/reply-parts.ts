import { AppError, type ErrorCode, type Locale } from '#kernel'
import { addUsage, NO_USAGE, type TokenUsage } from '#plugin-api'
import type { FrameFields, LedgerEvent } from '../chat/ledger/ledger-event.ts'
import { describePause } from './phrases.ts'

/** A piece of an agent's reply. Pieces of one message of the turn share their `message_id`. */
export type ReplyPart =
  | { type: 'text' | 'reasoning'; message_id: string; text: string }
  | { type: 'end'; finish: 'stop' | 'length' | 'content_filter'; usage: TokenUsage }

/** The fields of an event that a reply is made from. */
export type TurnEvent = Pick<LedgerEvent, 'type' | 'frame' | 'finish_reason'>

/** Separates what the agent says before and after its calls. */
const SEPARATOR = '\n\n'

/**
 * Converts the events of a turn to its reply. A turn that pauses ends its reply with a sentence about the approval.
 * Throws the error of the turn; ends without an `end` if the events do.
 */
export async function* toReplyParts(
  events: AsyncIterable<TurnEvent>,
  { agent_id, locale }: { agent_id: string; locale: Locale },
): AsyncGenerator<ReplyPart, void, void> {
  let usage: TokenUsage = { ...NO_USAGE }
  let finish: 'stop' | 'length' | 'content_filter' = 'stop'
  let said: string | undefined
  const say = (message_id: string, text: string): ReplyPart => {
    const separator = said === undefined || said === message_id ? '' : SEPARATOR
    said = message_id
    return { type: 'text', message_id, text: separator + text }
  }

  for await (const { type, frame, finish_reason } of events) {
    switch (type) {
      case 'content': {
        const { message_id, content } = frame as FrameFields['content']
        yield say(message_id, content)
        break
      }
      case 'reasoning': {
        const { message_id, content: text } = frame as FrameFields['reasoning']
        yield { type, message_id, text }
        break
      }
      case 'usage': {
        const spent = frame as FrameFields['usage']
        usage = addUsage(usage, spent.usage)
        if (spent.parent_tool_call_id !== undefined || spent.purpose) break
        finish =
          finish_reason === 'filtered' || finish_reason === 'refused'
            ? 'content_filter'
            : finish_reason === 'length'
              ? 'length'
              : 'stop'
        break
      }
      case 'hitl_required': {
        const pending = frame as FrameFields['hitl_required']
        yield say(pending.pending_id, describePause(pending, agent_id, locale))
        yield { type: 'end', finish: 'stop', usage }
        return
      }
      case 'done': {
        const { stop_reason, usage: all } = frame as FrameFields['done']
        yield { type: 'end', finish: stop_reason === 'max_steps' ? 'length' : finish, usage: all }
        return
      }
      case 'error': {
        const { code, details } = frame as FrameFields['error']
        throw new AppError(code as ErrorCode, details)
      }
    }
  }
}
