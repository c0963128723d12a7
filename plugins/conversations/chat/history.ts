import { AppError } from '#plugin-api'
import type {
  Artifact,
  MessageDocument,
  MessageRange,
  Source,
  ThreadDocument,
  ThreadSummary,
} from './documents.ts'
import type { Ledger } from './ledger/ledger.ts'
import { isTerminal, type LedgerEvent, type PendingApproval, seqOf } from './ledger/ledger-event.ts'
import { projectTurn } from './ledger/projection.ts'
import type { QueuedRow, QueuedTurns } from './queue/queued-turns.ts'
import type { Messages } from './threads/messages.ts'
import { listRanges, type ShownThread } from './threads/paths.ts'
import { appendNewest } from './threads/references.ts'
import type { Threads } from './threads/threads.ts'
import type { Versions } from './threads/versions.ts'
import type { RunningTurns } from './turns/running-turns.ts'
import { readSummary } from './turns/summaries.ts'

/** A page of a thread as of `last_seq`; a subscription after it delivers the rest. */
export interface HistoryPage {
  thread_id: string
  messages: MessageDocument[]
  has_more: boolean
  next_cursor: string | null
  turn_active: boolean
  last_seq: number
  hitl_pending: PendingApproval | null
  summary: Omit<ThreadSummary, 'position'> | null
  queued: QueuedRow[]
  artifacts: Artifact[]
  sources: Source[]
  /** The versions of messages by the id of the message that is shown, oldest first, if it has several. */
  versions: Map<string, string[]>
}

/** The state of a thread's ledger and its turn. */
export interface ThreadStatus {
  active: boolean
  /** True if the turn waits for a person. */
  paused: boolean
  turn_id?: string
  /** The seq before the first event of the active turn. */
  start_seq: number
  last_seq: number
  /** True if another process runs the turn. */
  elsewhere: boolean
  /** The queued turns, the next one first. */
  queued: QueuedRow[]
}

/** Reads threads. */
export type History = ReturnType<typeof createHistory>

