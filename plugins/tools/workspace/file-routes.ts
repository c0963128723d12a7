import type { BigIntStats } from 'node:fs'
import { AppError, listsTag, pageReply, reply } from '#plugin-api'
import { packFolder } from './archive.ts'
import { selectPages } from './document-pages.ts'
import {
  createVisibility,
  findReadable,
  findVisible,
  openContent,
  resolvePlace,
  toPath,
  withApiErrors,
} from './file-access.ts'
import { type ListedFile, listFolder } from './file-list.ts'
import {
  archiveQuery,
  BINARY,
  contentQuery,
  deleteQuery,
  documentQuery,
  documentText,
  fileRow,
  fileRows,
  folderBody,
  folderRow,
  listQuery,
  moveBody,
  targetQuery,
  uploadRow,
} from './file-schemas.ts'
import {
  type Entry,
  findEntry,
  makeFolder,
  moveEntry,
  partsOf,
  readEntry,
  removeEntry,
} from './files/entry-change.ts'
import { createEtag, toFileRow } from './files/file-facts.ts'
import { FileFailure } from './files/file-failure.ts'
import { adoptFile } from './files/file-replacement.ts'
import { listLargest } from './largest-files.ts'
import { linkRoutes } from './links.ts'
import { route } from './manifest.ts'
import { storageRoute } from './storage.ts'
import { receiveFile } from './uploads.ts'

const MAX_FILE_BYTES = 20 * 1024 * 1024
/** The time for which an upload waits until its document is read, in milliseconds. */
const READ_WAIT_MS = 2000
/** The most characters of the pages of one reply. */
const MAX_PAGES_CHARS = 200_000

const uploadFile = route({
  method: 'POST',
  path: '/agents/:id/upload',
  operation_id: 'uploadFile',
  summary: 'Upload a file for use in a turn',
  description:
    "Stores the field `file` of the form in the folder `inbound` of the agent's workspace. If the name is taken, the file gets a number, so use the `path` of the reply, for instance in an `image` or `file` block of a message. Guests of a shared agent may upload too, and read what they have uploaded. The reply waits up to two seconds until a document is read; `document` then says what is known of it.",
  guard: 'agent',
  scope: 'chat',
  upload: { max_bytes: MAX_FILE_BYTES },
  response: { 200: uploadRow },
  errors: ['WORKSPACE_UNUSABLE', 'LIMIT_REACHED'],
  audit: 'agent.upload',
}).handle(async ({ agent, caller, file, locale }, services) => {
  const stored = await receiveFile({ agent_id: agent._id, file, user_id: caller.id }, services)
  const request = { agent_id: agent._id, user_id: caller.id, path: stored.path }
  const document = await services.workspaceDocuments.begin(request, { locale, wait_ms: READ_WAIT_MS })
  return { ...stored, ...(document && { document }) }
})

const listFiles = route({
  method: 'GET',
  path: '/agents/:id/files',
  operation_id: 'listFiles',
  summary: 'List the files of a folder',
  description:
    'Lists the folder page by page, folders first; with `recursive=true` the contents of each folder follow it. With `sort=size` it lists the files only, the largest first. Guests of a shared agent see only files of their own threads and the folders that lead to them.',
  guard: 'agent',
  query: listQuery,
  response: { 200: fileRows },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE'],
}).handle(async ({ agent, caller, query, locale }, services) => {
  const asker = { agent, caller }
  const isVisible = await createVisibility(asker, services)
  const location = await findVisible(asker, query.path, services, isVisible)
  const list = query.sort === 'size' ? listLargest : listFolder
  const { rows, next } = await withApiErrors(query.path, () => list(location, query, isVisible), {
    creates: true,
  })
  const etags = rows.flatMap(({ etag }: ListedFile) => etag ?? [])
  const facts = await services.workspaceDocuments.listFacts(agent._id, etags, locale)
  const toRow = ({ etag, ...row }: ListedFile) => {
    const document = etag && facts.get(etag)
    return document ? { ...row, document } : row
  }
  return pageReply(query, { rows: rows.map(toRow), next })
})

