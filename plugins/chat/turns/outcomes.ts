import { createGroupCommit } from '#kernel'
import type { MessageDocument } from '../documents.ts'
import type { Messages } from '../threads/messages.ts'
import type { ThreadProgress, Threads } from '../threads/threads.ts'

/** Stores what turns came to, those that end at the same time together. */
export interface Outcomes {
  /** First the messages, then the thread, so that a turn which a crash cuts in between is settled again. */
  store(messages: readonly MessageDocument[], progress: ThreadProgress): Promise<void>
}

interface Outcome {
  documents: readonly MessageDocument[]
  progress: ThreadProgress
  resolve(): void
  reject(error: unknown): void
}

/** Makes the store of outcomes. */
export function createOutcomes({ messages, threads }: { messages: Messages; threads: Threads }): Outcomes {
  const write = async (batch: readonly Outcome[]) => {
    await messages.store(batch.flatMap(({ documents }) => documents))
    await threads.advance(batch.map(({ progress }) => progress))
  }

  const commits = createGroupCommit<Outcome>(async (batch) => {
    try {
      await write(batch)
      for (const { resolve } of batch) resolve()
    } catch {
      // One that cannot be stored must not keep the others from it.
      await Promise.all(batch.map((outcome) => write([outcome]).then(outcome.resolve, outcome.reject)))
    }
  })

  return {
    store: (documents, progress) =>
      new Promise((resolve, reject) => commits.add({ documents, progress, resolve, reject })),
  }
}