/** Creates the reader of threads; the active turn is projected from its events and put after the stored messages. */
export function createHistory({
  messages,
  ledger,
  running,
  queuedTurns,
  threads,
  versions,
}: {
  messages: Messages
  ledger: Ledger
  running: RunningTurns
  queuedTurns: QueuedTurns
  threads: Threads
  versions: Versions
}) {
  const activeTurn = async ({ _id, active_turn }: ThreadDocument) => {
    const local = running.get(_id)?.opened
    if (local) {
      const { path } = local.thread.active_turn!
      return { turn: { ...local.lease, path }, events: [...local.log.committed] }
    }
    if (!active_turn) return undefined
    const { turn_id, first_seq } = active_turn
    return { turn: active_turn, events: await ledger.readTurn(_id, turn_id, first_seq) }
  }

  /** Lists the queued turns, without a turn that has started in the meantime. */
  const listQueued = async (
    { _id, queue_tail }: ThreadDocument,
    active: { turn: { turn_id: string } } | undefined,
  ) => {
    if (queue_tail === undefined) return []
    const queuedRows = await queuedTurns.list(_id)
    return queuedRows.filter(({ queue_id }) => queue_id !== active?.turn.turn_id)
  }

  /** Collects the artifacts and sources of ended turns; the thread was read a moment before its turn. */
  const listReferences = async (thread: ThreadDocument, active: ReadTurn | undefined) => {
    const isBehind = active !== undefined && active.turn.first_seq > thread.last_seq + 1
    const { artifacts, sources } = isBehind ? await threads.get(thread, thread._id) : thread
    const ended = active && hasEnded(active) ? projectTurn(active.events) : []
    return {
      artifacts: appendNewest(
        artifacts,
        'path',
        ended.flatMap((message) => message.artifacts ?? []),
      ),
      sources: appendNewest(
        sources,
        'id',
        ended.flatMap((message) => message.sources ?? []),
      ),
    }
  }

  return {
    async page(
      thread: ThreadDocument,
      { limit, offset, beforeSeq }: { limit: number; offset: number; beforeSeq?: number },
    ): Promise<HistoryPage> {
      const active = await activeTurn(thread)
      const current = projectTurn(active?.events ?? [])
        .filter(({ position }) => beforeSeq === undefined || position < beforeSeq)
        .reverse()
      const skipped = current.slice(0, offset)
      const shown = current.slice(offset, offset + limit)
      const room = limit - shown.length
      const shownThread: ShownThread = active ? { ...thread, active_turn: active.turn } : thread
      const ranges = listRanges(shownThread)
      const hasVersions = active?.turn.path !== undefined || thread.path !== undefined
      const [stored, queued, references] = await Promise.all([
        messages.page(shownThread, {
          limit: room,
          offset: offset - skipped.length,
          // Messages that the turn adds from here on come with the subscription after `last_seq`.
          beforeSeq: Math.min(beforeSeq ?? Infinity, active?.turn.first_seq ?? thread.last_seq + 1),
        }),
        listQueued(thread, active),
        listReferences(thread, active),
      ])
      const older = room > 0 ? stored.slice(-room) : []
      const page = [...older, ...shown.reverse()]
      const has_more = stored.length > older.length || current.length > skipped.length + shown.length
      return {
        thread_id: thread._id,
        messages: page,
        has_more,
        next_cursor: has_more && page[0] ? String(page[0].position) : null,
        turn_active: active !== undefined && !hasEnded(active),
        last_seq: findLastSeq(active) ?? thread.last_seq,
        hitl_pending: findPending(active),
        summary: toShownSummary(thread),
        queued,
        ...references,
        versions: hasVersions
          ? await versions.list(thread, ranges, [...stored, ...current.toReversed()])
          : new Map(),
      }
    },
    /** Finds a message of an ended turn in a thread of this account; null if there is none. */
    async findMessage(user_id: string, message_id: string): Promise<MessageDocument | null> {
      const message = await messages.find(message_id)
      if (!message) return null
      try {
        await threads.getOfUser(user_id, message.thread_id)
        return message
      } catch (error) {
        if (error instanceof AppError && error.code === 'THREAD_NOT_FOUND') return null
        throw error
      }
    },
    /**
     * Finds a stored answer on any path of a thread, and the message that it answers, if there is one. Throws
     * MESSAGE_NOT_FOUND, also for a message of another role.
     */
    findAnswer: (
      thread: ThreadDocument,
      message_id: string,
    ): Promise<{ answer: MessageDocument; question: MessageDocument | null }> =>
      versions.findAnswer(thread, message_id),
    async status(thread: ThreadDocument): Promise<ThreadStatus> {
      const active = await activeTurn(thread)
      const last_seq = findLastSeq(active) ?? thread.last_seq
      const queued = await listQueued(thread, active)
      if (!active || hasEnded(active))
        return { active: false, paused: false, start_seq: last_seq, last_seq, elsewhere: false, queued }
      const start_seq = active.turn.first_seq - 1
      const elsewhere = running.get(thread._id)?.opened === undefined
      const paused = findPending(active) !== null
      return { active: true, paused, turn_id: active.turn.turn_id, start_seq, last_seq, elsewhere, queued }
    },
  }
}

const toShownSummary = (thread: ThreadDocument): HistoryPage['summary'] => {
  const summary = readSummary(thread)
  if (!summary) return null
  const { position: _, ...shown } = summary
  return shown
}

interface ReadTurn {
  turn: { first_seq: number; path?: MessageRange[] }
  events: LedgerEvent[]
}

const findLastSeq = (active: ReadTurn | undefined) => {
  if (!active) return undefined
  const last = active.events.at(-1)
  return last ? seqOf(last) : active.turn.first_seq - 1
}

/** The pending approval of a turn, if its last event is one. */
const findPending = (active: ReadTurn | undefined): PendingApproval | null => {
  const last = active?.events.at(-1)
  return last?.type === 'hitl_required' ? last.frame : null
}

/** A turn whose terminal event was read has ended, even if its thread document does not show it yet. */
const hasEnded = ({ events }: ReadTurn) => events.length > 0 && isTerminal(events.at(-1)!)
