import { AppError } from '#kernel'
import type { ModelAccount, OpenedModel } from '../../providers/types.ts'
import type { MessageDocument, ThreadDocument, ThreadSummary } from '../documents.ts'
import { readAnswer } from '../loop/model-answer.ts'
import { createSummaryCall, divideMessages } from '../loop/thread-summary.ts'
import type { TurnWriter } from '../loop/turn-writer.ts'
import type { Cradle } from '../manifest.ts'
import type { TurnLease } from './turn-leases.ts'

/** The most messages, the newest ones, that are summarized at once the first time. */
const MOST_SUMMED_UP = 400

/** The part of a thread that a model receives: its newest messages, and a summary of those before. */
interface TurnHistory {
  history: readonly MessageDocument[]
  summary: ThreadSummary | undefined
}

/**
 * Reads the history that a turn continues. If it has become too long for the model, the model first summarizes the
 * older part, and the summary is stored with the thread; if that fails, the older part is left out.
 */
export async function readTurnHistory(
  {
    newest,
    lease,
    thread,
    opened,
    account,
    writer,
    signal,
  }: {
    /** The newest messages before the turn. */
    newest: readonly MessageDocument[]
    lease: TurnLease
    thread: ThreadDocument
    opened: OpenedModel
    account: ModelAccount
    writer: TurnWriter
    signal: AbortSignal
  },
  { messages, threads, ids, log }: Pick<Cradle, 'messages' | 'threads' | 'ids' | 'log'>,
): Promise<TurnHistory> {
  const { context_window: window, max_output_tokens: most_tokens } = opened.description
  const { summary } = thread
  const isOpen = ({ position }: MessageDocument) => position > (summary?.position ?? 0)
  const history = newest.filter(isOpen)
  const division = divideMessages(history, summary, window)
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
        ...createSummaryCall([...before.filter(isOpen), ...older], summary, { window, most_tokens }),
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
    await threads.storeSummary(lease.thread_id, lease.turn_id, made)
    return { history: newer, summary: made }
  } catch (error) {
    signal.throwIfAborted()
    // A quota that refuses the summary refuses the answer as well.
    if (error instanceof AppError && error.code === 'TOKEN_QUOTA_EXCEEDED') throw error
    log.warn({ error, turn_id: lease.turn_id }, 'older messages could not be summarized')
    return { history: newer, summary }
  }
}

const SILENT = { onText: () => {}, onReasoning: () => {}, onToolCall: () => {} }
