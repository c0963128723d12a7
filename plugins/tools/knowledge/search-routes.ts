import { AppError } from '#plugin-api'
import { route } from './manifest.ts'
import { findRebuild } from './rows.ts'
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
      'Returns the passages that fit the question best, the best one first: by their words, and by their meaning if the server has an embedding model. Neighbouring passages are returned as one. While a lost index is made again, a search that finds nothing says so.',
    guard: 'user',
    scope: 'read',
    body: searchBody,
    response: { 200: searchHits },
    errors: [
      'KNOWLEDGE_BASE_NOT_FOUND',
      'KNOWLEDGE_INDEX_UNAVAILABLE',
      'KNOWLEDGE_INDEX_INCOMPLETE',
      'KNOWLEDGE_NOT_INSTALLED',
    ],
    audit: { none: 'it changes nothing' },
  }).handle(async ({ caller, body, signal }, cradle) => {
    const { bases: store, search } = cradle
    const { query, knowledge_base_ids: chosen, limit } = body
    const bases = await store.listReadable(caller, chosen, MAX_BASES)
    if (chosen && bases.length < chosen.length) throw new AppError('KNOWLEDGE_BASE_NOT_FOUND')
    const hits = await search.find({ query, bases, limit, user_id: caller.id, signal })
    if (hits.length === 0) {
      const ids = bases.map(({ _id }) => _id)
      const rebuild = await findRebuild(ids, cradle)
      if (rebuild) throw new AppError('KNOWLEDGE_INDEX_INCOMPLETE', rebuild)
    }
    return hits.map(({ document, locator, start, text, score }) => ({
      knowledge_base_id: document.base_id,
      document_id: document._id,
      filename: document.filename,
      path: document.path,
      locator,
      text,
      text_start: start,
      score,
    }))
  }),
]
