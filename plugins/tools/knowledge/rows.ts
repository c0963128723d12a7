import type { Locale, TypeOf } from '#kernel'
import type { Reader } from './bases.ts'
import type { Cradle } from './manifest.ts'
import type { ReadText } from './reading/blocks.ts'
import type { baseRow, documentRow, documentText } from './schemas.ts'
import type { BaseDocument, KnowledgeDocument } from './types.ts'

/** Converts knowledge bases to rows of the API, with the sums of their documents. */
export async function toBaseRows(
  bases: readonly BaseDocument[],
  { id: reader }: Reader,
  { documents, settings }: Pick<Cradle, 'documents' | 'settings'>,
): Promise<TypeOf<typeof baseRow>[]> {
  const { active } = await settings.recent()
  const sums = await documents.summarize(
    bases.map(({ _id }) => _id),
    active.id,
  )
  return bases.map(({ _id: id, user_id, owner_username: owner, deleted_at, ...base }) => {
    const own = sums.filter((each) => each._id.base_id === id)
    const sum = (field: 'documents' | 'bytes' | 'chunks') =>
      own.reduce((total, each) => total + each[field], 0)
    const count = (...states: string[]) =>
      own.reduce((total, each) => total + (states.includes(each._id.status) ? each.documents : 0), 0)
    const status =
      own.length === 0
        ? 'empty'
        : count('queued', 'parsing', 'indexing') > 0
          ? 'indexing'
          : count('ready') > 0
            ? 'ready'
            : 'failed'
    return {
      id,
      ...base,
      is_default: base.is_default && user_id === reader,
      owner,
      is_owner: user_id === reader,
      documents: sum('documents'),
      bytes: sum('bytes'),
      chunks: sum('chunks'),
      status,
      embedding_model: active.embedding_model,
    }
  })
}

/** Converts a document to a row of the API; the reason of a failure is in the language of the reader. */
export function toDocumentRow(
  document: KnowledgeDocument,
  index_id: string,
  locale: Locale,
  { describeError }: Pick<Cradle, 'describeError'>,
): TypeOf<typeof documentRow> {
  const { _id: id, path, filename, media_type, size, status, error, progress, pages, url } = document
  const { created_at, updated_at } = document
  return {
    id,
    path,
    filename,
    media_type,
    size,
    status,
    ...(error && {
      error: { code: error.code, message: describeError(error.code, error.details, locale) ?? error.code },
    }),
    progress,
    chunks: document.indexes[index_id]?.chunks ?? 0,
    ...(pages !== null && { pages }),
    ...(url !== null && { url }),
    created_at,
    updated_at,
  }
}

/** Converts a text to the API's form: neighbouring parts on the same page and below the same headings are one place. */
export function toTextRow({ text, segments }: ReadText): TypeOf<typeof documentText> {
  const places: TypeOf<typeof documentText>['places'] = []
  for (const { start, end, page, heading } of segments) {
    const last = places.at(-1)
    if (last && last.page === page && last.heading === heading) last.end = end
    else places.push({ start, end, ...(page !== undefined && { page }), ...(heading && { heading }) })
  }
  return { text, places }
}
