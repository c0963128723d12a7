import { AppError } from '#kernel'
import type { ModelAccount, OpenedModel } from '../../providers/types.ts'
import type { MessageDocument, ThreadDocument, ThreadSummary } from '../documents.ts'
import { readAnswer } from '../loop/model-answer.ts'
import { divide, summaryCall } from '../loop/thread-summary.ts'
import type { TurnWriter } from '../loop/turn-writer.ts'
import type { Cradle } from '../manifest.ts'
import type { Turn } from './turns.ts'

/** How many messages that were never summed up are summed up at once at the most, the newest of them. */
const MOST_SUMMED_UP = 400

/** What a model is told of a thread: its newest messages, and what is remembered of those before. */
export interface Conversation {
  history: readonly MessageDocument[]
  summary: ThreadSummary | undefined
}

/**
 * Reads what a turn goes on from. Where that has become too much for the model, the older part is summed up by it first,
 * which is remembered with the thread; where that fails, the older part is not told.
 */
export async function readConversation(
  {
    newest,
    turn,
    thread,
    opened,
    account,
    writer,
    signal,
  }: {
    /** The newest messages before the turn. */
    newest: readonly MessageDocument[]
    turn: Turn
    thread: ThreadDocument
    opened: OpenedModel
    account: ModelAccount
    writer: TurnWriter
    signal: AbortSignal
  },
  { messages, threads, ids, log }: Pick<Cradle, 'messages' | 'threads' | 'ids' | 'log'>,
): Promise<Conversation> {
  const { context_window: window, max_output_tokens: most_tokens } = opened.description
  const { summary } = thread
  const isOpen = ({ position }: MessageDocument) => position > (summary?.position ?? 0)
  const history = newest.filter(isOpen)
  const division = divide(history, summary, window)
  if (!division) return { history, summary }
  const { older, newer } = division

  const begin = history[0]!.position
  const missed = begin === newest[0]!.position
  const before = missed ? await messages.page(thread, { limit: MOST_SUMMED_UP, before: begin }) : []
  const call_id = ids.make('call_')
  try {
    const parts = opened.stream({
      call_id,
      account,
      purpose: 'summary',
      options: {
        ...summaryCall([...before.filter(isOpen), ...older], summary, { window, most_tokens }),
        abortSignal: signal,
      },
    })
    const { content, ...spent } = await readAnswer(parts, SILENT)
    writer.onSummary({ call_id, ...spent })
    const text = content
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('')
      .trim()
    if (!text) throw new Error('the summary is empty')
    const made = { text, position: older.at(-1)!.position }
    await threads.storeSummary(turn.thread_id, turn.turn_id, made)
    return { history: newer, summary: made }
  } catch (error) {
    signal.throwIfAborted()
    // What the account may not spend here, it may not spend on the answer either.
    if (error instanceof AppError && error.code === 'TOKEN_QUOTA_EXCEEDED') throw error
    log.warn({ error, turn_id: turn.turn_id }, 'older messages could not be summed up')
    return { history: newer, summary }
  }
}

const SILENT = { onText: () => {}, onReasoning: () => {}, onToolCall: () => {} }
