import { readAttachedDocuments } from '../attached-documents.ts'
import type { Artifact, Branch, MessageDocument, Source, ThreadDocument } from '../documents.ts'
import { assertImportable } from '../ledger/imported-event.ts'
import { isTerminal, LAST_SEQ, type LedgerEvent, seqOf } from '../ledger/ledger-event.ts'
import { readTurns } from '../ledger/ledger-turns.ts'
import { projectTurn, readBranch } from '../ledger/projection.ts'
import type { Cradle } from '../manifest.ts'
import { fileUrl } from '../rows.ts'
import { sanitizeForStorage } from '../sanitize.ts'
import type { TurnPosition } from './added-turns.ts'
import { type EarlierTurn, toEvents } from './earlier-turns.ts'
import { createPaths } from './paths.ts'
import { MAX_REFERENCES } from './references.ts'
import type { RebuiltThread } from './thread-migrations.ts'
import { toTitle } from './thread-progress.ts'
import type { ThreadOwner } from './threads.ts'

/** The most messages that are written at once; the messages of one turn are never split. */
const BATCH = 100

/**
 * Threads made from stored events instead of turns: imported ledgers, conversations that began elsewhere, and histories
 * that are rebuilt because their messages are of an older projection.
 */
export type ThreadArchive = ReturnType<typeof createThreadArchive>

/** Creates the archive; a turn that runs while its thread is rebuilt is left to its own process. */
export function createThreadArchive(
  cradle: Pick<
    Cradle,
    | 'ledger'
    | 'messages'
    | 'threadMigrations'
    | 'retention'
    | 'threads'
    | 'chat'
    | 'clock'
    | 'config'
    | 'extensions'
    | 'ids'
    | 'log'
    | 'addedTurns'
  >,
) {
  const { ledger, messages, threadMigrations, retention, threads, chat, clock, ids, addedTurns } = cradle
  const { queue, count, listAgents, claim, release, fail, isGone } = threadMigrations

  const rebuildTurns = async (claimed: ThreadDocument, signal: AbortSignal): Promise<boolean> => {
    const { _id: thread_id } = claimed
    const facts = gatherFacts(claimed)
    let thread: ThreadDocument | null = claimed
    for (
      let after = claimed.forked_from ? null : 0;
      thread;
      thread = await threadMigrations.refresh(claimed)
    ) {
      const { last_seq: upTo } = thread
      let batch: MessageDocument[] = []
      let from = after ?? 0
      const write = async (to: number) => {
        await messages.store(claimed, batch, { after: from, upTo: to })
        await messages.prune(thread_id, { after: from, upTo: to, keep: batch.map(({ _id }) => _id) })
        batch = []
        from = to
      }
      for await (const events of readTurns(ledger, { thread_id, after, upTo })) {
        const documents = projectTurn(events)
        facts.add(events, documents)
        batch.push(...documents)
        const end = seqOf(events.at(-1)!)
        if (batch.length < BATCH && end < upTo) continue
        if (signal.aborted) return false
        await write(end)
      }
      after = upTo
      if (await threadMigrations.finish(claimed, { ...facts.thread, last_seq: upTo })) return true
    }
    return false
  }

  return {
    queue,
    count,
    listAgents,
    claim,
    release,
    fail,
    isGone,
    /**
     * Rebuilds the messages of a claimed thread from its ledger, including turns that end meanwhile. Returns false if
     * it was aborted or the claim was lost, and can then be repeated. Throws if the ledger is not made of whole turns.
     */
    async rebuild(claimed: ThreadDocument, signal: AbortSignal): Promise<boolean> {
      try {
        return await rebuildTurns(claimed, signal)
      } finally {
        // If the thread was removed meanwhile, the last of these messages may have been written after the removal.
        if (await isGone(claimed._id)) await retention.release(claimed._id)
      }
    },
    assertImportable,
    /**
     * Creates a thread that begins with turns of elsewhere, which are not run; returns it and the ends of the turns. The
     * documents of a turn are read unless it brings them. Throws LIMIT_REACHED.
     */
    async createWithTurns(
      owner: ThreadOwner,
      turns: readonly EarlierTurn[],
      { created_at, ...beginning }: Partial<ThreadDocument>,
    ): Promise<{ thread: ThreadDocument; ends: TurnPosition[] }> {
      const read: EarlierTurn[] = []
      for (const { documents: brought, ...turn } of turns) {
        const documents = brought ?? (await readAttachedDocuments(owner, turn.input, cradle))
        read.push(documents.length > 0 ? { ...turn, documents } : turn)
      }
      const events = toEvents(read, { ids, ts: clock.now() })
      const title = toTitle({ content: turns[0]?.input ?? [] }) || null
      const facts = sanitizeForStorage({
        title,
        title_by: 'model',
        ...beginning,
        last_seq: events.length,
      }) as typeof beginning
      if (events.length === 0) return { thread: await threads.create(owner, facts), ends: [] }
      const thread = await threads.create(owner, { ...facts, deleted_at: null })
      try {
        const stored = await ledger.adopt(thread._id, events)
        const ends = stored.flatMap((event, index) => (isTerminal(event) ? [index + 1] : []))
        const documents = ends.map((end, index) => projectTurn(stored.slice(ends[index - 1] ?? 0, end)))
        await messages.store(thread, documents.flat())
        await threads.publish(thread._id, created_at)
        const { deleted_at: _, ...published } = thread
        return {
          thread: { ...published, ...(created_at !== undefined && { created_at }) },
          ends: ends.map((seq, index) => ({ seq, message_id: documents[index]!.at(-1)!._id })),
        }
      } catch (error) {
        await chat.purge(await threads.hide({ _id: thread._id }))
        throw error
      }
    },
    addTurn: addedTurns.add,
    /** Stores the events of another ledger as the beginning of a thread that nobody writes to yet. */
    adopt: ledger.adopt,
    toTitle,
    fileUrl,
  }
}

