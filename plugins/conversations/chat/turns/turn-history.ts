import { AppError } from '#kernel'
import type { ModelAccount, OpenedModel } from '../../../models/providers/types.ts'
import type { MessageDocument, ThreadDocument, ThreadSummary } from '../documents.ts'
import { beginAnswer, readAnswer } from '../loop/model-answer.ts'
import { toCharacterBudget } from '../loop/model-context.ts'
import { withoutOldOutputs } from '../loop/shortened-prompt.ts'
import { createSummaryCall, divideMessages, toPieces } from '../loop/thread-summary.ts'
import type { TurnWriter } from '../loop/turn-writer.ts'
import type { Cradle } from '../manifest.ts'
import type { TurnLease } from './turn-leases.ts'

/** The most messages, the newest ones, that are summarized the first time, and the most calls that it takes. */
const MOST_SUMMED_UP = 2000
const MOST_CALLS = 20

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
  const history = withoutOldOutputs(
    newest.filter(isOpen),
    toCharacterBudget(window) - (summary?.text.length ?? 0),
  )
  const division = divideMessages(history, summary, window)
  if (!division) return { history, summary }
  const { older, newer } = division

  const begin = history[0]!.position
  const missed = begin === newest[0]!.position
  const olderMessages = missed ? await messages.page(thread, { limit: MOST_SUMMED_UP, beforeSeq: begin }) : []
  const summarized = [...olderMessages.filter(isOpen), ...older]
  /** Summarizes one piece together with what was remembered before it. */
  const sumUp = async (piece: string, previous: string | undefined): Promise<string> => {
    const call_id = ids.make('call_')
    const options = { ...createSummaryCall(piece, previous, { most_tokens }), abortSignal: signal }
    const begun = performance.now()
    const parts = opened.stream({ call_id, account, purpose: 'summary', options })
    const { content, usage, first_token_ms, ms } = await readAnswer(await beginAnswer(parts), SILENT, begun)
    writer.onSummary({ call_id, usage, first_token_ms, ms })
    const text = content
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('')
      .trim()
    if (!text) throw new Error('the summary is empty')
    return text
  }
  try {
    let text = summary?.text
    for (const piece of toPieces(summarized, window).slice(-MOST_CALLS)) text = await sumUp(piece, text)
    const newSummary = { text: text!, position: older.at(-1)!.position }
    await threads.storeSummary(lease.thread_id, lease.turn_id, newSummary)
    writer.onNotice({ code: 'SUMMARIZED', details: { messages: summarized.length } })
    return { history: newer, summary: newSummary }
  } catch (error) {
    signal.throwIfAborted()
    // A quota that refuses the summary refuses the answer as well.
    if (error instanceof AppError && error.code === 'TOKEN_QUOTA_EXCEEDED') throw error
    log.warn({ error, turn_id: lease.turn_id }, 'older messages could not be summarized')
    return { history: newer, summary }
  }
}

const SILENT = { onText: () => {}, onToolCall: () => {} }
