import type { Cradle } from '../manifest.ts'

/** Brings the indexes in line with the settings and the documents, when nothing else is to be done. */
export type Rebuilding = ReturnType<typeof createRebuilding>

/** Creates the work. */
export function createRebuilding({
  documents,
  log,
  passageIndex,
  settings,
}: Pick<Cradle, 'documents' | 'log' | 'passageIndex' | 'settings'>) {
  let isChecked = false

  /** Queues what an index lacks, e.g. because its folder was lost. */
  const checkActive = async (): Promise<boolean> => {
    const { active } = await settings.read()
    if (!(await documents.isIndexed(active.id))) return false
    if (await passageIndex.exists(active)) return false
    log.warn({ index: active.id }, 'the index of knowledge bases is missing; it is made again')
    await documents.forgetIndex(active.id)
    return (await documents.queueMissing(active.id)) > 0
  }

  return {
    /** Does what is due; aborts `waking` if documents were queued. */
    async proceed(waking: AbortController): Promise<void> {
      if (!isChecked && (await checkActive())) waking.abort()
      isChecked = true
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
