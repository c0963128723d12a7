import { AppError } from '#kernel'
import { route } from './manifest.ts'
import { searchBody, searchHits } from './schemas.ts'

/** The most knowledge bases that one search looks at. */
const MAX_BASES = 500

/** The route that searches knowledge bases. */
export const searchRoutes = [
  route({
    method: 'POST',
    path: '/knowledge-bases/search',
    operation_id: 'searchKnowledgeBases',
    summary: 'Search knowledge bases',
    description:
      'Returns the passages that fit the question best, the best one first: by their words, and by their meaning if the server has an embedding model. Neighbouring passages are returned as one.',
    guard: 'user',
    scope: 'read',
    body: searchBody,
    response: { 200: searchHits },
    errors: ['KNOWLEDGE_BASE_NOT_FOUND', 'KNOWLEDGE_INDEX_UNAVAILABLE', 'KNOWLEDGE_NOT_INSTALLED'],
    audit: { none: 'it changes nothing' },
  }).handle(async ({ caller, body, signal }, { bases: store, search }) => {
    const { query, knowledge_base_ids: chosen, limit } = body
    const bases = await store.listReadable(caller, chosen, MAX_BASES)
    if (chosen && bases.length < chosen.length) throw new AppError('KNOWLEDGE_BASE_NOT_FOUND')
    const hits = await search.find({ query, bases, limit, user_id: caller.id, signal })
    return hits.map(({ document, start, end, page, heading, text, score }) => ({
      knowledge_base_id: document.base_id,
      document_id: document._id,
      filename: document.filename,
      path: document.path,
      locator: { start, end, ...(page && { page }), ...(heading && { heading }) },
      text,
      score,
    }))
  }),
]
