import type { Document, Filter, IndexDescription } from 'mongodb'
import { AppError, findPage, isDuplicateKey, type PageRequest } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type {
  BaseDocument,
  DocumentStatus,
  KnowledgeDocument,
  IndexDescription as PassageIndexDescription,
  RefetchPlan,
} from './types.ts'

/** The indexes for lists, paths, contents, the queue and what follows changes. */
export const documentIndexes: IndexDescription[] = [
  { key: { base_id: 1, path: 1 }, unique: true },
  { key: { base_id: 1, hash: 1 } },
  { key: { base_id: 1, changed_at: 1 } },
  { key: { user_id: 1, size: 1 } },
  { key: { version: 1 } },
  { key: { 'work.wake_at': 1, user_id: 1 }, partialFilterExpression: { 'work.wake_at': { $exists: true } } },
  { key: { 'refetch.due_at': 1 }, partialFilterExpression: { 'refetch.due_at': { $exists: true } } },
  { key: { deleted_at: 1 }, partialFilterExpression: { deleted_at: { $exists: true } } },
]

const live = { deleted_at: { $exists: false } }

/** The content of a new document, or of one that it replaces. */
export type NewContent = Pick<
  KnowledgeDocument,
  'path' | 'filename' | 'media_type' | 'size' | 'hash' | 'url' | 'version'
> &
  Required<Pick<KnowledgeDocument, 'fetched_at' | 'validators' | 'refetch'>>

/** The documents of a base with one status. */
export interface DocumentSum {
  _id: { base_id: string; status: DocumentStatus }
  documents: number
  bytes: number
  /** The passages in an index, and the documents that have some. */
  chunks: number
  searchable: number
}

/** The work that is due, on documents that took long so far or on others. */
interface DueWork {
  now: number
  is_hard: boolean
}

const dueIn = ({ now, is_hard }: DueWork) => ({
  'work.wake_at': { $lte: now },
  'work.is_hard': is_hard ? true : { $ne: true as const },
})

/** The id of an index of passages. */
type IndexName = Pick<PassageIndexDescription, 'id'>

/** The documents of knowledge bases. */
export type Documents = ReturnType<typeof createDocuments>

