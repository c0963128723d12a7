import type { BigIntStats } from 'node:fs'
import { AppError, listsTag, reply } from '#kernel'
import { pageReply } from '#toolbox'
import { packFolder } from './archive.ts'
import {
  createVisibility,
  findReadable,
  findVisible,
  openContent,
  resolvePlace,
  toPath,
  withApiErrors,
} from './file-access.ts'
import { listFolder } from './file-list.ts'
import {
  archiveQuery,
  contentQuery,
  deleteQuery,
  fileRow,
  fileRows,
  folderBody,
  linkBody,
  linkedQuery,
  linkRow,
  listQuery,
  moveBody,
  targetQuery,
  uploadRow,
} from './file-schemas.ts'
import { type Entry, findEntry, makeFolder, moveEntry, readEntry, removeEntry } from './files/entry-change.ts'
import { createEtag, toFileRow } from './files/file-facts.ts'
import { FileFailure } from './files/file-failure.ts'
import { adoptFile } from './files/file-replacement.ts'
import { route } from './manifest.ts'
import { receiveFile } from './uploads.ts'

const MAX_FILE_BYTES = 20 * 1024 * 1024

const uploadFile = route({
  method: 'POST',
  path: '/agents/:id/upload',
  operation_id: 'uploadFile',
  summary: "Upload a file to the agent's workspace, for use in a turn",
  guard: 'agent',
  scope: 'chat',
  upload: { max_bytes: MAX_FILE_BYTES },
  response: { 200: uploadRow },
  errors: ['WORKSPACE_UNUSABLE', 'LIMIT_REACHED'],
  audit: 'agent.upload',
}).handle(async ({ agent, caller, file }, services) => {
  const stored = await receiveFile({ agent_id: agent._id, file }, services)
  const { agents, guestUploads } = services
  if (!agents.isOwner(agent, caller))
    await guestUploads.record({ agent_id: agent._id, user_id: caller.id, path: stored.path })
  return stored
})

const listFiles = route({
  method: 'GET',
  path: '/agents/:id/files',
  operation_id: 'listFiles',
  summary:
    'List a folder of the workspace, folders first; guests of a shared agent see only files of their own threads',
  guard: 'agent',
  query: listQuery,
  response: { 200: fileRows },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE'],
}).handle(async ({ agent, caller, query }, services) => {
  const asker = { agent, caller }
  const isVisible = await createVisibility(asker, services)
  const place = await findVisible(asker, query.path, services, isVisible)
  return pageReply(
    query,
    await withApiErrors(query.path, () => listFolder(place, query, isVisible), { creates: true }),
  )
})

const readFile = route({
  method: 'GET',
  path: '/agents/:id/files/content',
  operation_id: 'readFile',
  summary:
    'Read a file of the workspace, whole or in part; guests of a shared agent only files of their own threads',
  guard: 'agent',
  query: contentQuery,
  stream: 'file',
  response: { 200: { type: 'string' } },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE'],
}).handle(async ({ agent, caller, query }, services) =>
  openContent(await findReadable({ agent, caller }, query.path, services), { inline: Boolean(query.inline) }),
)

const writeFile = route({
  method: 'PUT',
  path: '/agents/:id/files/content',
  operation_id: 'writeFile',
  summary:
    'Create or replace a file of the workspace, and its parent folders; supports If-Match and If-None-Match',
  guard: 'owner',
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
      const place = await resolvePlace(workspace, path)
      const grow = workspaceRoom.growthOf(agent._id)
      const check = (before: BigIntStats | undefined) => checkConditions(headers, before)
      const { stats, is_new } = await refuseNewer(adoptFile(place, file, { grow, check }))
      await guestUploads.forget(agent._id, toPath(place))
      return reply(is_new ? 201 : 200, toFileRow(toPath(place), stats)!, { ETag: `"${createEtag(stats)}"` })
    },
    { creates: true },
  )
})

