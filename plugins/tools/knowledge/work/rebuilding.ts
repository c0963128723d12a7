import type { Cradle } from '../manifest.ts'

/** Brings the indexes in line with the settings and the documents. */
export type Rebuilding = ReturnType<typeof createRebuilding>

/** Creates the work. */
export function createRebuilding({
  documents,
  log,
  passageIndex,
  settings,
}: Pick<Cradle, 'documents' | 'log' | 'passageIndex' | 'settings'>) {
  let isChecked = false

  return {
    /**
     * Queues all documents again if the index in use was lost, e.g. with its folder; looks once. Must come before the
     * first passage is written, which would make an index of that alone.
     */
    async restoreLost(): Promise<void> {
      if (isChecked) return
      const { active } = await settings.read()
      if ((await documents.isIndexed(active.id)) && !(await passageIndex.exists(active))) {
        log.warn({ index: active.id }, 'the index of knowledge bases is missing; it is made again')
        await documents.forgetIndex(active.id)
        await documents.queueMissing(active.id)
        // A table with the columns of an earlier version may remain.
        await settings.noteRemoval()
      }
      isChecked = true
    },

    /** Brings the index of changed settings in line with the documents; aborts `waking` if documents were queued. */
    async proceed(waking: AbortController): Promise<void> {
      const { active, next } = await settings.read()
      if (!next) return
      if ((await documents.queueMissing(next.id)) > 0) {
        waking.abort()
        return
      }
      if (!(await settings.promote(next))) return
      await documents.forgetIndex(active.id)
      await passageIndex.drop(active)
    },
  }
}
