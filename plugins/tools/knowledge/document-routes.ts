import { open } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError, type Locale, type Person, pageReply, type ServerSentEvent } from '#plugin-api'
import { invalid, MAX_FILE_BYTES, MAX_FILES, takeAddress, takeFiles } from './intake.ts'
import { type Cradle, route } from './manifest.ts'
import { toDocumentRow, toTextRow } from './rows.ts'
import {
  baseParams,
  documentChanges,
  documentEvent,
  documentParams,
  documentQuery,
  documentRow,
  documentRows,
  documentText,
  newAddress,
} from './schemas.ts'
import type { BaseDocument, KnowledgeDocument } from './types.ts'
import { planRefetch } from './work/refetching.ts'

const MAY_CHANGE = ['permission', 'knowledge_bases'] as const

/** The bytes of a file, in the word that generators of clients know. */
const BINARY = { type: 'string', format: 'binary' } as const

const NOT_EDITABLE = ['KNOWLEDGE_BASE_NOT_FOUND', 'FORBIDDEN'] as const

const show = async (document: KnowledgeDocument, locale: Locale, cradle: Cradle) =>
  toDocumentRow(document, (await cradle.settings.recent()).active.id, locale, cradle)

/** The routes of the documents of a knowledge base. */
export const documentRoutes = [
  route({
    method: 'GET',
    path: '/knowledge-bases/:id/documents',
    operation_id: 'listKnowledgeDocuments',
    summary: 'List the documents of a knowledge base',
    description: 'Lists the documents by path, optionally only those with one status.',
    guard: 'user',
    params: baseParams,
    query: documentQuery,
    response: { 200: documentRows },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND'],
  }).handle(async ({ caller, params, query, locale }, cradle) => {
    const { _id } = await cradle.bases.find(caller, params.id)
    const { rows, next } = await cradle.documents.list(_id, query.status, query)
    const shown = await Promise.all(rows.map((document) => show(document, locale, cradle)))
    return pageReply(query, { rows: shown, next })
  }),

  route({
    method: 'POST',
    path: '/knowledge-bases/:id/documents',
    operation_id: 'addKnowledgeDocuments',
    summary: 'Add documents to a knowledge base',
    description:
      'Takes files, as fields `file` of a form, or the `url` of a page or file, which is fetched again every `refetch_days`. A `path` that ends in a slash is the folder of all files, otherwise the path of the one file. Each document is read and indexed in the background; one with the path of another replaces it, whose text is found until the new one is ready. A file that the knowledge base contains already is answered with the document it is. Addresses in private networks are refused, and `robots.txt` is respected.',
    guard: MAY_CHANGE,
    params: baseParams,
    upload: { max_bytes: MAX_FILE_BYTES, max_files: MAX_FILES, fields: ['path'] },
    body: newAddress,
    response: { 202: documentRows },
    errors: [...NOT_EDITABLE, 'DOCUMENT_UNSUPPORTED', 'ADDRESS_NOT_ALLOWED', 'LIMIT_REACHED'],
    audit: 'knowledge_document.add',
  }).handle(async ({ caller, params, files, fields, body, locale, note }, cradle) => {
    const base = await cradle.bases.findEditable(caller, params.id)
    const added = files
      ? await takeFiles(base, { files, path: fields.path, payer_id: caller.id }, cradle)
      : [await takeAddress(base, { ...body, payer_id: caller.id }, cradle)]
    note({ documents: added.map(({ path }) => path) })
    return Promise.all(added.map((document) => show(document, locale, cradle)))
  }),

  route({
    method: 'GET',
    path: '/knowledge-bases/:id/documents/:doc_id',
    operation_id: 'getKnowledgeDocument',
    summary: 'Get a document of a knowledge base',
    description: 'Returns the document with the state of its newest content.',
    guard: 'user',
    params: documentParams,
    response: { 200: documentRow },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND', 'NOT_FOUND'],
  }).handle(async ({ caller, params, locale }, cradle) => {
    const base = await cradle.bases.find(caller, params.id)
    return show(await cradle.documents.find(base, params.doc_id), locale, cradle)
  }),

  route({
    method: 'PATCH',
    path: '/knowledge-bases/:id/documents/:doc_id',
    operation_id: 'updateKnowledgeDocument',
    summary: 'Change when a document is fetched again',
    description:
      'Sets the days after which a document with a `url` is fetched again, counted from `fetched_at`. An unchanged one is not read again; the text of a changed one is found until the new one is ready. One that cannot be fetched stays, with its `refetch_error`, and is tried again after an hour, later after longer pauses.',
    guard: MAY_CHANGE,
    params: documentParams,
    body: documentChanges,
    response: { 200: documentRow },
    errors: [...NOT_EDITABLE, 'NOT_FOUND'],
    audit: 'knowledge_document.update',
  }).handle(async ({ caller, params, body: { refetch_days }, locale, note }, cradle) => {
    const { bases, clock, documents } = cradle
    const base = await bases.findEditable(caller, params.id)
    const { _id, path, url, fetched_at } = await documents.find(base, params.doc_id)
    note({ path })
    if (url === null) throw invalid('/refetch_days', 'is for documents with a url')
    const since = fetched_at ? fetched_at * 1000 : clock.now()
    await documents.planRefetch(_id, planRefetch(refetch_days, since))
    return show(await documents.find(base, _id), locale, cradle)
  }),

  route({
    method: 'DELETE',
    path: '/knowledge-bases/:id/documents/:doc_id',
    operation_id: 'deleteKnowledgeDocument',
    summary: 'Delete a document of a knowledge base',
    description: 'Deletes the document with its file; the next search finds nothing of it.',
    guard: MAY_CHANGE,
    params: documentParams,
    response: { 204: null },
    errors: [...NOT_EDITABLE, 'NOT_FOUND'],
    audit: 'knowledge_document.delete',
  }).handle(async ({ caller, params, note }, { bases, documents, removal }) => {
    const base = await bases.findEditable(caller, params.id)
    const { _id, path } = await documents.find(base, params.doc_id)
    note({ path })
    await removal.removeDocuments({ _id })
  }),

  route({
    method: 'GET',
    path: '/knowledge-bases/:id/documents/:doc_id/content',
    operation_id: 'readKnowledgeDocument',
    summary: 'Read a document as it was uploaded',
    description:
      'Sends the newest content as an attachment. It supports `Range`, and `If-None-Match` with an earlier `ETag`.',
    guard: 'user',
    params: documentParams,
    stream: 'file',
    response: { 200: BINARY },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND', 'NOT_FOUND', 'DOCUMENT_NOT_READ'],
  }).handle(async ({ caller, params }, { bases, documents, documentFiles }) => {
    const base = await bases.find(caller, params.id)
    const { filename, media_type, version } = await documents.find(base, params.doc_id)
    const file = await open(documentFiles.contentOf(version)).catch((cause) => {
      throw new AppError('DOCUMENT_NOT_READ', {}, { cause })
    })
    const { size } = await file.stat()
    return { filename, media_type, size, etag: version, is_inline: false, file }
  }),

  route({
    method: 'GET',
    path: '/knowledge-bases/:id/documents/:doc_id/text',
    operation_id: 'readKnowledgeDocumentText',
    summary: 'Read the text of a document',
    description:
      'Returns the text as it was read, with its places: where pages and headings begin and end. The places of passages and sources count characters of this text.',
    guard: 'user',
    params: documentParams,
    response: { 200: documentText },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND', 'NOT_FOUND', 'DOCUMENT_NOT_READ'],
  }).handle(async ({ caller, params }, { bases, documents, documentFiles }) => {
    const base = await bases.find(caller, params.id)
    const { text_version } = await documents.find(base, params.doc_id)
    const text = text_version === null ? undefined : await documentFiles.readText(text_version)
    if (!text) throw new AppError('DOCUMENT_NOT_READ')
    return toTextRow(text)
  }),

  route({
    method: 'POST',
    path: '/knowledge-bases/:id/documents/:doc_id/reindex',
    operation_id: 'reindexKnowledgeDocument',
    summary: 'Index a document again',
    description: 'Queues the document once more, e.g. after it failed.',
    guard: MAY_CHANGE,
    params: documentParams,
    response: { 202: documentRow },
    errors: [...NOT_EDITABLE, 'NOT_FOUND'],
    audit: 'knowledge_document.reindex',
  }).handle(async ({ caller, params, locale }, cradle) => {
    const base = await cradle.bases.findEditable(caller, params.id)
    const { _id } = await cradle.documents.find(base, params.doc_id)
    await cradle.documents.requeue({ _id }, caller.id)
    cradle.changes.notify(base._id)
    cradle.queue.wake()
    return show(await cradle.documents.find(base, _id), locale, cradle)
  }),

  route({
    method: 'GET',
    path: '/knowledge-bases/:id/events',
    operation_id: 'followKnowledgeBase',
    summary: 'Follow the documents of a knowledge base',
    description:
      'Sends the documents that are not ready, then each document whenever it changes: `document.changed` with its row, `document.deleted` with its id.',
    guard: 'user',
    params: baseParams,
    stream: 'events',
    response: { 200: documentEvent },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND'],
  }).handle(async ({ caller, params, locale, signal }, cradle) => {
    const base = await cradle.bases.find(caller, params.id)
    return followDocuments({ base, caller, locale, signal }, cradle)
  }),
]