/** Throws PRECONDITION_FAILED unless the file meets the conditions of the request (RFC 9110, 13.1). */
function checkConditions(headers: Headers, before: BigIntStats | undefined): { only_new: boolean } {
  const [match, none] = [headers['if-match'], headers['if-none-match']].map((list) => list?.toString())
  const etag = before && createEtag(before)
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
  summary: 'Delete a file or folder of the workspace',
  guard: 'owner',
  query: deleteQuery,
  response: { 204: null },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE', 'DIRECTORY_NOT_EMPTY'],
  audit: 'file.delete',
}).handle(async ({ agent, query }, { agents, guestUploads, workspaceRoom }) => {
  await withApiErrors(query.path, async () => {
    const entry = await findEntry(agents.workspaceOf(agent._id), query.path)
    await removeEntry(entry, { recursive: Boolean(query.recursive) })
    workspaceRoom.outdate(agent._id)
    await guestUploads.forget(agent._id, joinPath(entry))
  })
})

const moveFile = route({
  method: 'POST',
  path: '/agents/:id/files/move',
  operation_id: 'moveFile',
  summary: 'Move or rename a file or folder of the workspace, creating parent folders',
  guard: 'owner',
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
  return withApiErrors(body.from, move, { creates: true })
})

const makeDirectory = route({
  method: 'POST',
  path: '/agents/:id/files/directories',
  operation_id: 'createDirectory',
  summary: 'Create a folder in the workspace, and its parent folders',
  guard: 'owner',
  body: folderBody,
  response: { 201: fileRow },
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

const joinPath = ({ parent, name }: Entry) => [...parent.parts, name].join('/')

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
  summary: 'Download a folder of the workspace as a zip archive, without links',
  guard: 'agent',
  query: archiveQuery,
  stream: 'download',
  response: { 200: { type: 'string' } },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE', 'ARCHIVE_TOO_LARGE'],
}).handle(async ({ agent, caller, query: { path } }, { agents }) => {
  // Guests may read single files but no folders.
  if (!agents.isOwner(agent, caller)) throw new AppError('NOT_FOUND')
  return withApiErrors(
    path,
    async () => {
      const place = await resolvePlace(agents.workspaceOf(agent._id), path)
      const content = await packFolder(place)
      return { filename: `${place.parts.at(-1) ?? agent.name}.zip`, media_type: 'application/zip', content }
    },
    { creates: true },
  )
})

const linkFile = route({
  method: 'POST',
  path: '/agents/:id/files/link',
  operation_id: 'createFileLink',
  summary: 'Create a link with which everybody can read this one file until the link expires',
  guard: 'agent',
  body: linkBody,
  response: { 201: linkRow },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE'],
  audit: 'file.link',
}).handle(async ({ agent, caller, body }, services) => {
  const place = await findReadable({ agent, caller }, body.path, services)
  const { file } = await openContent(place, { inline: false })
  await file.close()
  const expires_at = services.clock.seconds() + body.expires_in_seconds
  const linked = { agent_id: agent._id, user_id: caller.id, path: toPath(place), expires_at }
  return { url: services.fileLinks.make(linked), expires_at }
})

const readLinkedFile = route({
  method: 'GET',
  path: '/agents/:id/files/linked',
  operation_id: 'readLinkedFile',
  summary: 'Read the file of a link, as long as the creator of the link may read it',
  guard: 'public',
  query: linkedQuery,
  stream: 'file',
  response: { 200: { type: 'string' } },
  errors: ['LINK_INVALID', 'AGENT_NOT_FOUND', 'NOT_FOUND', 'FILE_UNUSABLE'],
}).handle(async ({ params, query }, services) => {
  const { agent_id, user_id, path } = services.fileLinks.open(params.id!, query.token)
  const user = await services.users.find(user_id)
  if (!user?.enabled) throw new AppError('LINK_INVALID')
  const caller = { id: user_id, role: user.role }
  const agent = await services.agents.findVisible(caller, agent_id)
  return openContent(await findReadable({ agent, caller }, path, services), { inline: Boolean(query.inline) })
})

/** The routes of the files in workspaces. */
export const fileRoutes = [
  uploadFile,
  listFiles,
  readFile,
  writeFile,
  deleteFile,
  moveFile,
  makeDirectory,
  readArchive,
  linkFile,
  readLinkedFile,
]
