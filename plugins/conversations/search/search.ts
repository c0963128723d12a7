import { fold, MAX_PAGE_ROWS, type Page, type PageRequest, readCursor, writeCursor } from '#plugin-api'
import type { NamedThread, OwnThreadsFilter, ShownMessage } from '../chat/threads/own-messages.ts'
import type { Cradle } from './manifest.ts'
import { type Candidate, type Place, textOf } from './store/pages.ts'
import { type Query, readQuery } from './text/query.ts'
import { cutMarkdownSnippet, cutSnippet, type SnippetPart } from './text/snippet.ts'

/** The most messages that one request reads to answer; behind them the next page begins. */
const MAX_READ_MESSAGES = 2000
/** The most characters that one request reads to answer. */
const MAX_READ_CHARACTERS = 4_000_000
/** The most messages that are read at once, and the sum of the sizes of their filters, which grow with their texts. */
const BATCH = 100
const BATCH_SIZE = 32_768
/** The fewest messages that are read at once, unless they are long. */
const MIN_BATCH = 25

/** The text to search for, and the account's threads to search in; times are Unix seconds, both included. */
export interface SearchRequest {
  user_id: string
  text: string
  agent_id?: string | undefined
  project_id?: string | undefined
  from?: number | undefined
  to?: number | undefined
  signal: AbortSignal
}

/** A message or a title with the words of a query. */
export interface SearchHit {
  thread: NamedThread
  /** Undefined for a title. */
  message?: Pick<ShownMessage['message'], '_id' | 'role' | 'timestamp'>
  snippet: SnippetPart[]
}

/** A place in the titles, which come first, or in the messages; a page begins behind it. */
type Position = ['title' | 'message', number, string, number]

/** Searches the conversations of an account. */
export type Search = ReturnType<typeof createSearch>

/** Creates the search. */
export function createSearch({ ownMessages, searchPages }: Pick<Cradle, 'ownMessages' | 'searchPages'>) {
  /** Finds the titles behind a position, the newest first. */
  const findTitles = async (
    query: Query,
    { user_id, agent_id, project_id, from = 0, to = Infinity }: SearchRequest,
    [, time, after]: Position | [],
  ): Promise<NamedThread[]> => {
    const threads: NamedThread[] = []
    const isBehind = ({ last_active, _id }: NamedThread) =>
      time === undefined || last_active < time || (last_active === time && _id < after!)
    const filter = { user_id, agent_id, project_id, active: { from, to } }
    for await (const thread of ownMessages.listTitles(filter, query.words))
      if (isBehind(thread) && query.matches(fold(thread.title!))) threads.push(thread)
    return threads.sort((a, b) => b.last_active - a.last_active || (a._id < b._id ? 1 : -1))
  }

  /** Reads candidates and returns those that fulfil the query, in the same order. */
  const check = async (query: Query, filter: OwnThreadsFilter, candidates: readonly Candidate[]) => {
    const shown = await ownMessages.read(filter, candidates)
    const byPlace = new Map(shown.map((one) => [keyOf(one.message), one]))
    let characters = 0
    const hits = candidates.flatMap((candidate) => {
      const one = byPlace.get(keyOf(candidate))
      const text = one ? textOf(one.message.content) : ''
      characters += text.length
      return one && query.matches(fold(text)) ? [{ candidate, ...one, text }] : []
    })
    return { hits, characters }
  }

  /** Begins to read the messages behind a position, the newest first; the index is asked at once. */
  const openMessages = (
    query: Query,
    { user_id, agent_id, project_id, from = 0, to = Infinity, signal }: SearchRequest,
    [, time, thread_id, position]: Position | [],
  ) => {
    const filter = { user_id, agent_id, project_id }
    const after = time === undefined ? undefined : { time, thread_id: thread_id!, position: position! }
    const candidates = (async function* () {
      const thread_ids = project_id === undefined ? undefined : await ownMessages.listIds(filter)
      const pages = { user_id, agent_id, thread_ids, from, to, terms: query.terms }
      yield* searchPages.find(pages, after, signal)
    })()
    const first = take(candidates, MIN_BATCH)
    // Nobody awaits it if the titles fill a page.
    first.catch(() => {})

    return {
      /** Returns at most `most` rows, and fewer if enough was read. */
      async read(most: number): Promise<Page<SearchHit>> {
        const rows: SearchHit[] = []
        const toPage = (last: Place) => ({
          rows,
          next: toCursor(['message', last.time, last.thread_id, last.position]),
        })
        let batch = await first
        for (let read = 0, characters = 0; ; ) {
          if (batch.length === 0) return { rows, next: null }
          const checked = await check(query, filter, batch)
          for (const { candidate, thread, message, text } of checked.hits) {
            // Messages of people are shown as they were written.
            const cut = message.role === 'assistant' ? cutMarkdownSnippet : cutSnippet
            rows.push({ thread, message, snippet: cut(text, query) })
            if (rows.length === most) return toPage(candidate)
          }
          read += batch.length
          characters += checked.characters
          if (read >= MAX_READ_MESSAGES || characters >= MAX_READ_CHARACTERS) return toPage(batch.at(-1)!)
          // The fewer rows the last ones had, the more the next ones may be.
          batch = await take(candidates, Math.min(BATCH, 2 * batch.length))
        }
      },
      async close(): Promise<void> {
        await candidates.return()
      },
    }
  }

  return {
    /**
     * Finds titles, then messages, each newest first. A page may have fewer rows than asked for, and still have a next
     * one. Throws VALIDATION_FAILED for an unknown cursor.
     */
    async find(request: SearchRequest, { limit, cursor }: PageRequest): Promise<Page<SearchHit>> {
      const position: Position | [] = cursor === undefined ? [] : readPosition(cursor)
      const query = readQuery(request.text)
      if (!query) return { rows: [], next: null }
      const most = Math.min(limit, MAX_PAGE_ROWS)
      const isBehindTitles = position[0] === 'message'
      const messages = openMessages(query, request, isBehindTitles ? position : [])
      try {
        if (isBehindTitles) return await messages.read(most)
        const titles = await findTitles(query, request, position)
        const rows = titles
          .slice(0, most)
          .map((thread): SearchHit => ({ thread, snippet: cutSnippet(thread.title!, query) }))
        const last = titles[most - 1]
        if (last) return { rows, next: toCursor(['title', last.last_active, last._id, 0]) }
        const page = await messages.read(most - rows.length)
        return { rows: [...rows, ...page.rows], next: page.next }
      } finally {
        await messages.close()
      }
    },
  }
}

const keyOf = ({ thread_id, position }: Pick<Place, 'thread_id' | 'position'>) => `${thread_id}/${position}`

const toCursor = (position: Position): string => writeCursor(position)

const isNumber = (key: unknown) => typeof key === 'number' && Number.isFinite(key)

const readPosition = (cursor: string) =>
  readCursor(
    cursor,
    (part) => part === 'title' || part === 'message',
    isNumber,
    (key) => typeof key === 'string',
    isNumber,
  ) as Position

/** Takes the next candidates, at most `most`, and fewer if their texts are long. */
async function take(candidates: AsyncGenerator<Candidate>, most: number): Promise<Candidate[]> {
  const batch: Candidate[] = []
  for (let size = 0; batch.length < most && size < BATCH_SIZE; size += batch.at(-1)!.size) {
    const next = await candidates.next()
    if (next.done) break
    batch.push(next.value)
  }
  return batch
}