/** The interval at which changes of other processes are looked for, in milliseconds. */
const POLL_MS = 2000
/** The shortest interval between two looks, so that many steps of progress need few. */
const PACE_MS = 100
const BATCH = 200

/**
 * Yields the documents of a base that are not ready, then each that changes; ends when the base is not readable any
 * more.
 */
async function* followDocuments(
  {
    base: { _id: base_id },
    caller,
    locale,
    signal,
  }: { base: BaseDocument; caller: Person; locale: Locale; signal: AbortSignal },
  cradle: Cradle,
): AsyncGenerator<ServerSentEvent> {
  const { bases, changes, clock, documents, settings } = cradle
  const follower = changes.follow(base_id)
  const sent = new Map<string, number>()
  let since = clock.now()
  try {
    let changed = await documents.listUnready(base_id, BATCH)
    while (!signal.aborted) {
      const { active } = await settings.recent()
      for (const document of changed) {
        since = Math.max(since, document.changed_at)
        if (sent.get(document._id) === document.changed_at) continue
        sent.set(document._id, document.changed_at)
        const row = toDocumentRow(document, active.id, locale, cradle)
        yield { event: 'document.changed', data: { type: 'document.changed', document: row } }
      }
      // Only changes of the latest moment can be found once more.
      for (const [id, at] of sent) if (at < since) sent.delete(id)
      const deleted = await follower.next(changed.length === BATCH ? 0 : POLL_MS, signal)
      for (const id of deleted) yield { event: 'document.deleted', data: { type: 'document.deleted', id } }
      if (signal.aborted || (await bases.listReadableBy(caller.id, [base_id])).length === 0) return
      await pause(PACE_MS)
      changed = await documents.listChanged(base_id, since, BATCH)
    }
  } finally {
    follower.leave()
  }
}