const readFile = route({
  method: 'GET',
  path: '/agents/:id/files/content',
  operation_id: 'readFile',
  summary: 'Read a file',
  description:
    'Sends the file as an attachment, or for display with `inline=true`. It supports `Range`, and `If-None-Match` with an earlier `ETag`. Guests of a shared agent read only files of their own threads.',
  guard: 'agent',
  query: contentQuery,
  stream: 'file',
  response: { 200: BINARY },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE'],
}).handle(async ({ agent, caller, query }, services) =>
  openContent(await findReadable({ agent, caller }, query.path, services), { inline: Boolean(query.inline) }),
)

const readDocument = route({
  method: 'GET',
  path: '/agents/:id/files/document',
  operation_id: 'readDocument',
  summary: 'Read the text of a document',
  description:
    'Returns the text of the file as agents read it, page by page: of PDF, Office, OpenDocument, EPUB, mail, HTML, CSV and other text files. Long documents come in several replies. Guests of a shared agent read only files of their own threads.',
  guard: 'agent',
  query: documentQuery,
  response: { 200: documentText },
  errors: [
    'NOT_FOUND',
    'FILE_UNUSABLE',
    'DOCUMENT_KIND_UNSUPPORTED',
    'DOCUMENT_ENCRYPTED',
    'DOCUMENT_DAMAGED',
    'DOCUMENT_TOO_LARGE',
    'DOCUMENT_TIMEOUT',
  ],
}).handle(async ({ agent, caller, query, locale, signal }, services) => {
  const path = toPath(await findReadable({ agent, caller }, query.path, services))
  const request = { agent_id: agent._id, user_id: caller.id, path }
  const { workspaceDocuments } = services
  const document = await withApiErrors(query.path, () => workspaceDocuments.read(request, locale, signal))
  const { facts, failure } = document
  if (failure) throw failure
  return { kind: facts.kind, document: facts, ...(await selectPages(document, query.pages, MAX_PAGES_CHARS)) }
})

const writeFile = route({
  method: 'PUT',
  path: '/agents/:id/files/content',
  operation_id: 'writeFile',
  summary: 'Write a file',
  description:
    'Stores the body of the request, whatever its media type, as the file; parent folders are created. The reply is 201 if the file is new. With `If-Match` and an `ETag`, or with `If-None-Match: *`, a file that somebody else has changed or created is not replaced.',
  guard: 'editor',
  query: targetQuery,
  upload: { max_bytes: MAX_FILE_BYTES, as: 'body' },
  response: { 200: fileRow, 201: fileRow },
  errors: ['FILE_UNUSABLE', 'PRECONDITION_FAILED', 'LIMIT_REACHED'],
  audit: 'file.write',
}).handle(async ({ agent, query: { path }, file, headers }, { agents, guestUploads, workspaceRoom }) => {
  if (headers['content-range'])
    throw new AppError('FILE_UNUSABLE', { reason: 'replacing a part of it is not supported' })
  const workspace = await agents.prepareWorkspace(agent._id)
  return withApiErrors(
    path,
    async () => {
      if (path.endsWith('/')) throw new FileFailure('the path names a folder, not a file')
      const location = await resolvePlace(workspace, path)
      const grow = workspaceRoom.growthOf(agent._id)
      const check = (current: BigIntStats | undefined) => checkConditions(headers, current)
      const { stats, is_new } = await refuseNewer(adoptFile(location, file, { grow, check }))
      await guestUploads.forget(agent._id, toPath(location))
      return reply(is_new ? 201 : 200, toFileRow(toPath(location), stats)!, {
        ETag: `"${createEtag(stats)}"`,
      })
    },
    { creates: true },
  )
})

