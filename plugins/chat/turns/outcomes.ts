import { createGroupCommit } from '#toolbox'
import type { MessageDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { ThreadOwner, ThreadProgress } from '../threads/threads.ts'

/** Stores the outcomes of turns; those that end at the same time are stored together. */
export interface Outcomes {
  /**
   * Stores the messages first, then the thread, so that a turn is settled again if a crash comes in between; then emits
   * the events.
   */
  store(messages: readonly MessageDocument[], progress: ThreadProgress, ended: EndedTurn): Promise<void>
}

/** The owner and the outcome of a turn. */
export interface EndedTurn extends ThreadOwner {
  stop_reason?: string
  error_code?: string
}

declare module '#kernel/types' {
  interface Events {
    /** A turn has ended, and its messages are stored. May come again after a crash. */
    'turn.ended': EndedTurn & { thread_id: string; turn_id: string }
    /** A message of a turn is stored. May come again after a crash. */
    'message.stored': ThreadOwner & { thread_id: string; message_id: string; role: MessageDocument['role'] }
  }
}

interface Outcome {
  documents: readonly MessageDocument[]
  progress: ThreadProgress
  ended: EndedTurn
  resolve(): void
  reject(error: unknown): void
}

/** Creates the store of outcomes. */
export function createOutcomes({
  messages,
  threads,
  events,
}: Pick<Cradle, 'messages' | 'threads' | 'events'>): Outcomes {
  const announce = async ({ documents, progress: { thread_id, turn_id }, ended }: Outcome) => {
    const { agent_id, user_id } = ended
    for (const { _id: message_id, role } of documents)
      await events.emit('message.stored', { thread_id, message_id, role, agent_id, user_id })
    await events.emit('turn.ended', { thread_id, turn_id, ...ended })
  }

  const write = async (batch: readonly Outcome[]) => {
    await messages.store(batch.flatMap(({ documents }) => documents))
    await threads.advance(batch.map(({ progress }) => progress))
    // Listeners must not delay the turns.
    for (const outcome of batch) void announce(outcome)
  }

  const commits = createGroupCommit<Outcome>(async (batch) => {
    try {
      await write(batch)
      for (const { resolve } of batch) resolve()
    } catch {
      // An outcome that cannot be stored must not prevent the others.
      await Promise.all(batch.map((outcome) => write([outcome]).then(outcome.resolve, outcome.reject)))
    }
  })

  return {
    store: (documents, progress, ended) =>
      new Promise((resolve, reject) => commits.add({ documents, progress, ended, resolve, reject })),
  }
}