/** Creates the store of documents. */
export function createDocuments({
  collections: { knowledge_documents: documents },
  clock,
  ids,
  changes,
}: Pick<Cradle, 'collections' | 'clock' | 'ids' | 'changes'>) {
  /** The fields that put a document into the queue. */
  const queued = (payer_id?: string) => ({
    status: 'queued' as const,
    error: null,
    progress: 0,
    work: { queued_at: clock.now(), wake_at: clock.now(), attempts: 0, ...(payer_id && { payer_id }) },
    changed_at: clock.now(),
  })

  const update = async (
    selected: Filter<KnowledgeDocument>,
    change: Document,
  ): Promise<KnowledgeDocument | null> => {
    const changed = await documents.findOneAndUpdate({ ...selected, ...live }, change, {
      returnDocument: 'after',
    })
    if (changed) changes.notify(changed.base_id)
    return changed
  }

  /** Selects the documents that are due to be fetched again; those in the queue wait for its end. */
  const dueAgain = () => ({ 'refetch.due_at': { $lte: clock.now() }, work: { $exists: false }, ...live })

  /** Changes a claimed document, unless its content or its plan has changed since. */
  const changeClaimed = ({ _id, version, refetch }: KnowledgeDocument, fields: Document) =>
    update(
      { _id, version, 'refetch.due_at': refetch!.due_at },
      { $set: { ...fields, changed_at: clock.now() } },
    )

  return {
    /** Changes a document if it still has this content; null if it has another one or was removed. */
    change: ({ _id, version }: KnowledgeDocument, fields: Document) =>
      update({ _id, version }, { $set: { ...fields, changed_at: clock.now() } }),

    /** The same, and takes it out of the queue; it counts as missing in the `waiting` index. */
    finish: ({ _id, version }: KnowledgeDocument, fields: Document, waiting?: IndexName) =>
      update(
        { _id, version },
        {
          $set: { ...fields, updated_at: clock.seconds(), changed_at: clock.now() },
          $unset: { work: 1, ...(waiting && { [`indexes.${waiting.id}`]: 1 }) },
        },
      ),

    /** Throws NOT_FOUND. */
    async find({ _id: base_id }: BaseDocument, _id: string): Promise<KnowledgeDocument> {
      const document = await documents.findOne({ _id, base_id, ...live })
      if (!document) throw new AppError('NOT_FOUND')
      return document
    },

    findAll: (ids: readonly string[]) => documents.find({ _id: { $in: [...ids] }, ...live }).toArray(),

    /** Returns a document of a base with this content. */
    findSame: (base_id: string, hash: string) => documents.findOne({ base_id, hash, ...live }),

    findAtPath: (base_id: string, path: string) => documents.findOne({ base_id, path, ...live }),

    /** Lists the documents of a base by their paths. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (base_id: string, status: DocumentStatus | undefined, page: PageRequest) =>
      findPage(
        documents,
        { parts: [{ base_id, ...(status && { status }), ...live }], sort: { path: 1 } },
        page,
      ),

    /** Returns the documents of a base that have changed from a time in Unix milliseconds on, the oldest first. */
    listChanged: (base_id: string, since: number, most: number) =>
      documents
        .find({ base_id, changed_at: { $gte: since }, ...live })
        .sort({ changed_at: 1 })
        .limit(most)
        .toArray(),

    /** Returns documents of a base that are queued or worked on. */
    listUnready: (base_id: string, most: number) =>
      documents
        .find({ base_id, status: { $in: ['queued', 'parsing', 'indexing'] }, ...live })
        .sort({ path: 1 })
        .limit(most)
        .toArray(),

    countOf: (base_id: string) => documents.countDocuments({ base_id, ...live }),

    /** Returns the bytes of all documents of an account. */
    async sumBytes(user_id: string): Promise<number> {
      const [sum] = await documents
        .aggregate<{ bytes: number }>([
          { $match: { user_id, ...live } },
          { $group: { _id: null, bytes: { $sum: '$size' } } },
        ])
        .toArray()
      return sum?.bytes ?? 0
    },

    /** Adds up the sizes of all documents, as they were uploaded. */
    async sumAllBytes(): Promise<number> {
      const [sum] = await documents
        .aggregate<{ bytes: number }>([{ $group: { _id: null, bytes: { $sum: '$size' } } }])
        .toArray()
      return sum?.bytes ?? 0
    },

    /** Counts the documents of bases by status, with their bytes, and what of them an index contains. */
    summarize: (base_ids: readonly string[], index_id: string) =>
      documents
        .aggregate<DocumentSum>([
          { $match: { base_id: { $in: [...base_ids] }, ...live } },
          {
            $group: {
              _id: { base_id: '$base_id', status: '$status' },
              documents: { $sum: 1 },
              bytes: { $sum: '$size' },
              chunks: { $sum: `$indexes.${index_id}.chunks` },
              searchable: { $sum: { $cond: [{ $gt: [`$indexes.${index_id}`, null] }, 1, 0] } },
            },
          },
        ])
        .toArray(),

    /**
     * Stores a document, or another content of the one with its path, and queues it at the cost of an account. Returns the version that no
     * longer counts, if there is one.
     */
    async put(
      { _id: base_id, user_id }: BaseDocument,
      content: NewContent,
      payer_id: string,
    ): Promise<{ document: KnowledgeDocument; unused?: string }> {
      const now = clock.seconds()
      const fresh: KnowledgeDocument = {
        _id: ids.make('doc_'),
        base_id,
        user_id,
        ...content,
        text_version: null,
        pages: null,
        indexes: {},
        created_at: now,
        updated_at: now,
        ...queued(payer_id),
      }
      for (;;) {
        const replaced = await documents.findOneAndUpdate(
          { base_id, path: content.path, ...live },
          { $set: { ...content, ...queued(payer_id), updated_at: now } },
        )
        if (replaced) {
          changes.notify(base_id)
          const unused = replaced.version === replaced.text_version ? undefined : replaced.version
          return { document: { ...replaced, ...content, ...queued(payer_id), updated_at: now }, unused }
        }
        try {
          await documents.insertOne(fresh)
          changes.notify(base_id)
          return { document: fresh }
        } catch (error) {
          // A concurrent request has stored a document at this path.
          if (!isDuplicateKey(error)) throw error
        }
      }
    },

    /** Sets when a document is fetched again. */
    planRefetch: (_id: string, refetch: RefetchPlan | null) =>
      update({ _id }, { $set: { refetch, changed_at: clock.now() } }),

    /** Returns the accounts with documents that are due to be fetched again. */
    listRefetchAccounts: (): Promise<string[]> => documents.distinct('user_id', dueAgain()),

    /** Returns the document of an account that is due first; no other process fetches it before `until`. */
    claimRefetch: (user_id: string, until: number) =>
      documents.findOneAndUpdate(
        { user_id, ...dueAgain() },
        { $set: { 'refetch.due_at': until } },
        { sort: { 'refetch.due_at': 1 }, returnDocument: 'after' },
      ),

    /** Notes how fetching a claimed document again has ended; null if the document has changed since. */
    endRefetch: changeClaimed,

    /** The same, with a new content, which is queued. */
    replaceRefetched: (document: KnowledgeDocument, content: Document) =>
      changeClaimed(document, { ...content, ...queued(), updated_at: clock.seconds() }),

    /** Queues documents once more, at the cost of an account; what is found of them stays until then. */
    async requeue(selected: Filter<KnowledgeDocument>, payer_id: string): Promise<void> {
      await documents.updateMany({ ...selected, ...live }, { $set: queued(payer_id) })
    },

    /** Hides documents from everyone and frees their paths; returns those that remain to be removed. */
    async hide(selected: Filter<KnowledgeDocument>): Promise<KnowledgeDocument[]> {
      await documents.updateMany({ ...selected, ...live }, [
        {
          $set: {
            deleted_at: { $literal: clock.now() },
            path: { $concat: [{ $literal: '\u0001' }, '$_id'] },
          },
        },
        { $unset: 'work' },
      ])
      return documents.find({ ...selected, deleted_at: { $exists: true } }).toArray()
    },

    listHidden: (selected: Filter<KnowledgeDocument>) => documents.find(selected).toArray(),

    remove: (selected: Filter<KnowledgeDocument>) => documents.deleteMany(selected),

    /** Returns the versions that no document has. */
    async listUnknown(versions: readonly string[]): Promise<string[]> {
      const users = await documents
        .find(
          { $or: [{ version: { $in: [...versions] } }, { text_version: { $in: [...versions] } }] },
          { projection: { version: 1, text_version: 1 } },
        )
        .toArray()
      const usedVersions = new Set(users.flatMap(({ version, text_version }) => [version, text_version]))
      return versions.filter((version) => !usedVersions.has(version))
    },

    /** Returns the accounts with due work on documents that took long so far, or on others, the oldest work first. */
    async listWaiting(selected: DueWork): Promise<string[]> {
      const waiting = await documents
        .aggregate<{ _id: string }>([
          { $match: dueIn(selected) },
          { $group: { _id: '$user_id', queued_at: { $min: '$work.queued_at' } } },
          { $sort: { queued_at: 1 } },
        ])
        .toArray()
      return waiting.map(({ _id }) => _id)
    },

    /** Returns the document of an account whose turn it is. */
    findDue: (user_id: string, selected: DueWork) =>
      documents.findOne({ user_id, ...dueIn(selected) }, { sort: { 'work.queued_at': 1, _id: 1 } }),

    /** Queues the documents that are missing in an index; returns how many there are. */
    async queueMissing(index_id: string): Promise<number> {
      const missing = {
        [`indexes.${index_id}`]: { $exists: false },
        status: { $ne: 'failed' as const },
        ...live,
      }
      await documents.updateMany({ ...missing, work: { $exists: false } }, [
        {
          $set: {
            work: { queued_at: clock.now(), wake_at: clock.now(), attempts: 0 },
          },
        },
      ])
      return documents.countDocuments(missing)
    },

    /** True if an index contains documents. */
    isIndexed: async (index_id: string): Promise<boolean> =>
      (await documents.findOne({ [`indexes.${index_id}`]: { $exists: true }, ...live })) !== null,

    /** Forgets an index that was dropped. */
    async forgetIndex(index_id: string): Promise<void> {
      await documents.updateMany(
        { [`indexes.${index_id}`]: { $exists: true } },
        { $unset: { [`indexes.${index_id}`]: 1 } },
      )
    },
  }
}
