import type { Artifact, MessageDocument, Source, ThreadDocument } from '../documents.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type LedgerEvent, seqOf } from '../ledger/ledger-event.ts'
import { readTurns } from '../ledger/ledger-turns.ts'
import { projectTurn } from '../ledger/projection.ts'
import type { Messages } from './messages.ts'
import { MOST_NAMED } from './named.ts'
import type { Retention } from './retention.ts'
import type { RebuiltThread, ThreadMigrations } from './thread-migrations.ts'
import { titleOf } from './title.ts'

/** How many messages are written at once at the most, but for those of one turn. */
const BATCH = 100

/** Makes the messages of threads anew. */
export interface Rebuilding {
  /**
   * Rebuilds a claimed thread, turn by turn, up to the end of its last one, also of those that end meanwhile. Gives
   * false where it was aborted or the claim is lost; doing it again gives the same. Throws where the ledger does not
   * give the thread.
   */
  rebuild(claimed: ThreadDocument, signal: AbortSignal): Promise<boolean>
}

/** Makes what rebuilds threads; a turn that runs meanwhile is left to whoever runs it. */
export function createRebuilding({
  ledger,
  messages,
  threadMigrations,
  retention,
}: {
  ledger: Ledger
  messages: Messages
  threadMigrations: ThreadMigrations
  retention: Retention
}): Rebuilding {
  const rebuild: Rebuilding['rebuild'] = async (claimed, signal) => {
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
        await messages.store(batch)
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
    async rebuild(claimed, signal) {
      try {
        return await rebuild(claimed, signal)
      } finally {
        // Whoever removed the thread meanwhile may have removed its messages before the last of these were written.
        if (await threadMigrations.isGone(claimed._id)) await retention.release(claimed._id)
      }
    },
  }
}

/** What the turns of a thread add up to; a fork keeps what it has from the thread that it was made of. */
function gatherFacts({ forked_from, ...thread }: ThreadDocument) {
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
      title ??= titleOf(documents[0]!) || null
      last_active = Math.floor(events.at(-1)!.ts / 1000)
      for (const message of documents) {
        name(artifacts, 'path', message.artifacts)
        name(sources, 'id', message.sources)
      }
    },
    get thread(): Omit<RebuiltThread, 'last_seq'> {
      return { title, last_active, artifacts: [...artifacts.values()], sources: [...sources.values()] }
    },
  }
}

/** Notes what is named, the newest last, as a turn that ends does. */
function name<Key extends string, Named extends Record<Key, string>>(
  known: Map<string, Named>,
  key: Key,
  added: readonly Named[] = [],
): void {
  for (const named of added) {
    known.delete(named[key])
    known.set(named[key], named)
    if (known.size > MOST_NAMED) known.delete(known.keys().next().value!)
  }
}
