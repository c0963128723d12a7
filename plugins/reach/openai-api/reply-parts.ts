import {
  AppError,
  addUsage,
  createPhrases,
  type ErrorCode,
  type Locale,
  type LocalizedText,
  NO_USAGE,
  sayEnd,
  type TokenUsage,
} from '#plugin-api'
import type { StopReason } from '../../conversations/chat/documents.ts'
import type { FrameFields, PendingApproval } from '../../conversations/chat/ledger/ledger-event.ts'
import type { ReadEvent } from '../../conversations/chat/ledger/ledger-reader.ts'
import { toCallId } from './ids.ts'
import { waitsForClient } from './waiting-calls.ts'

/** A piece of an agent's reply. Pieces of one message of the turn share their `message_id`. */
export type ReplyPart =
  | { type: 'text' | 'reasoning' | 'refusal'; message_id: string; text: string }
  | CallPart
  | { type: 'end'; finish: Finish; usage: TokenUsage }

/** A call that the client carries out; `input` are the arguments as the model wrote them. */
export interface CallPart {
  type: 'call'
  call_id: string
  name: string
  input: string
}

type Finish = 'stop' | 'length' | 'content_filter' | 'tool_calls'

/** The turn whose events are read. */
export interface ReadTurn {
  agent_id: string
  thread_id: string
  locale: Locale
}

/** Separates the text before calls from the text after them. */
const SEPARATOR = '\n\n'

const FINISH: Partial<Record<StopReason, Finish>> = {
  length: 'length',
  max_steps: 'length',
  filtered: 'content_filter',
}

/**
 * Converts the events of a turn to its reply. A turn that waits for its client ends its reply with calls, and one that
 * waits for a person with a sentence about the approval. Throws the error of the turn; ends without an `end` if the
 * events do.
 */
export async function* toReplyParts(
  events: AsyncIterable<ReadEvent>,
  { agent_id, thread_id, locale }: ReadTurn,
): AsyncGenerator<ReplyPart, void, void> {
  let usage: TokenUsage = { ...NO_USAGE }
  let said: { message_id: string; text: string } | undefined
  const say = (message_id: string, text: string): ReplyPart => {
    const isNew = said?.message_id !== message_id
    const separator = said && isNew ? SEPARATOR : ''
    said = { message_id, text: isNew ? text : said!.text + text }
    return { type: 'text', message_id, text: separator + text }
  }

  for await (const event of events) {
    const { type, frame } = event
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
        break
      }
      case 'hitl_required': {
        const pending = frame as FrameFields['hitl_required']
        if (waitsForClient(pending)) {
          yield* toCalls(pending, { thread_id, seq: event.seq, inputs: event.whole_args })
          yield { type: 'end', finish: 'tool_calls', usage }
          return
        }
        yield say(pending.pending_id, describePause(pending, agent_id, locale))
        yield { type: 'end', finish: 'stop', usage }
        return
      }
      case 'done': {
        const { stop_reason, message_id } = frame as FrameFields['done']
        if (stop_reason === 'refused')
          yield {
            type: 'refusal',
            message_id: message_id ?? '',
            text: said?.text || sayEnd('refused', locale),
          }
        yield { type: 'end', finish: FINISH[stop_reason] ?? 'stop', usage }
        return
      }
      case 'error': {
        const { code, message, details } = frame as FrameFields['error']
        // The code of a refusal is the filter's own, and in no table of errors.
        if (typeof details.filter === 'string' && code !== 'FILTER_FAILED')
          throw new AppError('FILTER_REFUSED', { ...details, code, message })
        throw new AppError(code as ErrorCode, details)
      }
    }
  }
}

function* toCalls(
  { action_requests }: FrameFields['hitl_required'],
  { thread_id, seq, inputs = {} }: { thread_id: string; seq: number; inputs: ReadEvent['whole_args'] },
): Generator<CallPart, void, void> {
  for (const [index, { name }] of action_requests.entries())
    yield { type: 'call', call_id: toCallId({ thread_id, seq, index }), name, input: inputs[index] ?? '' }
}

const PHRASES = {
  approval: {
    en: 'The agent needs your approval to use {names}. Decide with `POST /api/agents/{agent_id}/chat/hitl/resume` or in `svc chat`.',
    zh: '智能体需要您批准使用 {names}。请通过 `POST /api/agents/{agent_id}/chat/hitl/resume` 或 `svc chat` 处理。',
  },
  question: {
    en: 'The agent asks: {questions}\nAnswer with `POST /api/agents/{agent_id}/chat/hitl/resume` or in `svc chat`.',
    zh: '智能体提问：{questions}\n请通过 `POST /api/agents/{agent_id}/chat/hitl/resume` 或 `svc chat` 回答。',
  },
} satisfies Record<string, LocalizedText>

const say = createPhrases(PHRASES)

/** Returns the sentences about the person whom a turn waits for. */
function describePause(
  { action_requests, review_configs }: PendingApproval,
  agent_id: string,
  locale: Locale,
): string {
  const isQuestion = (index: number) => !review_configs[index]!.allowed_decisions.includes('approve')
  const names = new Set(
    action_requests.filter((_, index) => !isQuestion(index)).map(({ name }) => `\`${name}\``),
  )
  const questions = action_requests
    .filter((_, index) => isQuestion(index))
    .map(({ description }) => description)
  return [
    ...(names.size > 0 ? [say('approval', locale, { names: [...names].join(', '), agent_id })] : []),
    ...(questions.length > 0 ? [say('question', locale, { questions: questions.join('\n'), agent_id })] : []),
  ].join('\n\n')
}
