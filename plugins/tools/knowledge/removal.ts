import type { Filter } from 'mongodb'
import type { Cradle } from './manifest.ts'
import type { BaseDocument, IndexDescription, KnowledgeDocument } from './types.ts'

/** The time after which a removal counts as interrupted, in milliseconds. */
const INTERRUPTED_MS = 60_000

/** Removes documents and bases with all that was made of them. */
export type Removal = ReturnType<typeof createRemoval>

/** Creates the removal. What it has begun is hidden from everyone, and a crash leaves it to be finished later. */
export function createRemoval({
  bases,
  changes,
  clock,
  documentFiles,
  documents,
  log,
  passageIndex,
  settings,
}: Pick<
  Cradle,
  'bases' | 'changes' | 'clock' | 'documentFiles' | 'documents' | 'log' | 'passageIndex' | 'settings'
>) {
  /** Removes passages; what remains because the index cannot be used is never shown. */
  const clean = async (remove: (index: IndexDescription) => Promise<unknown>) => {
    const { active, next } = await settings.read()
    for (const index of [active, ...(next ? [next] : [])])
      await remove(index).catch((error) =>
        log.warn({ error }, 'passages could not be removed from the index of knowledge bases'),
      )
  }

  const discard = async (hidden: readonly KnowledgeDocument[]) => {
    await documentFiles.remove(
      hidden.flatMap(({ version, text_version }) => [version, ...(text_version ? [text_version] : [])]),
    )
    await documents.remove({ _id: { $in: hidden.map(({ _id }) => _id) } })
  }

  const removeDocuments = async (selected: Filter<KnowledgeDocument>): Promise<void> => {
    const hidden = await documents.hide(selected)
    for (const { base_id, _id } of hidden) changes.notifyDeleted(base_id, [_id])
    for (const { _id, indexes } of hidden)
      if (Object.keys(indexes).length > 0) await clean((index) => passageIndex.removeDocument(index, _id))
    await discard(hidden)
  }

  const removeBases = async (selected: Filter<BaseDocument>): Promise<void> => {
    for (const { _id: base_id } of await bases.hide(selected)) {
      const hidden = await documents.hide({ base_id })
      changes.notify(base_id)
      if (hidden.some(({ indexes }) => Object.keys(indexes).length > 0))
        await clean((index) => passageIndex.removeBase(index, base_id))
      await discard(hidden)
      await bases.remove(base_id)
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
    },
  }
}
