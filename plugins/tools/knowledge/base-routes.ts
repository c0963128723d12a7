import { makeTag, objectOf, pageQuery, pageReply, replyWithTag } from '#plugin-api'
import { baseFields } from './bases.ts'
import { type Cradle, route } from './manifest.ts'
import { type Reader, toBaseRows } from './rows.ts'
import { baseChanges, baseParams, baseRow, baseRows, newBase } from './schemas.ts'
import type { BaseDocument } from './types.ts'

const MAY_CHANGE = ['permission', 'knowledge_bases'] as const

const show = async (base: BaseDocument, caller: Reader, cradle: Cradle) =>
  (await toBaseRows([base], caller, cradle))[0]!

/** The routes of knowledge bases. */
export const baseRoutes = [
  route({
    method: 'GET',
    path: '/knowledge-bases',
    operation_id: 'listKnowledgeBases',
    summary: 'List the knowledge bases',
    description:
      'Lists the knowledge bases that you may search: your own first, then those that others share with you. Their sums are those of the documents as they are now.',
    guard: 'user',
    query: objectOf(pageQuery),
    response: { 200: baseRows },
  }).handle(async ({ caller, query }, cradle) => {
    const { rows, next } = await cradle.bases.list(caller, query)
    return pageReply(query, { rows: await toBaseRows(rows, caller, cradle), next })
  }),

  route({
    method: 'POST',
    path: '/knowledge-bases',
    operation_id: 'createKnowledgeBase',
    summary: 'Create a knowledge base',
    description: 'Creates an empty knowledge base, which belongs to you; add documents to it next.',
    guard: MAY_CHANGE,
    body: newBase,
    response: { 201: baseRow },
    errors: ['LIMIT_REACHED'],
    audit: 'knowledge_base.create',
  }).handle(async ({ caller, body }, cradle) =>
    show(await cradle.bases.create(caller, body), caller, cradle),
  ),

  route({
    method: 'GET',
    path: '/knowledge-bases/:id',
    operation_id: 'getKnowledgeBase',
    summary: 'Get a knowledge base',
    description: 'Returns a knowledge base of your own, or one that is shared with you.',
    guard: 'user',
    params: baseParams,
    response: { 200: baseRow },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, params }, cradle) => {
    const base = await cradle.bases.find(caller, params.id)
    return replyWithTag(200, await show(base, caller, cradle), makeTag(base, baseFields))
  }),

  route({
    method: 'PATCH',
    path: '/knowledge-bases/:id',
    operation_id: 'updateKnowledgeBase',
    summary: 'Change a knowledge base',
    description:
      'Changes the given fields of a knowledge base that you own or may edit. Only its owner changes `is_default` and `is_shared`, which is the grant to everyone. One that is no longer shared is not searched for others from then on.',
    guard: MAY_CHANGE,
    params: baseParams,
    body: baseChanges,
    response: { 200: baseRow },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND', 'FORBIDDEN'],
    etag: true,
    audit: 'knowledge_base.update',
  }).handle(async (request, cradle) => {
    const { caller, params, body } = request
    const base = await cradle.bases.update(caller, params.id, body, request)
    return replyWithTag(200, await show(base, caller, cradle), makeTag(base, baseFields))
  }),

  route({
    method: 'DELETE',
    path: '/knowledge-bases/:id',
    operation_id: 'deleteKnowledgeBase',
    summary: 'Delete a knowledge base',
    description:
      'Deletes the knowledge base with its documents and their files; the next search finds nothing of it.',
    guard: MAY_CHANGE,
    params: baseParams,
    response: { 204: null },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND', 'FORBIDDEN'],
    audit: 'knowledge_base.delete',
  }).handle(async ({ caller, params, note }, { bases, removal }) => {
    const base = await bases.findOwn(caller, params.id)
    note({ name: base.name })
    await removal.removeBases({ _id: base._id })
    bases.noteChange(base)
  }),

  route({
    method: 'POST',
    path: '/knowledge-bases/:id/reindex',
    operation_id: 'reindexKnowledgeBase',
    summary: 'Index a knowledge base again',
    description:
      'Queues all of its documents, those that failed included. The current text stays searchable until it is replaced.',
    guard: MAY_CHANGE,
    params: baseParams,
    response: { 202: baseRow },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND', 'FORBIDDEN'],
    audit: 'knowledge_base.reindex',
  }).handle(async ({ caller, params }, cradle) => {
    const base = await cradle.bases.findEditable(caller, params.id)
    await cradle.documents.requeue({ base_id: base._id }, caller.id)
    cradle.changes.notify(base._id)
    cradle.queue.wake()
    return show(base, caller, cradle)
  }),
]
