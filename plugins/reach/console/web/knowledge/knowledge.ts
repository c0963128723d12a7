import type { components } from '#client'
import { saveBlob } from '../agents/files.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { ifMatch, send, sendTagged } from '../server/send.ts'

export type KnowledgeBase = components['schemas']['KnowledgeBase']
export type KnowledgeDocument = components['schemas']['KnowledgeDocument']
export type BaseValues = Pick<KnowledgeBase, 'name' | 'description' | 'is_default'>

/** A document, and a place in it. */
export interface DocumentPlace {
  base_id: string
  document_id: string
  filename: string
  locator?: { start: number; end: number; page?: number; heading?: string }
  /** The words at the place, for readers without access to the document. */
  passage?: string | undefined
}

/** The page of a place, and the headings above it, in words. */
export const nameOfPlace = ({ page, heading }: NonNullable<DocumentPlace['locator']>): string =>
  [page && t('chat.document_page', { page }), heading].filter(Boolean).join(' · ')

/** Reads a knowledge base with the tag of its version. */
export const readBase = (id: string) =>
  sendTagged(client.GET('/knowledge-bases/{id}', { params: { path: { id } } }))

/** Stores a new knowledge base. */
export const createBase = (body: BaseValues) => send(client.POST('/knowledge-bases', { body }))

/** Stores the changes of a knowledge base; refused if it has changed since the version of the tag. */
export const changeBase = (id: string, body: Partial<BaseValues>, tag: string | null) =>
  send(client.PATCH('/knowledge-bases/{id}', { params: { path: { id }, header: ifMatch(tag) }, body }))

/** Adds a file to a knowledge base, in place of the document of this name. */
export function addFile(id: string, file: File) {
  const form = new FormData()
  form.append('file', file)
  const body = { file: [file.name] }
  const params = { path: { id } }
  return send(client.POST('/knowledge-bases/{id}/documents', { params, body, bodySerializer: () => form }))
}

/** Adds the page or file at an address to a knowledge base. */
export const addAddress = (id: string, body: { url: string; refetch_days: number | null }) =>
  send(client.POST('/knowledge-bases/{id}/documents', { params: { path: { id } }, body }))

const paramsOf = (id: string, doc_id: string) => ({ params: { path: { id, doc_id } } })

/** Saves a document as it was uploaded on the computer of the person. */
export async function downloadDocument(base_id: string, { id, filename }: { id: string; filename: string }) {
  const { data, error } = await client.GET('/knowledge-bases/{id}/documents/{doc_id}/content', {
    ...paramsOf(base_id, id),
    parseAs: 'blob',
  })
  if (error !== undefined) throw error
  saveBlob(data as unknown as Blob, filename)
}

/** Sets when a document is fetched again. */
export const changeRefetch = (base_id: string, { id }: KnowledgeDocument, refetch_days: number | null) =>
  send(
    client.PATCH('/knowledge-bases/{id}/documents/{doc_id}', {
      ...paramsOf(base_id, id),
      body: { refetch_days },
    }),
  )

/** Reprocesses a document. */
export const reindexDocument = (base_id: string, { id }: KnowledgeDocument) =>
  send(client.POST('/knowledge-bases/{id}/documents/{doc_id}/reindex', paramsOf(base_id, id)))

/** Deletes a document. */
export const deleteDocument = (base_id: string, { id }: KnowledgeDocument) =>
  send<unknown>(client.DELETE('/knowledge-bases/{id}/documents/{doc_id}', paramsOf(base_id, id)))
