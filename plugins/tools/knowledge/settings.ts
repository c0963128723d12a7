import type { Cradle } from './manifest.ts'
import type { IndexDescription, Removals, SettingsDocument } from './types.ts'

/** The sizes of passages by default, in tokens. */
const DEFAULT_SIZES = { chunk_tokens: 600, chunk_overlap: 60 }

/** The time for which settings are remembered, in milliseconds. */
const FRESH_MS = 1000

/** The settings of all knowledge bases. */
export type KnowledgeSettings = ReturnType<typeof createKnowledgeSettings>

/** Creates the settings over their collection. */
export function createKnowledgeSettings({
  clock,
  collections: { knowledge_settings: collection },
  ids,
}: Pick<Cradle, 'clock' | 'collections' | 'ids'>) {
  let recent: SettingsDocument | undefined
  let readAt = Number.NEGATIVE_INFINITY

  const read = async (): Promise<SettingsDocument> => {
    const active: IndexDescription = {
      id: ids.make(),
      embedding_model: null,
      dimensions: null,
      ...DEFAULT_SIZES,
    }
    const stored = await collection.findOneAndUpdate(
      { _id: 'settings' },
      { $setOnInsert: { active, next: null } },
      { upsert: true, returnDocument: 'after' },
    )
    recent = stored!
    readAt = performance.now()
    return recent
  }

  return {
    /** Returns the settings as they are stored. */
    read,

    /** Returns the settings as they were at most a second ago. */
    recent: async (): Promise<SettingsDocument> =>
      recent && performance.now() - readAt < FRESH_MS ? recent : read(),

    /**
     * Begins another index beside the active one, or drops the next one; returns undefined if the settings are not as
     * they were read any more.
     */
    async replaceNext(
      { active, next }: SettingsDocument,
      description: Omit<IndexDescription, 'id'> | null,
    ): Promise<SettingsDocument | undefined> {
      const { matchedCount } = await collection.updateOne(
        { _id: 'settings', 'active.id': active.id, ...(next ? { 'next.id': next.id } : { next: null }) },
        { $set: { next: description && { id: ids.make(), ...description } } },
      )
      const stored = await read()
      return matchedCount === 1 ? stored : undefined
    },

    /** Notes that text will remain in the files of the index until it is purged. */
    noteRemoval: () =>
      collection.updateOne(
        { _id: 'settings' },
        { $min: { 'removals.since': clock.now() }, $inc: { 'removals.count': 1 } },
      ),

    /** Notes that what was removed before a moment is purged; later removals remain noted. */
    async notePurge({ count }: Removals, started_at: number): Promise<void> {
      const { matchedCount } = await collection.updateOne(
        { _id: 'settings', 'removals.count': count },
        { $unset: { removals: 1 } },
      )
      if (matchedCount === 0)
        await collection.updateOne({ _id: 'settings' }, { $set: { 'removals.since': started_at } })
    },

    /** Makes the next index the active one; false if it is not the next one any more. */
    async promote(next: IndexDescription): Promise<boolean> {
      const { matchedCount } = await collection.updateOne(
        { _id: 'settings', 'next.id': next.id },
        { $set: { active: next, next: null } },
      )
      await read()
      return matchedCount === 1
    },
  }
}
