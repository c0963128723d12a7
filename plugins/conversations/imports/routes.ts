import { AppError, type ErrorCode, type Locale, linkToNext, pageReply, reply } from '#plugin-api'
import type { ImportDocument, ImportLineDocument, StoredReason } from './documents.ts'
import { type Cradle, route } from './manifest.ts'
import { importParams, importReport, importRow, importsQuery, linesQuery } from './schemas.ts'

/** The most bytes that the configuration may allow an archive. */
const MAX_UPLOAD_BYTES = 64 * 1024 ** 3

type Words = Pick<Cradle, 'explainError'>

const toReason = (reason: StoredReason | null, locale: Locale, { explainError }: Words) => {
  if (!reason) return null
  const { code, message } = explainError(new AppError(reason.code as ErrorCode, reason.details), locale, '')
  return { code, message }
}

function toRow(document: ImportDocument, locale: Locale, words: Words) {
  const { _id: id, agent_id, filename, size, kind, state, reason, counts, created_at, ended_at } = document
  const { bytes_read, bytes_total } = document
  const read = bytes_total === 0 ? 0 : Math.min(1, bytes_read / bytes_total)
  return {
    ...{ id, agent_id, filename, size, kind, state, reason: toReason(reason, locale, words), counts },
    ...{ progress: state === 'done' ? 1 : read, created_at, ended_at },
  }
}

const toLine = (
  { index, title, status, reason, messages, agent_id, thread_id }: ImportLineDocument,
  locale: Locale,
  words: Words,
) => ({ index, title, status, reason: toReason(reason, locale, words), messages, agent_id, thread_id })

const createImport = route({
  method: 'POST',
  path: '/imports',
  operation_id: 'createImport',
  summary: 'Import conversations of another product',
  description:
    'Imports the conversations of an export of ChatGPT, Claude, Open WebUI or LibreChat: the ZIP archive as it was downloaded, or a JSON file of it, as the field `file` of a form. The field `agent` names the agent that the conversations go to, by its id or the name of one of your own; without it, they go to your agent `assistant`. The product is recognized by the content. The import runs in the background: poll it by its id. The same conversation is imported once for an account, so a newer archive adds what is new. An account has one import at a time.',
  guard: 'importer',
  scope: 'chat',
  upload: { max_bytes: MAX_UPLOAD_BYTES, max_files: 1, fields: ['agent'] },
  response: { 202: importRow },
  errors: ['AGENT_NOT_FOUND', 'BODY_TOO_LARGE', 'IMPORT_RUNNING'],
  audit: { action: 'import.create', target: 'id' },
}).handle(async ({ caller, files, fields, locale, note }, cradle) => {
  const { agents, config, imports, importWorker } = cradle
  const [file] = files
  const limit = config.max_archive_mb * 1024 * 1024
  if (file!.size > limit) throw new AppError('BODY_TOO_LARGE', { limit })
  const agent = await agents.findRequested({ method: 'POST' }, caller, fields.agent || DEFAULT_AGENT)
  note({ filename: file!.filename, agent_id: agent._id })
  const created = await imports.create({ user_id: caller.id, agent_id: agent._id }, file!, locale)
  importWorker.start(created._id)
  return toRow(created, locale, cradle)
})

/** The name of the agent that every account begins with. */
const DEFAULT_AGENT = 'assistant'

const listImports = route({
  method: 'GET',
  path: '/imports',
  operation_id: 'listImports',
  summary: 'List your imports',
  description: 'Lists your last imports, the newest first.',
  guard: 'user',
  query: importsQuery,
  response: { 200: { type: 'array', items: importRow } },
}).handle(async ({ caller, locale, query }, cradle) => {
  const { rows, next } = await cradle.imports.list(caller.id, query)
  return pageReply(query, { rows: rows.map((row) => toRow(row, locale, cradle)), next })
})

const getImport = route({
  method: 'GET',
  path: '/imports/:id',
  operation_id: 'getImport',
  summary: 'Get an import with its report',
  description:
    'Returns the state of an import and a page of its report, which has one line for each conversation, in the order of the archive. The header Link names the next page.',
  guard: 'user',
  params: importParams,
  query: linesQuery,
  response: { 200: importReport },
  errors: ['IMPORT_NOT_FOUND'],
}).handle(async ({ caller, locale, params, query }, cradle) => {
  const current = await cradle.imports.get(caller.id, params.id)
  const { rows, next } = await cradle.imports.listLines(current, query)
  const lines = rows.map((line) => toLine(line, locale, cradle))
  return reply(200, { ...toRow(current, locale, cradle), lines }, linkToNext(query, next))
})

const cancelImport = route({
  method: 'POST',
  path: '/imports/:id/cancel',
  operation_id: 'cancelImport',
  summary: 'Cancel an import',
  description: 'Ends a running import early. Conversations that it has imported stay.',
  guard: 'user',
  scope: 'chat',
  params: importParams,
  response: { 200: importRow },
  errors: ['IMPORT_NOT_FOUND'],
  audit: 'import.cancel',
}).handle(async ({ caller, locale, params }, cradle) =>
  toRow(await cradle.imports.cancel(caller.id, params.id), locale, cradle),
)

const deleteImport = route({
  method: 'DELETE',
  path: '/imports/:id',
  operation_id: 'deleteImport',
  summary: 'Delete an import',
  description:
    'Deletes an import with its report; a running one is cancelled. Conversations that it has imported stay.',
  guard: 'user',
  scope: 'chat',
  params: importParams,
  response: { 204: null },
  errors: ['IMPORT_NOT_FOUND'],
  audit: 'import.delete',
}).handle(async ({ caller, params }, { imports }) => {
  await imports.remove(caller.id, params.id)
})

/** The routes of imports. */
export const importRoutes = [createImport, listImports, getImport, cancelImport, deleteImport]
