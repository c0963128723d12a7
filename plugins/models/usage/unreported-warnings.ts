import type { Collection, IndexDescription } from 'mongodb'
import type { UnreportedRecord } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { ServerCounterDocument, UnreportedWarning, UsageCounterDocument } from './types.ts'

/** The most warnings of one counter that wait for webhooks to hear of them. */
const MAX_UNREPORTED = 20

/** The index that counters with such warnings are found with. */
export const unreportedIndex: IndexDescription = {
  key: { 'unreported.at': 1 },
  partialFilterExpression: { 'unreported.at': { $gt: 0 } },
}

/** Returns the part of an update that keeps a warning until webhooks have heard of it. */
export const toUnreported = (warning: UnreportedWarning) => ({
  unreported: { $each: [warning], $slice: -MAX_UNREPORTED },
})

type Counter = Pick<UsageCounterDocument | ServerCounterDocument, '_id' | 'unreported'>

/** Returns the warnings that webhooks have not heard of; each is stored together with the note that it was given. */
export async function listUnreportedWarnings(
  { limit }: { limit: number },
  { collections: { usage_counters, server_spending } }: Pick<Cradle, 'collections'>,
): Promise<UnreportedRecord[]> {
  const list = async (counters: Collection<never>, user_id: (counter: Counter) => string | null) => {
    const marked = (await (counters as unknown as Collection<Counter>)
      .find({ 'unreported.at': { $gt: 0 } }, { projection: { unreported: 1 } })
      .limit(limit)
      .toArray()) as Counter[]
    return marked.map((counter) => toRecord(counter, user_id(counter), counters as never))
  }
  const records = await Promise.all([
    list(usage_counters as never, ({ _id }) => _id),
    list(server_spending as never, () => null),
  ])
  return records.flat()
}

function toRecord(
  { _id, unreported = [] }: Counter,
  user_id: string | null,
  counters: Collection<Counter>,
): UnreportedRecord {
  const reported_ids = unreported.map(({ id }) => id)
  return {
    facts: unreported.map(({ id, at, ...warning }) => ({
      id,
      event: 'budget.warned',
      user_id,
      agent_id: null,
      at,
      data: { user_id, ...warning },
    })),
    settle: () =>
      counters.bulkWrite([
        { updateOne: { filter: { _id }, update: { $pull: { unreported: { id: { $in: reported_ids } } } } } },
        { updateOne: { filter: { _id, unreported: { $size: 0 } }, update: { $unset: { unreported: 1 } } } },
      ]),
  }
}
