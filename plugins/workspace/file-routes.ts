import type { BigIntStats } from 'node:fs'
import { AppError, listsTag, pageReply, reply } from '#kernel'
import { packFolder } from './archive.ts'
import { answering, findReadable, findSeen, openContent, pathOf, placeOf, seenBy } from './file-access.ts'
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
} from './file-schemas.ts'
import { type Entry, findEntry, makeFolder, moveEntry, readEntry, removeEntry } from './files/entry-change.ts'
import { FileFailure } from './files/file-failure.ts'
import { adoptFile } from './files/file-replacement.ts'
import { etagOf, rowOf } from './files/file-row.ts'
import { route } from './manifest.ts'

const MAX_FILE_BYTES = 20 * 1024 * 1024

const listFiles = route({
  method: 'GET',
  path: '/agents/:id/files',
  summary:
    'List a folder of the workspace, folders first; guests of a shared agent see the files of their own threads',
  guard: 'agent',
  query: listQuery,
  response: { 200: fileRows },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE'],
}).handle(async ({ agent, caller, query }, services) => {
  const asker = { agent, caller }
  const isSeen = await seenBy(asker, services)
  const place = await findSeen(asker, query.path, services, isSeen)
  return pageReply(
    query,
    await answering(query.path, () => listFolder(place, query, isSeen), { to_make: true }),
  )
})

const readFile = route({
  method: 'GET',
  path: '/agents/:id/files/content',
  summary:
    'Read a file of the workspace, whole or in part; guests of a shared agent those of their own threads',
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
  summary:
    'Make or replace a file of the workspace, and the folders above it; If-Match and If-None-Match are heeded',
  guard: 'owner',
  query: targetQuery,
  upload: { max_bytes: MAX_FILE_BYTES, as: 'body' },
  response: { 200: fileRow, 201: fileRow },
  errors: ['FILE_UNUSABLE', 'PRECONDITION_FAILED', 'LIMIT_REACHED'],
  audit: 'file.write',
}).handle(async ({ agent, query: { path }, file, headers }, { agents, guestUploads, workspaceRoom }) => {
  if (headers['content-range'])
    throw new AppError('FILE_UNUSABLE', { reason: 'a part of it cannot be replaced' })
  const workspace = await agents.prepareWorkspace(agent._id)
  return answering(
    path,
    async () => {
      if (path.endsWith('/')) throw new FileFailure('the path names a folder, not a file')
      const place = await placeOf(workspace, path)
      const grow = workspaceRoom.growthOf(agent._id)
      const check = (before: BigIntStats | undefined) => checkConditions(headers, before)
      const { stats, is_new } = await refusingNewer(adoptFile(place, file, { grow, check }))
      await guestUploads.forget(agent._id, pathOf(place))
      return reply(is_new ? 201 : 200, rowOf(pathOf(place), stats)!, { ETag: `"${etagOf(stats)}"` })
    },
    { to_make: true },
  )
})

/** Throws PRECONDITION_FAILED where the file is not as the request wants it (RFC 9110, 13.1). */
function checkConditions(headers: Headers, before: BigIntStats | undefined): { only_new: boolean } {
  const [match, none] = [headers['if-match'], headers['if-none-match']].map((list) => list?.toString())
  const etag = before && etagOf(before)
  const isMet =
    (!match || (etag && listsTag(match, etag, { weak: false }))) &&
    !(none && etag && listsTag(none, etag, { weak: true }))
  if (!isMet) throw new AppError('PRECONDITION_FAILED')
  return { only_new: none?.trim() === '*' }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A file that has come after the conditions were checked does not meet them either. */
const refusingNewer = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((cause) => {
    throw cause.code === 'EEXIST' ? new AppError('PRECONDITION_FAILED', {}, { cause }) : cause
  })

const deleteFile = route({
  method: 'DELETE',
  path: '/agents/:id/files',
  summary: 'Delete a file or folder of the workspace',
  guard: 'owner',
  query: deleteQuery,
  response: { 204: null },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE', 'DIRECTORY_NOT_EMPTY'],
  audit: 'file.delete',
}).handle(async ({ agent, query }, { agents, guestUploads, workspaceRoom }) => {
  await answering(query.path, async () => {
    const entry = await findEntry(agents.workspaceOf(agent._id), query.path)
    await removeEntry(entry, { recursive: Boolean(query.recursive) })
    workspaceRoom.outdate(agent._id)
    await guestUploads.forget(agent._id, pathTo(entry))
  })
})

const moveFile = route({
  method: 'POST',
  path: '/agents/:id/files/move',
  summary: 'Move or rename a file or folder of the workspace, making the folders above',
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
    for (const entry of [from, to]) await guestUploads.forget(agent._id, pathTo(entry))
    return rowAt(to)
  }
  return answering(body.from, move, { to_make: true })
})

const makeDirectory = route({
  method: 'POST',
  path: '/agents/:id/files/directories',
  summary: 'Make a folder in the workspace, and those above it',
  guard: 'owner',
  body: folderBody,
  response: { 201: fileRow },
  errors: ['FILE_UNUSABLE', 'FILE_EXISTS'],
  audit: 'file.make_directory',
}).handle(async ({ agent, body: { path } }, { agents }) => {
  const workspace = await agents.prepareWorkspace(agent._id)
  return answering(
    path,
    async () => {
      const entry = await findEntry(workspace, path)
      await makeFolder(entry)
      return rowAt(entry)
    },
    { to_make: true },
  )
})

const pathTo = ({ parent, name }: Entry) => [...parent.parts, name].join('/')

/** The row of what was just made; NOT_FOUND where something else has taken its place. */
async function rowAt(entry: Entry) {
  const row = rowOf(pathTo(entry), await readEntry(entry))
  if (!row) throw new AppError('NOT_FOUND')
  return row
}

const readArchive = route({
  method: 'GET',
  path: '/agents/:id/files/archive',
  summary: 'Download a folder of the workspace as a zip archive, without links',
  guard: 'agent',
  query: archiveQuery,
  stream: 'download',
  response: { 200: { type: 'string' } },
  errors: ['NOT_FOUND', 'FILE_UNUSABLE', 'ARCHIVE_TOO_LARGE'],
}).handle(async ({ agent, caller, query: { path } }, { agents }) => {
  // A guest reads single files, and is told of no folder.
  if (!agents.isOwner(agent, caller)) throw new AppError('NOT_FOUND')
  return answering(
    path,
    async () => {
      const place = await placeOf(agents.workspaceOf(agent._id), path)
      const content = await packFolder(place)
      return { filename: `${place.parts.at(-1) ?? agent.name}.zip`, media_type: 'application/zip', content }
    },
    { to_make: true },
  )
})

const linkFile = route({
  method: 'POST',
  path: '/agents/:id/files/link',
  summary: 'Make a link to a file, with which everybody can read that file alone until it expires',
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
  const linked = { agent_id: agent._id, user_id: caller.id, path: pathOf(place), expires_at }
  return { url: services.fileLinks.make(linked), expires_at }
})

const readLinkedFile = route({
  method: 'GET',
  path: '/agents/:id/files/linked',
  summary: 'Read the file of a link, as long as whoever made the link may read it',
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

/** The files of workspaces. */
export const fileRoutes = [
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
