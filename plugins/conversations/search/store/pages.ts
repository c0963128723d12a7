// The index: pages with the filters of the messages of a thread, which the database tests without reading the messages.

import { Binary, type Collection, type Document, type IndexDescription } from 'mongodb'
import type { Write } from '#plugin-api'
import type { MessageDocument } from '../../chat/documents.ts'
import type { MessageChange } from '../../chat/threads/message-writes.ts'
import { MAX_CHARACTERS, type Terms, toTerms } from '../text/terms.ts'
import { chooseSize, createFilterTest, FILTER_SIZES, type FilterSize, toFilter } from './filters.ts'
import { createHeap } from './heap.ts'

/** The version of the terms and filters; an index of another version is built anew. */
export const INDEX_VERSION = 1

/** The positions of a thread that share a page; a turn has about four of them, more with tools. */
const PAGE_POSITIONS = 256

/** A message in a page, with short names because there is one for each message. */
interface FilteredMessage {
  /** Its position in the thread. */
  p: number
  /** Unix seconds. */
  t: number
  /** The filter of its terms. */
  w: Binary
}

/** The field of a page with the messages whose filters have this size. */
const fieldOf = (size: FilterSize) => `f${size}` as const

/** A page: messages of one thread, by the size of their filters. `_id` is the thread's id, a slash, and a number. */
export type SearchPageDocument = {
  _id: string
  thread_id: string
  user_id: string
  agent_id: string
  /** The times of its newest and oldest message, in Unix seconds. */
  newest: number
  oldest: number
} & { [Size in FilterSize as `f${Size}`]?: FilteredMessage[] }

/** The index for reading an account's pages, newest first. */
export const pageIndexes: IndexDescription[] = [{ key: { user_id: 1, newest: -1 } }]

/** The place and the time of a message, in the order of results. */
export interface Place {
  thread_id: string
  position: number
  /** Unix seconds. */
  time: number
}

/** A message that may have the terms of a query. */
export interface Candidate extends Place {
  /** The size of its filter, which grows with its text. */
  size: FilterSize
}

/** Orders places newest first; the thread and the position decide within one second. */
function comparePlaces(a: Place, b: Place): number {
  if (a.time !== b.time) return b.time - a.time
  if (a.thread_id !== b.thread_id) return a.thread_id < b.thread_id ? 1 : -1
  return b.position - a.position
}

/** The messages to look for; `from` and `to` are Unix seconds, both included. */
export interface PageQuery {
  user_id: string
  agent_id?: string | undefined
  thread_ids?: readonly string[] | undefined
  from: number
  to: number
  /** The terms that a message must have. */
  terms: Terms
}

/** The index of all accounts. */
export type SearchPages = ReturnType<typeof createSearchPages>

