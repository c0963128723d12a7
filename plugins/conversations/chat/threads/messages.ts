import type { Collection, Filter, IndexDescription } from 'mongodb'
import { isDuplicateKey } from '#kernel'
import type { Write } from '#toolbox'
import type { Artifact, MessageDocument, MessageRange, Source, ThreadDocument } from '../documents.ts'

/** The fields of a thread that are needed to read its messages. */
export type ShownThread = Pick<ThreadDocument, '_id' | 'base'>

/**
 * Returns the ranges of messages that a thread shows up to the position `last`, oldest first: the base of a fork, then
 * its own. Positions rise from range to range, so one sort order holds for all; each range but the newest contains a
 * message.
 */
export function listRanges({ _id, base = [] }: ShownThread, last = Infinity): MessageRange[] {
  const all = [...base, { thread_id: _id, last: Infinity }]
  return all
    .filter((_, index) => (all[index - 1]?.last ?? -Infinity) < last)
    .map((range) => ({ thread_id: range.thread_id, last: Math.min(range.last, last) }))
}

/** Selects the messages in these ranges after `after`; sorted by position, the index returns them range by range. */
const inRanges = (ranges: readonly MessageRange[], after = 0) => ({
  $or: ranges.map(({ thread_id, last }) => ({ thread_id, position: { $gt: after, $lte: last } })),
})

const NAMED_BY = {
  artifacts: { key: { thread_id: 1, position: -1, 'artifacts.path': 1 }, field: 'artifacts.path' },
  sources: { key: { thread_id: 1, position: -1, 'sources.id': 1 }, field: 'sources.id' },
} as const

/** The indexes for pages, and for the few messages with artifacts or sources. */
export const messageIndexes: IndexDescription[] = [
  { key: { thread_id: 1, position: -1 } },
  ...Object.values(NAMED_BY).map(({ key, field }) => ({
    key,
    partialFilterExpression: { [field]: { $exists: true } },
  })),
]

/** The messages of finished turns, one document each. */
export type Messages = ReturnType<typeof createMessages>