/** Throws PRECONDITION_FAILED unless the file meets the conditions of the request (RFC 9110, 13.1). */
function checkConditions(headers: Headers, current: BigIntStats | undefined): { only_new: boolean } {
  const [match, none] = [headers['if-match'], headers['if-none-match']].map((list) => list?.toString())
  const etag = current && createEtag(current)
  const isMet =
    (!match || (etag && listsTag(match, etag, { weak: false }))) &&
    !(none && etag && listsTag(none, etag, { weak: true }))
  if (!isMet) throw new AppError('PRECONDITION_FAILED')
  return { only_new: none?.trim() === '*' }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Throws PRECONDITION_FAILED also for a file that was created after the conditions were checked. */
const refuseNewer = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((cause) => {
    throw cause.code === 'EEXIST' ? new AppError('PRECONDITION_FAILED', {}, { cause }) : cause
  })

const deleteFile = route({
  method: 'DELETE',
  path: '/agents/:id/files',
  operation_id: 'deleteFile',
  summary: 'Delete a file or folder',
  description:
    'Deletes the file or the empty folder at the path; a folder with contents only if `recursive` is true. A link is removed, not what it leads to.',
  guard: 'editor',
  query: deleteQuery,
  response: { 204: null },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE', 'DIRECTORY_NOT_EMPTY'],
  audit: 'file.delete',
}).handle(async ({ agent, query }, { agents, guestUploads, workspaceRoom }) => {
  await withApiErrors(query.path, async () => {
    const entry = await findEntry(agents.workspaceOf(agent._id), query.path)
    const bytes = await removeEntry(entry, { recursive: Boolean(query.recursive) })
    workspaceRoom.shrink(agent._id, bytes)
    await guestUploads.forget(agent._id, joinPath(entry))
  })
})

const moveFile = route({
  method: 'POST',
  path: '/agents/:id/files/move',
  operation_id: 'moveFile',
  summary: 'Move or rename a file or folder',
  description:
    'Moves within the workspace and creates missing parent folders. A file at the new path is replaced only if `overwrite` is true.',
  guard: 'editor',
  body: moveBody,
  response: { 200: fileRow },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE', 'FILE_EXISTS', 'DIRECTORY_NOT_EMPTY'],
  audit: 'file.move',
}).handle(({ agent, body }, { agents, guestUploads }) => {
  const workspace = agents.workspaceOf(agent._id)
  const move = async () => {
    const [from, to] = [await findEntry(workspace, body.from), await findEntry(workspace, body.to)]
    await moveEntry(from, to, body)
    for (const entry of [from, to]) await guestUploads.forget(agent._id, joinPath(entry))
    return readRow(to)
  }
  return withApiErrors(body.from, move, { creates: true, target: '/to' })
})

const makeDirectory = route({
  method: 'POST',
  path: '/agents/:id/files/directories',
  operation_id: 'createDirectory',
  summary: 'Create a folder',
  description: 'Creates the folder and missing parent folders. Writing a file creates its folders as well.',
  guard: 'editor',
  body: folderBody,
  response: { 201: folderRow },
  errors: ['FILE_UNUSABLE', 'FILE_EXISTS'],
  audit: 'file.make_directory',
}).handle(async ({ agent, body: { path } }, { agents }) => {
  const workspace = await agents.prepareWorkspace(agent._id)
  return withApiErrors(
    path,
    async () => {
      const entry = await findEntry(workspace, path)
      await makeFolder(entry)
      return readRow(entry)
    },
    { creates: true },
  )
})

const joinPath = (entry: Entry) => partsOf(entry).join('/')

/** Reads the row of a new entry; throws NOT_FOUND if something else has taken its place. */
async function readRow(entry: Entry) {
  const row = toFileRow(joinPath(entry), await readEntry(entry))
  if (!row) throw new AppError('NOT_FOUND')
  return row
}

const readArchive = route({
  method: 'GET',
  path: '/agents/:id/files/archive',
  operation_id: 'downloadArchive',
  summary: 'Download a folder as a zip archive',
  description:
    'Packs the files of the folder while it sends them; links are left out. Only the owner of the agent and administrators may do this; for others the folder does not exist.',
  guard: 'agent',
  query: archiveQuery,
  stream: 'download',
  response: { 200: BINARY },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE', 'ARCHIVE_TOO_LARGE'],
}).handle(async ({ agent, caller, query: { path } }, { agents }) => {
  // Guests may read single files but no folders.
  if (!agents.mayEdit(agent, caller)) throw new AppError('NOT_FOUND')
  return withApiErrors(
    path,
    async () => {
      const location = await resolvePlace(agents.workspaceOf(agent._id), path)
      const content = await packFolder(location)
      return {
        filename: `${location.parts.at(-1) ?? agent.name}.zip`,
        media_type: 'application/zip',
        content,
      }
    },
    { creates: true },
  )
})

/** The routes of the files in workspaces. */
export const fileRoutes = [
  uploadFile,
  listFiles,
  readFile,
  readDocument,
  writeFile,
  deleteFile,
  moveFile,
  makeDirectory,
  readArchive,
  storageRoute,
  ...linkRoutes,
]
