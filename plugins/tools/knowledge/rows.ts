import { isForEveryone, type Locale, type TypeOf } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { ReadText } from '../documents/reading/blocks.ts'
import { mayEdit } from './bases.ts'
import type { DocumentSum } from './documents.ts'
import type { Cradle } from './manifest.ts'
import { joinPlaces } from './passages/places.ts'
import type { baseRow, documentRow, documentText } from './schemas.ts'
import type { BaseDocument, DocumentError, KnowledgeDocument } from './types.ts'

/** The part of a caller that decides what they may do. */
export type Reader = Pick<AuthCaller, 'id' | 'groups' | 'role' | 'permissions'>

/** Converts knowledge bases to rows of the API, with the sums of their documents. */
export async function toBaseRows(
  bases: readonly BaseDocument[],
  reader: Reader,
  { documents, settings }: Pick<Cradle, 'documents' | 'settings'>,
): Promise<TypeOf<typeof baseRow>[]> {
  const { active } = await settings.recent()
  const sums = await documents.summarize(
    bases.map(({ _id }) => _id),
    active.id,
  )
  const isPermitted = reader.role === 'admin' || reader.permissions.includes('knowledge_bases')
  return bases.map((base) => {
    const { _id: id, user_id, name, description, owner_username: owner, created_at, updated_at } = base
    const own = sums.filter((each) => each._id.base_id === id)
    const sum = (field: 'documents' | 'bytes' | 'chunks' | 'searchable') =>
      own.reduce((total, each) => total + each[field], 0)
    const count = (...states: string[]) =>
      own.reduce((total, each) => total + (states.includes(each._id.status) ? each.documents : 0), 0)
    const is_rebuilding = own.some(isMissing)
    const status =
      own.length === 0
        ? 'empty'
        : count('queued', 'parsing', 'indexing') > 0 || is_rebuilding
          ? 'indexing'
          : count('ready') > 0
            ? 'ready'
            : 'failed'
    return {
      ...{ id, name, description },
      is_shared: isForEveryone(base),
      is_default: base.is_default && user_id === reader.id,
      owner,
      is_owner: user_id === reader.id,
      can_edit: isPermitted && mayEdit(base, reader),
      documents: sum('documents'),
      bytes: sum('bytes'),
      chunks: sum('chunks'),
      searchable: sum('searchable'),
      status,
      is_rebuilding,
      embedding_model: active.embedding_model,
      ...{ created_at, updated_at },
    }
  })
}

/** True for documents that were indexed, in an index that was lost. */
const isMissing = ({ _id, documents, searchable }: DocumentSum) =>
  _id.status === 'ready' && searchable < documents

/** Returns how far a lost index of bases is made again; undefined if it contains every document. */
export async function findRebuild(
  base_ids: readonly string[],
  { documents, settings }: Pick<Cradle, 'documents' | 'settings'>,
): Promise<{ searchable: number; documents: number } | undefined> {
  const sums = await documents.summarize(base_ids, (await settings.recent()).active.id)
  if (!sums.some(isMissing)) return undefined
  const sum = (field: 'documents' | 'searchable') => sums.reduce((total, each) => total + each[field], 0)
  return { searchable: sum('searchable'), documents: sum('documents') }
}

/** Converts a document to a row of the API; the reason of a failure is in the language of the reader. */
export function toDocumentRow(
  document: KnowledgeDocument,
  index_id: string,
  locale: Locale,
  { describeError }: Pick<Cradle, 'describeError'>,
): TypeOf<typeof documentRow> {
  const { _id: id, path, filename, media_type, size, error, progress, pages, url } = document
  const { fetched_at, refetch, created_at, updated_at } = document
  const describe = ({ code, details }: DocumentError) => ({
    code,
    message: describeError(code, details, locale) ?? code,
  })
  const isLost = document.status === 'ready' && !document.indexes[index_id]
  const status = isLost ? 'queued' : document.status
  return {
    id,
    path,
    filename,
    media_type,
    size,
    status,
    ...(error && { error: describe(error) }),
    progress: isLost ? 0 : progress,
    chunks: document.indexes[index_id]?.chunks ?? 0,
    ...(pages !== null && { pages }),
    ...(url !== null && { url, refetch_days: refetch?.days ?? null }),
    ...(refetch?.error && { refetch_error: describe(refetch.error) }),
    ...(fetched_at && { fetched_at }),
    created_at,
    updated_at,
  }
}

/** Converts a text to the API's form: neighbouring parts on the same page and below the same headings are one place. */
export const toTextRow = ({ text, segments }: ReadText): TypeOf<typeof documentText> => ({
  text,
  places: joinPlaces(segments),
})
