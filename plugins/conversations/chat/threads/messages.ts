import type { Collection, Filter, IndexDescription } from 'mongodb'
import { isDuplicateKey, jointWriterOf, type Write } from '#plugin-api'
import type { Artifact, Branch, MessageDocument, MessageRange, Source } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { MessageChange } from './message-writes.ts'
import { listGaps, listRanges, type ShownThread } from './paths.ts'
import type { ThreadOwner } from './threads.ts'

/** Selects the messages in these ranges after `after`; sorted by position, the index returns them range by range. */
const inRanges = (ranges: readonly MessageRange[], after = 0): Filter<MessageDocument> =>
  ranges.length === 0
    ? { _id: { $in: [] } }
    : {
        $or: ranges.map(({ thread_id, first = 1, last }) => ({
          thread_id,
          position: { $gt: Math.max(after, first - 1), $lte: last },
        })),
      }

const NAMED_BY = {
  artifacts: { key: { thread_id: 1, position: -1, 'artifacts.path': 1 }, field: 'artifacts.path' },
  sources: { key: { thread_id: 1, position: -1, 'sources.id': 1 }, field: 'sources.id' },
} as const

const BY_BRANCH = { thread_id: 1, 'branch.after': 1 } as const

/** The indexes for pages, for versions, and for the few messages with artifacts or sources. */
export const messageIndexes: IndexDescription[] = [
  { key: { thread_id: 1, position: -1 } },
  { key: BY_BRANCH, partialFilterExpression: { 'branch.after': { $exists: true } } },
  ...Object.values(NAMED_BY).map(({ key, field }) => ({
    key,
    partialFilterExpression: { [field]: { $exists: true } },
  })),
]

const HEAD = { position: 1, role: 1, thread_id: 1, turn_id: 1, branch: 1 } as const

/** The place of a message in its thread. */
export type MessageHead = Pick<MessageDocument, '_id' | keyof typeof HEAD>

const isIn = ({ thread_id, first = 1, last }: MessageRange, message: MessageHead) =>
  message.thread_id === thread_id && message.position >= first && message.position <= last

/** The messages of finished turns, one document each. */
export type Messages = ReturnType<typeof createMessages>

/** Creates the messages over their collection. */
export function createMessages(
  messages: Collection<MessageDocument>,
  { extensions, log }: Pick<Cradle, 'extensions' | 'log'>,
) {
  /** Returns the writes of other plugins that belong to a change of a thread's messages. */
  const accompany = (change: MessageChange): Write[] =>
    extensions['chat.message_writes'].list().flatMap((toWrites) => {
      try {
        return [...toWrites(change)]
      } catch (error) {
        // Removed messages must not stay elsewhere, but new ones are stored even if others derive nothing from them.
        if (change.removed) throw error
        log.error({ error, thread_id: change.thread_id }, 'a plugin has no writes for new messages')
        return []
      }
    })

  const find = (ranges: readonly MessageRange[], filter: Filter<MessageDocument> = {}, after?: number) =>
    messages.find({ ...inRanges(ranges, after), ...filter })
  const findBranches = (thread_id: string, after: Filter<number>) =>
    messages.find({ thread_id, 'branch.after': after } as Filter<MessageDocument>).hint(BY_BRANCH)

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
    /** Stores messages of whole turns of a thread, instead of those that it `removed`; can be repeated. */
    async store(
      { _id: thread_id, user_id, agent_id }: ThreadOwner & { _id: string },
      documents: readonly MessageDocument[],
      removed?: MessageChange['removed'],
    ): Promise<void> {
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
      const stored = { owner: { user_id, agent_id }, messages: documents }
      await jointWriterOf(messages).write(accompany({ thread_id, ...(removed && { removed }), stored }))
    },
    /** Returns the writes that store a turn's messages, which are new. */
    toWrites: (
      { thread_id, user_id, agent_id }: ThreadOwner & { thread_id: string },
      documents: readonly MessageDocument[],
    ): Write[] => [
      ...documents.map((document): Write => ({ name: 'insertOne', namespace: messages.namespace, document })),
      ...accompany({ thread_id, stored: { owner: { user_id, agent_id }, messages: documents } }),
    ],
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
      if (ranges.length === 0) return []
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
    /** Finds a message in these ranges. */
    async findIn(ranges: readonly MessageRange[], message_id: string): Promise<MessageDocument | null> {
      const message = await messages.findOne({ _id: message_id })
      return message && ranges.some((range) => isIn(range, message)) ? message : null
    },
    /** Finds the last message in these ranges; with a role, the last of that role. */
    findLast: (
      ranges: readonly MessageRange[],
      role?: MessageDocument['role'],
    ): Promise<MessageDocument | null> =>
      find(ranges, role ? { role } : {})
        .sort({ position: -1 })
        .limit(1)
        .next(),
    /** Finds the first message in these ranges after a position; with a role, the first of that role. */
    findFirst: (
      ranges: readonly MessageRange[],
      after: number,
      role?: MessageDocument['role'],
    ): Promise<MessageDocument | null> =>
      find(ranges, role ? { role } : {}, after)
        .sort({ position: 1 })
        .limit(1)
        .next(),
    /** Lists where the versions of a thread branch off, in the order of their turns. */
    async listBranches(thread_id: string): Promise<Branch[]> {
      const rows = await findBranches(thread_id, { $exists: true })
        .project<Required<Pick<MessageDocument, 'branch'>>>({ branch: 1 })
        .toArray()
      return rows.map(({ branch }) => branch).sort((a, b) => a.first - b.first)
    },
    /** Lists the first messages of the versions that branch off at these positions. */
    listVersions: (thread_id: string, after: readonly number[]): Promise<MessageHead[]> =>
      findBranches(thread_id, { $in: [...after] })
        .project<MessageHead>(HEAD)
        .toArray(),
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
    /** Removes a thread's own messages outside of these ranges. */
    async removeOutside(thread_id: string, ranges: readonly MessageRange[]): Promise<void> {
      for (const removed of listGaps(ranges)) {
        await jointWriterOf(messages).write(accompany({ thread_id, removed }))
        await messages.deleteMany({ thread_id, position: { $gt: removed.after, $lte: removed.upTo } })
      }
    },
  }
}
