import { AppError, pageReply } from '#plugin-api'
import { route } from './manifest.ts'
import { searchQuery, searchRow } from './schemas.ts'

const DAY_SECONDS = 86_400

/** Reads a time of the query as Unix seconds; `isEnd` includes the whole day of a date. Throws VALIDATION_FAILED. */
function readTime(text: string | undefined, field: string, isEnd: boolean): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const isDay = text.length === 10
  const isLocal = !isDay && !/(Z|[+-]\d\d:\d\d)$/.test(text)
  const ms = Date.parse(isLocal ? `${text}Z` : text)
  if (Number.isNaN(ms))
    throw new AppError('VALIDATION_FAILED', {
      issues: [{ path: `/${field}`, rule: 'format', message: 'is not a date that exists' }],
    })
  return Math.floor(ms / 1000) + (isDay && isEnd ? DAY_SECONDS - 1 : 0)
}

/** The routes of this plugin. */
export const searchRoutes = [
  route({
    method: 'GET',
    path: '/search',
    operation_id: 'searchConversations',
    summary: 'Search your conversations',
    description:
      'Finds words in the titles and messages of your own conversations with all agents, archived ones included. Titles come first, then messages, each the newest first. What tools returned and what models thought is not searched. A page may have fewer rows than `limit`, and even none, while the header `Link` still names a next page.',
    guard: 'user',
    query: searchQuery,
    response: { 200: { type: 'array', items: searchRow } },
  }).handle(async ({ caller, query, signal }, { search, agents }) => {
    const { q: text, agent_id, project_id } = query
    const from = readTime(query.from, 'from', false)
    const to = readTime(query.to, 'to', true)
    const { rows, next } = await search.find(
      { user_id: caller.id, text, agent_id, project_id, from, to, signal },
      query,
    )
    const names = await agents.listNames([...new Set(rows.map(({ thread }) => thread.agent_id))])
    const results = rows.map(
      ({ thread: { _id: thread_id, agent_id, title, last_active }, message, snippet }) => ({
        thread_id,
        agent_id,
        agent_name: names.get(agent_id) ?? agent_id,
        title,
        message_id: message?._id ?? null,
        role: (message?.role as 'user' | 'assistant' | undefined) ?? null,
        timestamp: message?.timestamp ?? last_active * 1000,
        snippet,
      }),
    )
    return pageReply(query, { rows: results, next })
  }),
]
