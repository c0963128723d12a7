import {
  AppError,
  linkToNext,
  MAX_PAGE_ROWS,
  MODEL_CALL_ERRORS,
  makeTag,
  pageReply,
  reply,
  replyWithTag,
} from '#plugin-api'
import type { ThreadDocument } from './documents.ts'
import { historyPage, historyQuery } from './history-schemas.ts'
import { route } from './manifest.ts'
import { chosenPath, newTurn, startRequestedTurn, turnAccepted } from './requested-turn.ts'
import { toArtifactRows, toMessageRow, toThreadListRow, toThreadRow } from './rows.ts'
import {
  compactedThread,
  forkPlace,
  listQuery,
  newThread,
  threadChanges,
  threadCreated,
  threadForked,
  threadParams,
  threadRow,
} from './thread-schemas.ts'
import { readHistoryState } from './threads/thread-migrations.ts'
import { threadFields } from './threads/threads.ts'
import { assertMayAllow } from './tool-scopes.ts'
import { compact } from './turns/compaction.ts'

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
    summary: 'List your threads with an agent',
    description:
      'Lists pinned threads first, then the others by their last activity. Threads belong to the account that talks, so the owner of a shared agent does not see those of its guests. Rows have only the newest artifacts and sources.',
    guard: 'thread_reader',
    query: listQuery,
    response: { 200: { type: 'array', items: threadRow } },
    errors: ['PROJECT_NOT_FOUND'],
  }).handle(async ({ caller, agent, query }, { threads, threadProjects }) => {
    const { archived, project_id } = query
    await threadProjects.assertVisible(caller.id, project_id)
    const { rows, next } = await threads.list({ ...toOwner({ caller, agent }), archived, project_id }, query)
    return pageReply(query, { rows: rows.map(toThreadListRow), next })
  }),

  route({
    method: 'GET',
    path: '/threads',
    operation_id: 'listOwnThreads',
    summary: 'List your threads with all agents',
    description:
      'Lists pinned threads first, then the others by their last activity. Rows have only the newest artifacts and sources.',
    guard: 'user',
    query: listQuery,
    response: { 200: { type: 'array', items: threadRow } },
    errors: ['PROJECT_NOT_FOUND'],
  }).handle(async ({ caller, query }, { threads, threadProjects }) => {
    const { archived, project_id } = query
    await threadProjects.assertVisible(caller.id, project_id)
    const { rows, next } = await threads.list({ user_id: caller.id, archived, project_id }, query)
    return pageReply(query, { rows: rows.map(toThreadListRow), next })
  }),

  route({
    method: 'POST',
    path: '/agents/:id/threads',
    operation_id: 'createThread',
    summary: 'Create a thread',
    description:
      'Creates an empty thread. This is rarely needed: a turn without a `thread_id` creates one automatically. A thread without a title is named after its first message.',
    guard: 'agent',
    scope: 'chat',
    audit: 'thread.create',
    body: newThread,
    response: { 201: threadCreated },
    errors: ['PROJECT_NOT_FOUND', 'LIMIT_REACHED'],
  }).handle(async ({ caller, agent, body }, { threads, threadProjects }) => {
    await threadProjects.assertVisible(caller.id, body.project_id)
    const { _id, session_key } = await threadProjects.settle(
      await threads.create(toOwner({ caller, agent }), {
        ...body,
        ...(body.title !== undefined && { title_by: 'person' as const }),
      }),
    )
    return { thread_id: _id, session_key }
  }),

  route({
    method: 'GET',
    path: '/agents/:id/threads/:thread_id',
    operation_id: 'getThread',
    summary: 'Get a thread',
    description:
      'Returns the thread with all of its artifacts and sources, of which a list shows only the newest. Its messages are in its history.',
    guard: 'thread_reader',
    params: threadParams,
    response: { 200: threadRow },
    errors: ['THREAD_NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, agent, params }, { threads }) =>
    showThread(await threads.get(toOwner({ caller, agent }), params.thread_id)),
  ),

  route({
    method: 'PATCH',
    path: '/agents/:id/threads/:thread_id',
    operation_id: 'updateThread',
    summary: 'Change a thread',
    description:
      'Changes the given fields. A `model` applies from the next turn on, to all turns that name no model of their own; null returns to the model of the agent. `allowed_tools` replaces the list of tools that need no approval in this thread, which approvals with `for_thread` also extend.',
    guard: 'agent',
    scope: 'chat',
    params: threadParams,
    audit: 'thread.update',
    body: threadChanges,
    response: { 200: threadRow },
    errors: [
      'THREAD_NOT_FOUND',
      'PROJECT_NOT_FOUND',
      'PROVIDER_NOT_VISIBLE',
      'SCOPE_MISSING',
      'KNOWLEDGE_BASE_NOT_FOUND',
    ],
    etag: true,
  }).handle(async (request, { agents, threads, threadProjects, models, extensions }) => {
    const { caller, params, body } = request
    assertMayAllow(caller, body.allowed_tools ?? [], { extensions })
    const thread = await threads.get(toOwner(request), params.thread_id)
    if (body.model) await models.assertUsable(body.model, caller.id)
    await agents.assertSearchable(caller.id, body.knowledge_base_ids)
    await threadProjects.assertVisible(caller.id, body.project_id)
    const changes = { ...body, ...(body.title !== undefined && { title_by: 'person' as const }) }
    const updated = await threads.update(thread, changes, request)
    return showThread(body.project_id ? await threadProjects.settle(updated) : updated)
  }),

  route({
    method: 'DELETE',
    path: '/agents/:id/threads/:thread_id',
    operation_id: 'deleteThread',
    summary: 'Delete a thread',
    description:
      'Stops the turn of the thread and deletes its messages, waiting messages and events. Forks of the thread and files in the workspace stay.',
    guard: 'thread_reader',
    scope: 'chat',
    params: threadParams,
    audit: 'thread.delete',
    response: { 204: null },
    errors: ['THREAD_NOT_FOUND'],
  }).handle(async ({ caller, agent, params }, { threads, chat }) => {
    const { _id } = await threads.get(toOwner({ caller, agent }), params.thread_id)
    await chat.purge(await threads.hide({ ...toOwner({ caller, agent }), _id }))
  }),

  route({
    method: 'POST',
    path: '/agents/:id/threads/:thread_id/read',
    operation_id: 'markThreadRead',
    summary: 'Mark a thread as read',
    description: 'Clears the unread count of the thread; that of the agent decreases by it.',
    guard: 'thread_reader',
    scope: 'chat',
    params: threadParams,
    audit: { none: 'It only marks messages as read.' },
    response: { 204: null },
    errors: ['THREAD_NOT_FOUND'],
  }).handle(
    ({ caller, agent, params }, { threads }) =>
      threads.markRead(toOwner({ caller, agent }), params.thread_id) as Promise<undefined>,
  ),

  route({
    method: 'POST',
    path: '/agents/:id/threads/:thread_id/fork',
    operation_id: 'forkThread',
    summary: 'Fork a thread after a reply',
    description:
      'Creates a thread that begins with the messages up to a reply, named by its `message_id` or counted from the end. The original stays as it is, and nothing is copied; both continue independently. The agent must be running.',
    guard: 'agent',
    scope: 'chat',
    params: threadParams,
    audit: 'thread.fork',
    body: forkPlace,
    response: { 201: threadForked },
    errors: ['THREAD_NOT_FOUND', 'REPLY_NOT_FOUND', 'AGENT_NOT_RUNNING', 'LIMIT_REACHED'],
  }).handle(async ({ caller, agent, params, body, locale }, { threads, forks }) => {
    const source = await threads.get(toOwner({ caller, agent }), params.thread_id)
    if (agent.state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state: agent.state })
    const { fork, copied_messages } = await forks.make(source, body, locale)
    const { _id, session_key, title } = fork
    return { thread_id: _id, session_key, source_thread_id: source._id, copied_messages, title }
  }),

  route({
    method: 'PUT',
    path: '/agents/:id/threads/:thread_id/path',
    operation_id: 'choosePath',
    summary: 'Choose a version of a message',
    description:
      'The thread shows the path through this message, up to the newest message behind it. History, models, forks, exports and channels follow the path.',
    guard: 'agent',
    scope: 'chat',
    params: threadParams,
    audit: 'thread.choose_path',
    body: chosenPath,
    response: { 200: threadRow },
    errors: ['THREAD_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'THREAD_BUSY'],
  }).handle(async ({ caller, agent, params, body }, { threads, chat }) => {
    const thread = await threads.get(toOwner({ caller, agent }), params.thread_id)
    return toThreadRow(await chat.choosePath(thread, body.message_id))
  }),

  route({
    method: 'POST',
    path: '/agents/:id/threads/:thread_id/compact',
    operation_id: 'compactThread',
    summary: 'Summarize a thread for its model',
    description:
      'Has the model of the thread summarize all messages but the last two exchanges, as happens by itself when they no longer fit its window. From the next turn on, models receive the summary instead of them; people still see everything.',
    guard: 'agent',
    scope: 'chat',
    params: threadParams,
    audit: 'thread.compact',
    response: { 200: compactedThread },
    errors: ['THREAD_NOT_FOUND', 'NOTHING_TO_SUMMARIZE', 'THREAD_BUSY', ...MODEL_CALL_ERRORS],
  }).handle(async ({ caller, agent, params, locale, signal }, cradle) => {
    const thread = await cradle.threads.get(toOwner({ caller, agent }), params.thread_id)
    return compact(thread, { agent, user: caller, locale, signal }, cradle)
  }),

  route({
    method: 'POST',
    path: '/agents/:id/threads/:thread_id/turns',
    operation_id: 'startTurn',
    summary: 'Start a turn',
    description:
      'Says something to the agent like `user_turn` of the chat socket, replaces a message of yours with a new version, or has an answer written anew. The answer is read from the history, or by `subscribe` on the socket after `first_seq` - 1. A message waits if the thread has a turn; a version does not.',
    guard: 'agent',
    scope: 'chat',
    params: threadParams,
    audit: 'thread.start_turn',
    body: newTurn,
    response: { 202: turnAccepted },
    errors: [
      'THREAD_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'THREAD_BUSY',
      'TOO_MANY_TURNS',
      'AGENT_NOT_RUNNING',
      'PROVIDER_NOT_VISIBLE',
      'KNOWLEDGE_BASE_NOT_FOUND',
    ],
  }).handle(async (request, cradle) => reply(202, await startRequestedTurn(request, cradle))),

  route({
    method: 'GET',
    path: '/agents/:id/threads/:thread_id/history',
    operation_id: 'getHistory',
    summary: 'Get the history of a thread',
    description:
      'Returns a page of messages: pages count from the newest message, and each is sorted from the oldest to the newest. `turn_active`, `hitl_pending` and `queued` describe what is in progress; to follow it, subscribe on the chat socket with `last_seq` as `after_seq`. While `history_loading` is true, ask again after `history_retry_after_ms`.',
    guard: 'thread_reader',
    params: threadParams,
    query: historyQuery,
    response: { 200: historyPage },
    errors: ['THREAD_NOT_FOUND'],
  }).handle(async ({ caller, agent, params, query, locale }, { threads, history, describeError }) => {
    const thread = await threads.get(toOwner({ caller, agent }), params.thread_id)
    const limit = Math.min(query.limit, MAX_PAGE_ROWS)
    const { offset, cursor } = query
    const page = await history.page(thread, {
      limit,
      offset,
      beforeSeq: cursor === undefined ? undefined : Number(cursor),
    })
    const { versions, ...shown } = page
    const reader = { locale, describeError, versions }
    const body = {
      ...shown,
      messages: page.messages.map((message) => toMessageRow(message, agent._id, reader)),
      artifacts: toArtifactRows(agent._id, page.artifacts),
      limit,
      offset,
      ...readHistoryState(thread),
    }
    return reply(200, body, linkToNext(query, page.next_cursor))
  }),
]
