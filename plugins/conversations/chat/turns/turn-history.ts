import { AppError, type Locale } from '#plugin-api'
import type { ModelAccount, OpenedModel } from '../../../models/providers/types.ts'
import type { MessageDocument, ThreadDocument, ThreadSummary } from '../documents.ts'
import { measureMessage } from '../documents.ts'
import { toCharacterBudget } from '../loop/model-context.ts'
import { withoutOldOutputs } from '../loop/shortened-prompt.ts'
import type { TurnWriter } from '../loop/turn-writer.ts'
import type { Cradle } from '../manifest.ts'
import { readSummary, readUnsummarized, summarize } from './summaries.ts'
import type { TurnLease } from './turn-leases.ts'

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
    reserved,
    lease,
    thread,
    opened,
    account,
    writer,
    locale,
    signal,
  }: {
    /** The newest messages before the turn. */
    newest: readonly MessageDocument[]
    /** The characters of the message that the turn answers. */
    reserved: number
    lease: TurnLease
    thread: ThreadDocument
    opened: OpenedModel
    account: ModelAccount
    writer: TurnWriter
    locale: Locale
    signal: AbortSignal
  },
  cradle: Pick<Cradle, 'messages' | 'threads' | 'clock' | 'ids' | 'log'>,
): Promise<TurnHistory> {
  const { threads, log } = cradle
  const { context_window: window } = opened.description
  const summary = readSummary(thread)
  const isOpen = ({ position }: MessageDocument) => position > (summary?.position ?? 0)
  const room = toCharacterBudget(window) - reserved - (summary?.text.length ?? 0)
  const history = withoutOldOutputs(newest.filter(isOpen), room)
  const division = divideMessages(history, room)
  if (!division) return { history, summary }
  const { older, newer } = division

  const begin = history[0]!.position
  const isWholeHistory = begin > newest[0]!.position
  const { unread, isCut } = isWholeHistory
    ? { unread: [], isCut: false }
    : await readUnsummarized(thread, { summary, until: begin }, cradle)
  const summarized = [...unread, ...older]
  let current = summary
  const leaveOut = () => writer.onNotice({ code: 'SHORTENED', details: { model: opened.reference } })
  try {
    current = await summarize(
      summarized,
      {
        summary,
        opened,
        account,
        locale,
        signal,
        onCall: writer.onSummary,
        async onProgress(next) {
          current = next
          await threads.storeSummary(lease, next)
        },
      },
      cradle,
    )
    writer.onNotice({ code: 'SUMMARIZED', details: { messages: summarized.length } })
    if (isCut) leaveOut()
  } catch (error) {
    signal.throwIfAborted()
    // A limit that refuses the summary refuses the answer as well.
    if (error instanceof AppError && LIMITS.includes(error.code)) throw error
    log.warn({ error, turn_id: lease.turn_id }, 'older messages could not be summarized')
    leaveOut()
  }
  return { history: newer, summary: current }
}

/** The errors of a call that its account may not make. */
const LIMITS: readonly string[] = ['TOKEN_QUOTA_EXCEEDED', 'BUDGET_EXCEEDED', 'PRICE_UNKNOWN']

/** The most messages that a model receives besides a summary, and the number left when the others are summarized. */
const MOST_MESSAGES = 80
const KEPT_MESSAGES = 40
/** The part of a conversation that is passed on unchanged, and the part to be summarized first. */
interface Division {
  older: readonly MessageDocument[]
  newer: readonly MessageDocument[]
}

/** Divides the messages without a summary if they are more than the characters that a model has room for; null if all fit. */
function divideMessages(messages: readonly MessageDocument[], room: number): Division | null {
  const size = messages.reduce((sum, message) => sum + measureMessage(message), 0)
  if (messages.length <= MOST_MESSAGES && size <= room) return null
  let left = room / 2
  let first = messages.length
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    left -= measureMessage(messages[index]!)
    const isEnough = messages.length - index > KEPT_MESSAGES && first < messages.length
    if (left < 0 || isEnough) break
    if (messages[index]!.role === 'user') first = index
  }
  return first === 0 ? null : { older: messages.slice(0, first), newer: messages.slice(first) }
}