/** Creates the index over its collection. */
export function createSearchPages(pages: Collection<SearchPageDocument>) {
  const { namespace } = pages
  const ofThread = (thread_id: string) => ({ _id: { $gt: `${thread_id}/`, $lt: `${thread_id}0` } })

  const toRemovals = (thread_id: string, { after, upTo }: { after: number; upTo: number }): Write[] => {
    const filter = ofThread(thread_id)
    if (after <= 0 && upTo === Infinity) return [{ name: 'deleteMany', namespace, filter }] as never[]
    const removed = { p: { $gt: after, $lte: upTo } }
    const $pull = Object.fromEntries(FILTER_SIZES.map((size) => [fieldOf(size), removed]))
    const isEmpty = FILTER_SIZES.map((size) => ({ [fieldOf(size)]: { $in: [null, []] } }))
    return [
      { name: 'updateMany', namespace, filter, update: { $pull } },
      { name: 'deleteMany', namespace, filter: { ...filter, $and: isEmpty } },
    ] as never[]
  }

  const toAdditions = (
    thread_id: string,
    { owner: { user_id, agent_id }, messages }: NonNullable<MessageChange['stored']>,
  ): Write[] => {
    const byPage = new Map<number, Map<FilterSize, FilteredMessage[]>>()
    const times = new Map<number, number[]>()
    for (const message of messages) {
      const terms = termsOfMessage(message)
      if (terms.size === 0) continue
      const page = Math.floor(message.position / PAGE_POSITIONS)
      const size = chooseSize(terms)
      const time = Math.floor(message.timestamp / 1000)
      const sizes = byPage.get(page) ?? new Map<FilterSize, FilteredMessage[]>()
      byPage.set(page, sizes)
      sizes.set(size, [
        ...(sizes.get(size) ?? []),
        { p: message.position, t: time, w: new Binary(toFilter(terms, size)) },
      ])
      times.set(page, [...(times.get(page) ?? []), time])
    }
    return [...byPage].map(([page, sizes]) => ({
      name: 'updateOne',
      namespace,
      filter: { _id: `${thread_id}/${page}` },
      update: {
        $setOnInsert: { thread_id, user_id, agent_id },
        $max: { newest: Math.max(...times.get(page)!) },
        $min: { oldest: Math.min(...times.get(page)!) },
        // Repeated writes add nothing.
        $addToSet: Object.fromEntries(
          [...sizes].map(([size, filtered]) => [fieldOf(size), { $each: filtered }]),
        ),
      },
      upsert: true,
    }))
  }

  return {
    /** Returns the writes that keep the index with a change of messages; they can be repeated. */
    toWrites: ({ thread_id, removed, stored }: MessageChange): Write[] => [
      ...(removed ? toRemovals(thread_id, removed) : []),
      ...(stored ? toAdditions(thread_id, stored) : []),
    ],
    /**
     * Finds the messages that may have all terms, newest first, behind the place `after`; a few of them do not have the
     * terms, because bits of a filter belong to several terms.
     */
    async *find(
      { user_id, agent_id, thread_ids, from, to, terms }: PageQuery,
      after: Place | undefined,
      signal: AbortSignal,
    ): AsyncGenerator<Candidate, void, void> {
      const until = Math.min(to, after?.time ?? Infinity)
      const classes = FILTER_SIZES.map((size) => ({
        size,
        field: fieldOf(size),
        mask: new Binary(toFilter(terms, size)),
        test: createFilterTest(terms, size),
      }))
      const filter: Document = {
        user_id,
        ...(agent_id !== undefined && { agent_id }),
        ...(thread_ids && { thread_id: { $in: thread_ids } }),
        newest: { $gte: from },
        oldest: { $lte: until },
        $or: classes.map(({ field, mask }) => ({ [`${field}.w`]: { $bitsAllSet: mask } })),
      }
      const cursor = pages.find(filter, { signal, batchSize: PAGES_AT_ONCE }).sort({ newest: -1 })
      const waiting = createHeap<Candidate>(comparePlaces)
      try {
        for await (const page of cursor) {
          // The messages of this page and of those behind it are not newer than the page.
          while (waiting.size > 0 && waiting.peek()!.time > page.newest) yield waiting.pop()!
          for (const { size, field, test } of classes)
            for (const { p: position, t: time, w } of page[field] ?? []) {
              const candidate = { thread_id: page.thread_id, position, time, size }
              if (time < from || time > until || (after && comparePlaces(candidate, after) <= 0)) continue
              if (test(w.buffer)) waiting.push(candidate)
            }
        }
      } finally {
        await cursor.close()
      }
      while (waiting.size > 0) yield waiting.pop()!
    },
    /** Lists the threads of pages after this id of a page, in the order of pages, at most `limit` pages of them. */
    async listThreads(
      after: string,
      limit: number,
    ): Promise<{ thread_ids: string[]; last: string | undefined }> {
      const rows = await pages
        .find({ _id: { $gt: after } }, { projection: { thread_id: 1 } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray()
      return {
        thread_ids: [...new Set(rows.map(({ thread_id }) => thread_id))],
        last: rows.length < limit ? undefined : rows.at(-1)!._id,
      }
    },
    async clear(): Promise<void> {
      await pages.deleteMany({})
    },
  }
}

/** The pages that are read at a time: enough for most answers, so that a frequent word reads no more. */
const PAGES_AT_ONCE = 40

/** Returns the terms of what a person or an agent wrote in a message; tools and thoughts are not searched. */
const termsOfMessage = ({ role, content }: Pick<MessageDocument, 'role' | 'content'>): Terms =>
  toTerms(role === 'tool' ? '' : textOf(content))

/** Returns what a person or an agent wrote in a message; of a very long one, the beginning. */
export const textOf = (content: MessageDocument['content']): string =>
  content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .slice(0, MAX_CHARACTERS)
