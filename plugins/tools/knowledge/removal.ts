import type { Filter } from 'mongodb'
import type { Cradle } from './manifest.ts'
import type { BaseDocument, IndexDescription, KnowledgeDocument } from './types.ts'

/** The time after which a removal counts as interrupted, in milliseconds. */
const INTERRUPTED_MS = 60_000
/** The longest time for which searches that have begun may read the files of a former version, in milliseconds. */
const GRACE_MS = 60_000

/** Removes documents and bases with all that was made of them. */
export type Removal = ReturnType<typeof createRemoval>

/** Creates the removal. What it has begun is hidden from everyone, and a crash leaves it to be finished later. */
export function createRemoval({
  bases,
  changes,
  clock,
  config,
  documentFiles,
  documents,
  log,
  passageIndex,
  runs,
  settings,
}: Pick<
  Cradle,
  | 'bases'
  | 'changes'
  | 'clock'
  | 'config'
  | 'documentFiles'
  | 'documents'
  | 'log'
  | 'passageIndex'
  | 'runs'
  | 'settings'
>) {
  const listUsed = async (): Promise<IndexDescription[]> => {
    const { active, next } = await settings.read()
    return [active, ...(next ? [next] : [])]
  }

  /** Removes passages; false if they remain because the index cannot be used now. They are never shown. */
  const clean = async (remove: (index: IndexDescription) => Promise<unknown>): Promise<boolean> => {
    try {
      for (const index of await listUsed()) await remove(index)
      return true
    } catch (error) {
      log.warn({ error }, 'passages could not be removed from the index of knowledge bases; retrying')
      return false
    }
  }

  const isIndexed = ({ indexes }: KnowledgeDocument) => Object.keys(indexes).length > 0

  const removeFiles = (hidden: readonly KnowledgeDocument[]) =>
    documentFiles.remove(
      hidden.flatMap(({ version, text_version }) => [version, ...(text_version ? [text_version] : [])]),
    )

  const removeDocuments = async (selected: Filter<KnowledgeDocument>): Promise<void> => {
    const hidden = await documents.hide(selected)
    for (const { base_id, _id } of hidden) changes.notifyDeleted(base_id, [_id])
    await removeFiles(hidden)
    for (const document of hidden) {
      const { _id } = document
      if (!isIndexed(document) || (await clean((index) => passageIndex.removeDocument(index, _id))))
        await documents.remove({ _id })
    }
  }

  const removeBases = async (selected: Filter<BaseDocument>): Promise<void> => {
    for (const { _id: base_id } of await bases.hide(selected)) {
      const hidden = await documents.hide({ base_id })
      changes.notify(base_id)
      await removeFiles(hidden)
      if (hidden.some(isIndexed) && !(await clean((index) => passageIndex.removeBase(index, base_id))))
        continue
      await documents.remove({ _id: { $in: hidden.map(({ _id }) => _id) } })
      await bases.remove(base_id)
    }
  }

  /** Removes the passages that a killed process has added and that do not count. */
  const removeInterruptedRuns = async (): Promise<void> => {
    const indexes = new Map((await listUsed()).map((index) => [index.id, index]))
    for (const { document_id, index_id: id } of await runs.listInterrupted()) {
      const [document] = await documents.findAll([document_id])
      // The work is repeated, and removes them in the end.
      if (document?.work) continue
      const index = indexes.get(id)
      if (index) await passageIndex.removeDocument(index, document_id, document?.indexes[id]?.run)
      await runs.end(document_id, { id })
    }
  }

  return {
    removeDocuments,
    removeBases,

    /** Finishes what a crash has interrupted, and removes files of no document. */
    async finish(): Promise<void> {
      const interrupted = { deleted_at: { $lte: clock.now() - INTERRUPTED_MS } }
      for (const { _id } of await bases.listHidden(interrupted)) await removeBases({ _id })
      for (const { _id } of await documents.listHidden(interrupted)) await removeDocuments({ _id })
      const old = await documentFiles.listOld(Date.now())
      if (old.length > 0) await documentFiles.remove(await documents.listUnknown(old))
      await removeInterruptedRuns()
    },

    /** Removes what was removed from the files of the index too, once it has been due for a while. */
    async purge(signal: AbortSignal): Promise<void> {
      const { removals } = await settings.read()
      const started_at = clock.now()
      const delay_ms = config.purge_seconds * 1000
      if (!removals || started_at - removals.since < delay_ms) return
      await passageIndex.purge(listUsed, { grace_ms: Math.min(GRACE_MS, delay_ms), signal })
      await settings.notePurge(removals, started_at)
    },
  }
}
