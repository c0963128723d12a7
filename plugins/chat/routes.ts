import { AppError, reply } from '#kernel'
import { linkToNext, MAX_PAGE_ROWS, makeTag, pageReply, replyWithTag } from '#toolbox'
import type { ThreadDocument } from './documents.ts'
import { route } from './manifest.ts'
import { toArtifactRows, toMessageRow, toThreadListRow, toThreadRow } from './rows.ts'
import {
  forkPlace,
  historyPage,
  historyQuery,
  listQuery,
  newThread,
  threadChanges,
  threadCreated,
  threadForked,
  threadRow,
} from './schemas.ts'
import { readHistoryState } from './threads/thread-migrations.ts'
import { threadFields } from './threads/threads.ts'
import { assertMayAllow } from './tool-scopes.ts'

const toOwner = ({ caller, agent }: { caller: { id: string }; agent: { _id: string } }) => ({
  user_id: caller.id,
  agent_id: agent._id,
})

const showThread = (thread: ThreadDocument) =>
  replyWithTag(200, toThreadRow(thread), makeTag(thread, threadFields))

/** The routes of threads and their history. */
export const chatRoutes = [
  route({
    method: 'GET',
    path: '/agents/:id/threads',
    operation_id: 'listThreads',
    summary: 'List your threads with an agent, pinned first, then by last activity',
    guard: 'thread_reader',
    query: listQuery,
    response: { 200: { type: 'array', items: threadRow } },
  }).handle(async ({ caller, agent, query }, { threads }) => {
    const { rows, next } = await threads.list(toOwner({ caller, agent }), query)
    return pageReply(query, { rows: rows.map(toThreadListRow), next })
  }),

  route({
    method: 'POST',
    path: '/agents/:id/threads',
    operation_id: 'createThread',
    summary: 'Create a thread',
    guard: 'agent',
    scope: 'chat',
    audit: 'thread.create',
    body: newThread,
    response: { 201: threadCreated },
    errors: ['LIMIT_REACHED'],
  }).handle(async ({ caller, agent, body }, { threads }) => {
    const { _id, session_key } = await threads.create(toOwner({ caller, agent }), body)
    return { thread_id: _id, session_key }
  }),

  route({
    method: 'GET',
    path: '/agents/:id/threads/:thread_id',
    operation_id: 'getThread',
    summary: 'Get a thread, without its messages',
    guard: 'thread_reader',
    response: { 200: threadRow },
    errors: ['THREAD_NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, agent, params }, { threads }) =>
    showThread(await threads.get(toOwner({ caller, agent }), params.thread_id!)),
  ),

  route({
    method: 'PATCH',
    path: '/agents/:id/threads/:thread_id',
    operation_id: 'updateThread',
    summary: 'Rename or pin a thread, choose its model or the tools that need no approval in it',
    guard: 'agent',
    scope: 'chat',
    audit: 'thread.update',
    body: threadChanges,
    response: { 200: threadRow },
    errors: ['THREAD_NOT_FOUND', 'PROVIDER_NOT_VISIBLE', 'SCOPE_MISSING'],
    etag: true,
  }).handle(async (request, { threads, models, extensions }) => {
    const { caller, params, body } = request
    assertMayAllow(caller, body.allowed_tools ?? [], { extensions })
    const thread = await threads.get(toOwner(request), params.thread_id!)
    if (body.model) await models.assertUsable(body.model, caller.id)
    return showThread(await threads.update(thread, body, request))
  }),

  route({
    method: 'DELETE',
    path: '/agents/:id/threads/:thread_id',
    operation_id: 'deleteThread',
    summary: 'Delete a thread with its messages',
    guard: 'thread_reader',
    scope: 'chat',
    audit: 'thread.delete',
    response: { 204: null },
    errors: ['THREAD_NOT_FOUND'],
  }).handle(async ({ caller, agent, params }, { threads, chat }) => {
    const { _id } = await threads.get(toOwner({ caller, agent }), params.thread_id!)
    await chat.purge(await threads.hide({ ...toOwner({ caller, agent }), _id }))
  }),

  route({
    method: 'POST',
    path: '/agents/:id/threads/:thread_id/read',
    operation_id: 'markThreadRead',
    summary: 'Clear the unread count of a thread',
    guard: 'thread_reader',
    scope: 'chat',
    audit: { none: 'It only marks messages as read.' },
    response: { 204: null },
    errors: ['THREAD_NOT_FOUND'],
  }).handle(
    ({ caller, agent, params }, { threads }) =>
      threads.markRead(toOwner({ caller, agent }), params.thread_id!) as Promise<undefined>,
  ),

  route({
    method: 'POST',
    path: '/agents/:id/threads/:thread_id/fork',
    operation_id: 'forkThread',
    summary: 'Fork a thread after one of its replies: the new thread begins with its messages up to there',
    guard: 'agent',
    scope: 'chat',
    audit: 'thread.fork',
    body: forkPlace,
    response: { 201: threadForked },
    errors: ['THREAD_NOT_FOUND', 'REPLY_NOT_FOUND', 'AGENT_NOT_RUNNING', 'LIMIT_REACHED'],
  }).handle(async ({ caller, agent, params, body, locale }, { threads, forks }) => {
    const source = await threads.get(toOwner({ caller, agent }), params.thread_id!)
    if (agent.state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state: agent.state })
    const { fork, copied_messages } = await forks.make(source, body, locale)
    const { _id, session_key, title } = fork
    return { thread_id: _id, session_key, source_thread_id: source._id, copied_messages, title }
  }),

  route({
    method: 'GET',
    path: '/agents/:id/threads/:thread_id/history',
    operation_id: 'getHistory',
    summary: 'Read a page of a thread: pages count from the newest message, each is sorted oldest first',
    guard: 'thread_reader',
    query: historyQuery,
    response: { 200: historyPage },
    errors: ['THREAD_NOT_FOUND'],
  }).handle(async ({ caller, agent, params, query, locale }, { threads, history, describeError }) => {
    const thread = await threads.get(toOwner({ caller, agent }), params.thread_id!)
    const limit = Math.min(query.limit, MAX_PAGE_ROWS)
    const { offset, cursor } = query
    const page = await history.page(thread, {
      limit,
      offset,
      before: cursor === undefined ? undefined : Number(cursor),
    })
    const body = {
      ...page,
      messages: page.messages.map((message) => toMessageRow(message, agent._id, { locale, describeError })),
      artifacts: toArtifactRows(agent._id, page.artifacts),
      limit,
      offset,
      ...readHistoryState(thread),
    }
    return reply(200, body, linkToNext(query, page.next_cursor))
  }),
]
