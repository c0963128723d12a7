import { AppError, makeTag, pageReply, replyWithTag } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import { type Cradle, route } from './manifest.ts'
import { memoryFields } from './memories.ts'
import {
  memoryChanges,
  memoryParams,
  memoryQuery,
  memoryRow,
  memoryRows,
  memorySelection,
  newMemory,
} from './schemas.ts'
import type { MemoryDocument } from './types.ts'

/** Converts memories to rows, with one query for the names of their agents. */
async function showAll(
  memories: readonly MemoryDocument[],
  caller: AuthCaller,
  { agents }: Pick<Cradle, 'agents'>,
) {
  const agent_ids = new Set(memories.flatMap(({ agent_id }) => agent_id ?? []))
  const names = agent_ids.size > 0 ? await agents.listNames([...agent_ids], caller) : new Map()
  return memories.map(({ _id: id, text, agent_id, state, source, created_at, updated_at }) => ({
    ...{ id, text, scope: agent_id === null ? ('me' as const) : ('agent' as const), agent_id },
    agent_name: (names.get(agent_id) as string | undefined) ?? null,
    ...{ state, source, created_at, updated_at },
  }))
}

const show = async (memory: MemoryDocument, caller: AuthCaller, cradle: Pick<Cradle, 'agents'>) =>
  (await showAll([memory], caller, cradle))[0]!

const showTagged = async (memory: MemoryDocument, caller: AuthCaller, cradle: Pick<Cradle, 'agents'>) =>
  replyWithTag(200, await show(memory, caller, cradle), makeTag(memory, memoryFields))

/** Returns the agent that a new memory is for; null for all. Throws VALIDATION_FAILED, AGENT_NOT_FOUND. */
async function findAgent(
  caller: AuthCaller,
  { scope, agent_id }: { scope: 'me' | 'agent'; agent_id?: string },
  { agents }: Pick<Cradle, 'agents'>,
): Promise<string | null> {
  if (scope === 'agent' && agent_id !== undefined) return (await agents.findVisible(caller, agent_id))._id
  if (scope === 'me' && agent_id === undefined) return null
  const message = scope === 'me' ? 'must be left out for the scope "me"' : 'is required for the scope "agent"'
  throw new AppError('VALIDATION_FAILED', { issues: [{ path: '/agent_id', rule: 'scope', message }] })
}

/** The routes of memories. */
export const memoryRoutes = [
  route({
    method: 'GET',
    path: '/memories',
    operation_id: 'listMemories',
    summary: 'List what agents remember about you',
    description:
      'Lists your memories, newest first. `state=proposed` lists those that wait for your decision.',
    guard: 'user',
    query: memoryQuery,
    response: { 200: memoryRows },
  }).handle(async ({ caller, query }, { memories, agents }) => {
    const { rows, next } = await memories.list(caller.id, query, query)
    return pageReply(query, { rows: await showAll(rows, caller, { agents }), next })
  }),

  route({
    method: 'POST',
    path: '/memories',
    operation_id: 'createMemory',
    summary: 'Have agents remember something about you',
    description:
      'Stores a memory of all agents, or of one. Agents read the newest memories at each turn and find the others. A text that you have there already is not stored again.',
    guard: 'user',
    body: newMemory,
    response: { 201: memoryRow },
    errors: ['AGENT_NOT_FOUND', 'LIMIT_REACHED'],
    audit: 'memory.create',
  }).handle(async ({ caller, body }, { memories, agents }) => {
    const agent_id = await findAgent(caller, body, { agents })
    const { memory } = await memories.add(caller.id, {
      text: body.text,
      agent_id,
      state: 'kept',
      source: null,
    })
    return show(memory, caller, { agents })
  }),

  route({
    method: 'DELETE',
    path: '/memories',
    operation_id: 'deleteMemories',
    summary: 'Delete your memories',
    description:
      'Deletes permanently what agents remember about you, also what they only propose: all of it, or that of a scope or for an agent.',
    guard: 'user',
    query: memorySelection,
    response: { 204: null },
    audit: 'memory.delete_all',
  }).handle(({ caller, query }, { memories }) => memories.deleteAll(caller.id, query) as Promise<undefined>),

  route({
    method: 'GET',
    path: '/memories/:id',
    operation_id: 'getMemory',
    summary: 'Get a memory',
    description:
      'Returns one memory of your own account, kept or proposed, with the entity tag that a change may name.',
    guard: 'user',
    params: memoryParams,
    response: { 200: memoryRow },
    errors: ['MEMORY_NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, params }, { memories, agents }) =>
    showTagged(await memories.find(caller.id, params.id), caller, { agents }),
  ),

  route({
    method: 'PATCH',
    path: '/memories/:id',
    operation_id: 'updateMemory',
    summary: 'Change or keep a memory',
    description: 'Changes the text of a memory of yours, or keeps one that an agent proposes.',
    guard: 'user',
    params: memoryParams,
    body: memoryChanges,
    response: { 200: memoryRow },
    errors: ['MEMORY_NOT_FOUND', 'MEMORY_EXISTS'],
    etag: true,
    audit: 'memory.update',
  }).handle(async (request, { memories, agents }) => {
    const { caller, params, body } = request
    return showTagged(await memories.update(caller.id, params.id, body, request), caller, { agents })
  }),

  route({
    method: 'DELETE',
    path: '/memories/:id',
    operation_id: 'deleteMemory',
    summary: 'Delete a memory',
    description:
      'Deletes a memory of your own account permanently; agents read it no more from their next turn on.',
    guard: 'user',
    params: memoryParams,
    response: { 204: null },
    errors: ['MEMORY_NOT_FOUND'],
    audit: 'memory.delete',
  }).handle(async ({ caller, params }, { memories }) => {
    await memories.delete(caller.id, params.id)
    return undefined
  }),
]