/** Collects the facts of a thread from its turns; a fork keeps its source's facts. */
function gatherFacts({ forked_from, ...thread }: ThreadDocument) {
  const branches: Branch[] = []
  /** The position that the path ends at. */
  let end = LAST_SEQ
  const artifacts = new Map<string, Artifact>()
  const sources = new Map<string, Source>()
  let title: string | null = null
  let last_active = 0
  if (forked_from) {
    name(artifacts, 'path', thread.artifacts)
    name(sources, 'id', thread.sources)
  }
  return {
    add(events: readonly LedgerEvent[], documents: readonly MessageDocument[]) {
      const seq = seqOf(events[0]!)
      if (events[0]!.type === 'path_changed') {
        const { after = seq - 1 } = events[0]!
        end = after < seq - 1 ? after : LAST_SEQ
        return
      }
      end = LAST_SEQ
      const branch = readBranch(events[0])
      if (branch) branches.push(branch)
      if (documents[0]?.role === 'user') title ??= toTitle(documents[0]) || null
      last_active = Math.floor(events.at(-1)!.ts / 1000)
      for (const message of documents) {
        name(artifacts, 'path', message.artifacts)
        name(sources, 'id', message.sources)
      }
    },
    get thread(): Omit<RebuiltThread, 'last_seq'> {
      const isOriginal = branches.length === 0 && end === LAST_SEQ
      const path = isOriginal ? undefined : createPaths(thread, branches).pathTo(end)
      return { title, last_active, path, artifacts: [...artifacts.values()], sources: [...sources.values()] }
    },
  }
}

/** Adds items as an ending turn does: each once by its key, the newest last. */
function name<Key extends string, Named extends Record<Key, string>>(
  references: Map<string, Named>,
  key: Key,
  added: readonly Named[] = [],
): void {
  for (const named of added) {
    references.delete(named[key])
    references.set(named[key], named)
    if (references.size > MAX_REFERENCES) references.delete(references.keys().next().value!)
  }
}