/** Creates the messages over their collection. */
export function createMessages(messages: Collection<MessageDocument>) {
  const find = (ranges: readonly MessageRange[], filter: Filter<MessageDocument> = {}, after?: number) =>
    messages.find({ ...inRanges(ranges, after), ...filter })

  const listNamed = async <Named extends Artifact | Source>(
    ranges: readonly MessageRange[],
    by: keyof typeof NAMED_BY,
    most: number,
  ): Promise<Named[]> => {
    const { key, field } = NAMED_BY[by]
    const newestFirst = find(ranges, { [field]: { $exists: true } })
      .hint(key)
      .sort({ position: -1 })
      .project<Pick<MessageDocument, typeof by>>({ [by]: 1 })
    const named = new Map<string, Named>()
    for await (const message of newestFirst) {
      for (const one of (message[by] as Named[]).toReversed()) {
        const name = 'path' in one ? one.path : one.id
        if (!named.has(name)) named.set(name, one)
      }
      if (named.size >= most) break
    }
    return [...named.values()].slice(0, most).reverse()
  }

  return {
    /** Stores a turn's messages; can be repeated. */
    async store(documents: readonly MessageDocument[]): Promise<void> {
      try {
        await messages.insertMany([...documents], { ordered: false })
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
        await messages.bulkWrite(
          documents.map((document) => ({
            replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true },
          })),
        )
      }
    },
    /** Returns the writes that store a turn's messages; they can be repeated. */
    toWrites: (documents: readonly MessageDocument[]): Write[] =>
      documents.map((document) => ({
        name: 'replaceOne',
        namespace: messages.namespace,
        filter: { _id: document._id },
        replacement: document,
        upsert: true,
      })),
    find: (message_id: string): Promise<MessageDocument | null> => messages.findOne({ _id: message_id }),
    /**
     * Reads a page counted from the newest message, or before `beforeSeq`; oldest first, with one message more than `limit`
     * if there are more.
     */
    async page(
      thread: ShownThread,
      { limit, offset = 0, beforeSeq = Infinity }: { limit: number; offset?: number; beforeSeq?: number },
    ): Promise<MessageDocument[]> {
      // Earlier ranges are further back than the page, because each range but the newest contains a message.
      const ranges = listRanges(thread, beforeSeq - 1).slice(-(offset + limit + 2))
      const newestFirst = await find(ranges)
        .sort({ position: -1 })
        .skip(offset)
        .limit(limit + 1)
        .toArray()
      return newestFirst.reverse()
    },
    /** Removes messages with `after < position <= upTo`, except those in `keep`. */
    async prune(
      thread_id: string,
      { after, upTo, keep }: { after: number; upTo: number; keep: readonly string[] },
    ): Promise<void> {
      const position = { $gt: after, $lte: upTo }
      await messages.deleteMany({ thread_id, position, _id: { $nin: [...keep] } })
    },
    /**
     * The position of the reply with this number, 1 is the newest; a reply is an assistant message without tool calls.
     */
    async findReply(ranges: readonly MessageRange[], position: number): Promise<number | null> {
      const isReply = {
        role: 'assistant',
        'content.0': { $exists: true },
        'content.type': { $ne: 'tool_use' },
      }
      const [reply] = await find(ranges, isReply as Filter<MessageDocument>)
        .sort({ position: -1 })
        .skip(position - 1)
        .limit(1)
        .project<{ position: number }>({ position: 1 })
        .toArray()
      return reply?.position ?? null
    },
    /** The position of an assistant's message. */
    async findAnswer(ranges: readonly MessageRange[], message_id: string): Promise<number | null> {
      const [answer] = await find(ranges, { _id: message_id, role: 'assistant' }).limit(1).toArray()
      return answer?.position ?? null
    },
    /** The position of the first message after another one that is not a tool's. */
    async findNext(ranges: readonly MessageRange[], after: number): Promise<number | null> {
      const [next] = await find(ranges, { role: { $ne: 'tool' } }, after)
        .sort({ position: 1 })
        .limit(1)
        .project<{ position: number }>({ position: 1 })
        .toArray()
      return next?.position ?? null
    },
    count: (ranges: readonly MessageRange[]): Promise<number> => messages.countDocuments(inRanges(ranges)),
    /** True if a message of these threads contains an artifact at this path. */
    async hasArtifact(thread_ids: readonly string[], path: string): Promise<boolean> {
      const { key, field } = NAMED_BY.artifacts
      return messages
        .find({ thread_id: { $in: [...thread_ids] }, [field]: path })
        .hint(key)
        .project({ _id: 1 })
        .hasNext()
    },
    /** The paths of the artifacts in messages of these threads. */
    async listArtifactPaths(thread_ids: readonly string[]): Promise<Set<string>> {
      const { key, field } = NAMED_BY.artifacts
      const cursor = messages
        .find({ thread_id: { $in: [...thread_ids] }, [field]: { $exists: true } })
        .hint(key)
        .project<Pick<MessageDocument, 'artifacts'>>({ [field]: 1 })
      const paths = new Set<string>()
      for await (const { artifacts = [] } of cursor) for (const { path } of artifacts) paths.add(path)
      return paths
    },
    /** The newest artifacts in messages, each once, oldest first. */
    listArtifacts: (ranges: readonly MessageRange[], most: number): Promise<Artifact[]> =>
      listNamed(ranges, 'artifacts', most),
    /** The newest sources in messages, each once, oldest first. */
    listSources: (ranges: readonly MessageRange[], most: number): Promise<Source[]> =>
      listNamed(ranges, 'sources', most),
    /** Removes a thread's own messages after a position. */
    async removeBehind(thread_id: string, last: number): Promise<void> {
      await messages.deleteMany({ thread_id, position: { $gt: last } })
    },
  }
}
