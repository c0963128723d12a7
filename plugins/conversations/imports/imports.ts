import { AppError, findPage, isDuplicateKey, type Page, type PageRequest } from '#plugin-api'
import type { ThreadOwner } from '../chat/threads/threads.ts'
import type { ImportKind } from './conversation.ts'
import type { ImportDocument, ImportLineDocument, LineStatus, StoredReason } from './documents.ts'
import type { Cradle } from './manifest.ts'

/** The most imports of an account that are kept with their reports. */
const MAX_KEPT = 20
const INDEX_DIGITS = 6

const NO_COUNTS: Record<LineStatus, number> = { imported: 0, unchanged: 0, empty: 0, failed: 0 }

/** The imports of all accounts, and the reports of them. */
export type Imports = ReturnType<typeof createImports>

/** Creates the imports over their collections. */
export function createImports({
  clock,
  collections: { imports, import_lines: lines },
  ids,
  importFiles,
}: Pick<Cradle, 'clock' | 'collections' | 'ids' | 'importFiles'>) {
  const lineId = (import_id: string, index: number) =>
    `${import_id}:${String(index).padStart(INDEX_DIGITS, '0')}`

  const removeReports = async (import_ids: readonly string[]) => {
    for (const _id of import_ids) await importFiles.remove(_id)
    await lines.deleteMany({ import_id: { $in: [...import_ids] } })
  }

  const dropOldest = async (user_id: string) => {
    const old = await imports
      .find({ user_id, is_active: { $exists: false } }, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .skip(MAX_KEPT)
      .toArray()
    const import_ids = old.map(({ _id }) => _id)
    await imports.deleteMany({ _id: { $in: import_ids } })
    await removeReports(import_ids)
  }

  const finish = (state: ImportDocument['state'], reason: StoredReason | null) => ({
    $set: { state, reason, ended_at: clock.seconds() },
    $unset: { is_active: true as const },
  })

  return {
    lineId,
    /** Keeps an uploaded file as an import that is to begin. Throws IMPORT_RUNNING. */
    async create(
      { user_id, agent_id }: ThreadOwner,
      file: { path: string; filename: string; size: number },
      locale: ImportDocument['locale'],
    ): Promise<ImportDocument> {
      const { filename, size } = file
      const created: ImportDocument = {
        ...{ _id: ids.make('imp_'), user_id, agent_id, locale, filename: filename.slice(0, 200), size },
        ...{ kind: null, state: 'queued', is_active: true, reason: null, counts: { ...NO_COUNTS } },
        ...{ next: 0, attempts: 0, bytes_read: 0, bytes_total: 0 },
        ...{ created_at: clock.seconds(), ended_at: null },
      }
      await importFiles.take(created._id, file.path)
      try {
        await imports.insertOne(created)
      } catch (error) {
        await importFiles.remove(created._id)
        throw isDuplicateKey(error) ? new AppError('IMPORT_RUNNING') : error
      }
      await dropOldest(user_id)
      return created
    },
    /** Throws IMPORT_RUNNING if the account has an import with work. */
    async assertNone(user_id: string): Promise<void> {
      if (await imports.findOne({ user_id, is_active: true }, { projection: { _id: 1 } }))
        throw new AppError('IMPORT_RUNNING')
    },
    /** Throws IMPORT_NOT_FOUND. */
    async get(user_id: string, _id: string): Promise<ImportDocument> {
      const document = await imports.findOne({ _id, user_id })
      if (!document) throw new AppError('IMPORT_NOT_FOUND')
      return document
    },
    /** Lists the imports of an account, the newest first. */
    list: (user_id: string, page: PageRequest): Promise<Page<ImportDocument>> =>
      findPage(imports, { parts: [{ user_id }], sort: { _id: -1 } }, page),
    /** Lists the lines of an import in the order of the archive. Throws VALIDATION_FAILED for an unknown cursor. */
    listLines: (
      { _id: import_id, user_id }: ImportDocument,
      { status, ...page }: PageRequest & { status?: LineStatus | undefined },
    ): Promise<Page<ImportLineDocument>> =>
      findPage(
        lines,
        { parts: [{ import_id, user_id, ...(status && { status }) }], sort: { index: 1 } },
        page,
      ),
    /** Ends an import early; its conversations stay. Throws IMPORT_NOT_FOUND. */
    async cancel(user_id: string, _id: string): Promise<ImportDocument> {
      await imports.updateOne({ _id, user_id, is_active: true }, finish('cancelled', null))
      await importFiles.remove(_id)
      return this.get(user_id, _id)
    },
    /** Removes an import and its report; its conversations stay. Throws IMPORT_NOT_FOUND. */
    async remove(user_id: string, _id: string): Promise<void> {
      const { deletedCount } = await imports.deleteOne({ _id, user_id })
      if (deletedCount === 0) throw new AppError('IMPORT_NOT_FOUND')
      await removeReports([_id])
    },
    async removeAllOf(user_id: string): Promise<void> {
      const own = await imports.find({ user_id }, { projection: { _id: 1 } }).toArray()
      await imports.deleteMany({ user_id })
      await removeReports(own.map(({ _id }) => _id))
      await lines.deleteMany({ user_id })
    },

    /** Lists the imports that have work, the oldest first. */
    listActive: (limit: number): Promise<ImportDocument[]> =>
      imports.find({ is_active: true }).sort({ _id: 1 }).limit(limit).toArray(),
    isActive: async ({ _id }: Pick<ImportDocument, '_id'>): Promise<boolean> =>
      (await imports.countDocuments({ _id, is_active: true })) > 0,
    /** Notes an attempt and returns the import as it is now; null if it has no work any more. */
    begin: ({ _id }: ImportDocument): Promise<ImportDocument | null> =>
      imports.findOneAndUpdate(
        { _id, is_active: true },
        { $set: { state: 'running' }, $inc: { attempts: 1 } },
        { returnDocument: 'after' },
      ),
    /** Returns the line that an earlier attempt has written for a conversation. */
    findLine: ({ _id }: ImportDocument, index: number): Promise<ImportLineDocument | null> =>
      lines.findOne({ _id: lineId(_id, index) }),
    /** Writes a line and goes on to the next conversation; false if the import was cancelled or removed. */
    async advance(
      line: ImportLineDocument,
      progress: { kind: ImportKind | null; bytes_read: number; bytes_total: number },
    ): Promise<boolean> {
      const { _id, import_id, index, status } = line
      await lines.replaceOne({ _id }, line, { upsert: true })
      const { matchedCount } = await imports.updateOne(
        { _id: import_id, is_active: true, next: index },
        {
          $set: { ...progress, next: index + 1, attempts: 0 },
          $inc: { [`counts.${status}`]: 1 },
        },
      )
      if (matchedCount === 0) await this.dropOrphans(import_id)
      return matchedCount === 1
    },
    /** Removes the lines of an import that was removed while one of them was written. */
    async dropOrphans(import_id: string): Promise<void> {
      if (!(await imports.findOne({ _id: import_id }, { projection: { _id: 1 } })))
        await lines.deleteMany({ import_id })
    },
    /** Ends an import that has work, as failed if there is a reason. */
    async end({ _id }: Pick<ImportDocument, '_id'>, reason: StoredReason | null): Promise<void> {
      await imports.updateOne({ _id, is_active: true }, finish(reason ? 'failed' : 'done', reason))
      await importFiles.remove(_id)
    },
  }
}
