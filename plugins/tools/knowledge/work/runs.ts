import type { Cradle } from '../manifest.ts'
import type { IndexDescription, RunDocument } from '../types.ts'

/** The time after which work without an end counts as interrupted, in milliseconds. */
const INTERRUPTED_MS = 60_000

/** The runs that have begun to add passages, so that what a killed process has added is found and removed. */
export type Runs = ReturnType<typeof createRuns>

/** Creates the store of runs. */
export function createRuns({
  clock,
  collections: { knowledge_runs: runs },
}: Pick<Cradle, 'clock' | 'collections'>) {
  const idOf = (document_id: string, { id }: Pick<IndexDescription, 'id'>) => `${document_id} ${id}`

  return {
    /** Notes that passages of a document will be added to an index. */
    async begin(document_id: string, index: IndexDescription): Promise<void> {
      const _id = idOf(document_id, index)
      const started_at = clock.now()
      await runs.updateOne(
        { _id },
        { $set: { document_id, index_id: index.id, started_at } },
        { upsert: true },
      )
    },

    /** Notes that an index has no other passages of a document than those that count. */
    async end(document_id: string, index: Pick<IndexDescription, 'id'>): Promise<void> {
      await runs.deleteOne({ _id: idOf(document_id, index) })
    },

    listInterrupted: (): Promise<RunDocument[]> =>
      runs.find({ started_at: { $lte: clock.now() - INTERRUPTED_MS } }).toArray(),
  }
}
