import type { Cradle } from './manifest.ts'
import type { IndexDescription, SettingsDocument } from './types.ts'

/** The sizes of passages by default, in tokens. */
const DEFAULT_SIZES = { chunk_tokens: 600, chunk_overlap: 60 }

/** The time for which settings are remembered, in milliseconds. */
const FRESH_MS = 1000

/** The settings of all knowledge bases. */
export type KnowledgeSettings = ReturnType<typeof createKnowledgeSettings>

/** Creates the settings over their collection. */
export function createKnowledgeSettings({
  collections: { knowledge_settings: collection },
  ids,
}: Pick<Cradle, 'collections' | 'ids'>) {
  let known: SettingsDocument | undefined
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
    known = stored!
    readAt = performance.now()
    return known
  }

  return {
    /** Returns the settings as they are stored. */
    read,

    /** Returns the settings as they were at most a second ago. */
    recent: async (): Promise<SettingsDocument> =>
      known && performance.now() - readAt < FRESH_MS ? known : read(),

    /** Begins another index beside the active one; the one that was begun before is given up. */
    async begin(next: Omit<IndexDescription, 'id'>): Promise<SettingsDocument> {
      await read()
      await collection.updateOne({ _id: 'settings' }, { $set: { next: { id: ids.make(), ...next } } })
      return read()
    },

    /** Changes the active index without making it anew, because nothing that is stored depends on it. */
    async giveUpNext(): Promise<SettingsDocument> {
      await collection.updateOne({ _id: 'settings' }, { $set: { next: null } })
      return read()
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
