import type { Collection, Filter } from 'mongodb'
import type { ThreadDocument } from '../documents.ts'
import type { LedgerReader } from '../ledger/ledger-reader.ts'

/** Lists the paths of the files that the active turns of these threads have made. */
export type RunningFiles = (threads: Filter<ThreadDocument>) => Promise<string[]>

/** The most files of an active turn that are listed. */
const MAX_ATTACHMENTS = 200

/** Creates the service. */
export function createRunningFiles({
  threads,
  ledgerReader,
}: {
  threads: Collection<ThreadDocument>
  ledgerReader: LedgerReader
}): RunningFiles {
  return async (filter) => {
    const running = threads.find(
      { ...filter, active_turn: { $ne: null } },
      { projection: { active_turn: 1 } },
    )
    const pages = (await running.toArray()).map(({ _id, active_turn }) =>
      ledgerReader.page(_id, {
        type: 'attachment',
        after: active_turn!.first_seq - 1,
        limit: MAX_ATTACHMENTS,
      }),
    )
    const events = (await Promise.all(pages)).flatMap((page) => page.events)
    return events.flatMap((event) => (event.type === 'attachment' ? [event.frame.path] : []))
  }
}
