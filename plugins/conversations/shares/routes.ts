import { pageReply, reply } from '#plugin-api'
import { continueShare } from './continuation.ts'
import { route } from './manifest.ts'
import { toSharedMessages, toShareRow } from './rows.ts'
import {
  BINARY,
  continuation,
  continuedThread,
  fileParams,
  listQuery,
  newShare,
  shareChanges,
  sharedConversation,
  shareParams,
  shareRow,
  shareSettings,
  threadParams,
} from './schemas.ts'

const createShare = route({
  method: 'POST',
  path: '/agents/:id/threads/:thread_id/shares',
  operation_id: 'createShare',
  summary: 'Share a conversation',
  description:
    'Copies the messages of the thread as they are now, with the files that they name, and returns the address of the copy. Later messages do not appear in it until it is updated. Thoughts, usage and the texts of attached documents are never included; calls of tools and their results only with `include_steps`. A turn that still runs is left out.',
  guard: 'agent',
  scope: 'chat',
  params: threadParams,
  body: newShare,
  response: { 201: shareRow },
  errors: ['THREAD_NOT_FOUND', 'SHARES_NOT_PUBLIC', 'SHARE_EMPTY', 'SHARE_TOO_LARGE', 'LIMIT_REACHED'],
  audit: 'share.create',
}).handle(async ({ caller, agent, params, body }, cradle) => {
  const { shares, threads } = cradle
  const thread = await threads.get({ user_id: caller.id, agent_id: agent._id }, params.thread_id)
  return toShareRow(await shares.create({ caller, agent, thread }, body), cradle)
})

const listShares = route({
  method: 'GET',
  path: '/shares',
  operation_id: 'listShares',
  summary: 'List your shared conversations',
  description: 'Lists the newest first. Shares that have expired are in no list.',
  guard: 'user',
  query: listQuery,
  response: { 200: { type: 'array', items: shareRow } },
}).handle(async ({ caller, query }, cradle) => {
  const { rows, next } = await cradle.shares.list(caller.id, query)
  return pageReply(query, { rows: rows.map((share) => toShareRow(share, cradle)), next })
})

const getShareSettings = route({
  method: 'GET',
  path: '/shares/settings',
  operation_id: 'getShareSettings',
  summary: 'Get who can open shared conversations',
  description:
    'Tells what people without an account may do, so that a form offers no audience that is refused.',
  guard: 'user',
  response: { 200: shareSettings },
}).handle((_, { config }) => ({ public: config.public }))

const updateShare = route({
  method: 'PUT',
  path: '/shares/:share_id',
  operation_id: 'updateShare',
  summary: 'Update a shared conversation',
  description:
    'Copies the thread again as it is now. The address stays the same, and so does what the body leaves out.',
  guard: 'user',
  scope: 'chat',
  params: shareParams,
  body: shareChanges,
  response: { 200: shareRow },
  errors: [
    'NOT_FOUND',
    'AGENT_NOT_FOUND',
    'THREAD_NOT_FOUND',
    'SHARE_EMPTY',
    'SHARE_TOO_LARGE',
    'LIMIT_REACHED',
  ],
  audit: 'share.update',
}).handle(async ({ caller, params, body, note }, cradle) => {
  const share = await cradle.shares.update(caller, params.share_id, body)
  note({ thread_id: share.thread_id })
  return toShareRow(share, cradle)
})

const deleteShare = route({
  method: 'DELETE',
  path: '/shares/:share_id',
  operation_id: 'deleteShare',
  summary: 'Stop sharing a conversation',
  description: 'Deletes the copy. Its address answers like one that never existed; the thread itself stays.',
  guard: 'user',
  scope: 'chat',
  params: shareParams,
  response: { 204: null },
  errors: ['NOT_FOUND'],
  audit: 'share.delete',
}).handle(async ({ caller, params, note }, { shares }) => {
  const { thread_id } = await shares.remove(caller.id, params.share_id)
  note({ thread_id })
})

const readShared = route({
  method: 'GET',
  path: '/shared/:share_id',
  operation_id: 'getSharedConversation',
  summary: 'Read a shared conversation',
  description:
    'Returns the copy of the conversation. A share that has expired, that was deleted or that never existed is 404. People without an account read shares with the audience `link`, if the server allows it; calls without a session are limited for each address.',
  guard: 'share_reader',
  params: shareParams,
  response: { 200: sharedConversation },
}).handle(async ({ caller, share }, { shares, snapshots }) => {
  const snapshot = await shares.readSnapshot(share)
  const messages = await snapshots.readMessages(snapshot._id)
  if (caller?.id !== share.user_id) await shares.countView(share._id)
  const { title, agent_name, created_at } = snapshot
  return { title, agent_name, messages: toSharedMessages(share._id, snapshot, messages), created_at }
})

const readSharedFile = route({
  method: 'GET',
  path: '/shared/:share_id/files/:file_id',
  operation_id: 'readSharedFile',
  summary: 'Read a file of a shared conversation',
  description:
    'Sends the copy of a file that a message of the conversation names, as it was when the conversation was copied. It supports `Range` and `If-None-Match`.',
  guard: 'share_reader',
  params: fileParams,
  stream: 'file',
  response: { 200: BINARY },
}).handle(async ({ share, params }, { shares, snapshotFiles }) =>
  snapshotFiles.open(await shares.readSnapshot(share), params.file_id),
)

const continueShared = route({
  method: 'POST',
  path: '/shared/:share_id/continue',
  operation_id: 'continueSharedConversation',
  summary: 'Continue a shared conversation',
  description:
    'Creates a thread of your own that begins with the shared conversation. Its files are copied into the workspace of the agent; `files_left_out` and a note in the text name the files that could not be copied.',
  guard: 'user',
  scope: 'chat',
  params: shareParams,
  body: continuation,
  response: { 201: continuedThread },
  errors: ['NOT_FOUND', 'AGENT_NOT_FOUND', 'LIMIT_REACHED'],
  audit: { action: 'share.continue', target: 'thread_id' },
}).handle(async ({ caller, params, body, locale }, cradle) => {
  const { agents, shares } = cradle
  const share = await shares.findForReader(params.share_id, caller)
  const snapshot = await shares.readSnapshot(share)
  const agent = await agents.findVisible(caller, body.agent_id)
  const { thread, files_left_out } = await continueShare({ snapshot, agent, caller, locale }, cradle)
  const { _id: thread_id, agent_id, session_key, title, created_at, last_active } = thread
  return reply(201, { thread_id, agent_id, session_key, title, created_at, last_active, files_left_out })
})

/** The routes of shared conversations, for their owners and for their readers. */
export const shareRoutes = [
  createShare,
  listShares,
  getShareSettings,
  updateShare,
  deleteShare,
  readShared,
  readSharedFile,
  continueShared,
]
