import type { Collection } from 'mongodb'
import type { MessageDocument, ThreadDocument } from '../documents.ts'
import { cutRanges } from './paths.ts'
import { notRemoved, visible } from './thread-facts.ts'

/** The place of a message. */
export interface MessagePlace {
  thread_id: string
  position: number
}

/** The fields of a thread that name it. */
export type NamedThread = Pick<ThreadDocument, '_id' | 'agent_id' | 'title' | 'last_active'>

/** A text message, and the thread that shows it to its owner. */
export interface ShownMessage {
  message: Pick<MessageDocument, '_id' | 'thread_id' | 'position' | 'role' | 'content' | 'timestamp'>
  thread: NamedThread
}

/** The threads of an account to look at; times are Unix seconds, both included. */
export interface OwnThreadsFilter {
  user_id: string
  agent_id?: string | undefined
  project_id?: string | undefined
  active?: { from: number; to: number }
}

const NAMES = { agent_id: 1, title: 1, last_active: 1 } as const
const TEXTS = {
  thread_id: 1,
  position: 1,
  role: 1,
  timestamp: 1,
  'content.type': 1,
  'content.text': 1,
} as const

/** The most words that the database compares with titles; the reader compares all of them. */
const MAX_TITLE_CONDITIONS = 8
const NOT_ASCII = { title: { $regex: '[^\\x00-\\x7f]' } }

/** Letters outside of ASCII have several forms, which only the reader of a title compares. */
const toTitleCondition = (word: string) =>
  /^[a-z0-9]+$/.test(word) ? { $or: [{ title: { $regex: word, $options: 'i' } }, NOT_ASCII] } : NOT_ASCII

/** Reads messages by their places, and threads by their accounts, for plugins that look through all of them. */
export type OwnMessages = ReturnType<typeof createOwnMessages>

/** Creates the reader. */
export function createOwnMessages({
  threads,
  messages,
}: {
  threads: Collection<ThreadDocument>
  messages: Collection<MessageDocument>
}) {
  const toFilter = ({ user_id, agent_id, project_id, active }: OwnThreadsFilter) => ({
    user_id,
    ...(agent_id !== undefined && { agent_id }),
    ...(project_id !== undefined && { project_id }),
    ...(active && { last_active: { $gte: active.from, $lte: active.to } }),
    ...visible,
  })

  /** Returns a function that finds the thread of an account that shows the message at a place. */
  const findShowing = async (filter: OwnThreadsFilter, thread_ids: readonly string[]) => {
    const own = await threads
      .find({ ...toFilter(filter), _id: { $in: [...thread_ids] } }, { projection: NAMES })
      .toArray()
    const byId = new Map<string, NamedThread>(own.map((thread) => [thread._id, thread]))
    const missing = thread_ids.filter((thread_id) => !byId.has(thread_id))
    // The forks of a deleted thread still show its messages.
    const isGone = new Set(missing)
    if (missing.length > 0)
      for (const { _id } of await threads
        .find({ _id: { $in: missing }, ...visible }, { projection: { _id: 1 } })
        .toArray())
        isGone.delete(_id)
    const forks =
      isGone.size > 0
        ? await threads
            .find(
              { ...toFilter(filter), 'base.thread_id': { $in: [...isGone] } },
              { projection: { ...NAMES, base: 1 } },
            )
            .sort({ last_active: -1, _id: -1 })
            .toArray()
        : []
    const shows = ({ base = [] }: ThreadDocument, { thread_id, position }: MessagePlace) => {
      const range = cutRanges(base, position).at(-1)
      return range?.thread_id === thread_id && range.last === position
    }
    return (message: MessagePlace): NamedThread | undefined =>
      byId.get(message.thread_id) ??
      (isGone.has(message.thread_id) ? forks.find((fork) => shows(fork, message)) : undefined)
  }

  return {
    /** Reads the messages of people and agents at these places that an account has, in any order. */
    async read(filter: OwnThreadsFilter, places: readonly MessagePlace[]): Promise<ShownMessage[]> {
      const positions = new Map<string, number[]>()
      for (const { thread_id, position } of places)
        positions.set(thread_id, [...(positions.get(thread_id) ?? []), position])
      if (positions.size === 0) return []
      const findThread = await findShowing(filter, [...positions.keys()])
      const $or = [...positions].map(([thread_id, all]) => ({ thread_id, position: { $in: all } }))
      const rows = await messages.find({ $or, role: { $ne: 'tool' } }, { projection: TEXTS }).toArray()
      return rows.flatMap((message) => {
        const thread = findThread(message)
        return thread ? [{ message, thread }] : []
      })
    },
    /** Reads the titles of an account's threads that may have these words in lower case, and some that have not. */
    listTitles: (filter: OwnThreadsFilter, words: readonly string[]): AsyncIterable<NamedThread> =>
      threads.find(
        {
          ...toFilter(filter),
          title: { $type: 'string' },
          $and: [{}, ...words.slice(0, MAX_TITLE_CONDITIONS).map(toTitleCondition)],
        },
        { projection: NAMES, batchSize: 500 },
      ),
    /** Lists the ids of an account's threads. */
    async listIds(filter: OwnThreadsFilter): Promise<string[]> {
      const rows = await threads.find(toFilter(filter), { projection: { _id: 1 } }).toArray()
      return rows.map(({ _id }) => _id)
    },
    /** Lists threads of all accounts after an id, in the order of their ids, that were active from a time on (Unix seconds). */
    listThreads: (
      after: string,
      { active_since, limit }: { active_since: number; limit: number },
    ): Promise<Pick<ThreadDocument, '_id' | 'user_id' | 'agent_id' | 'base'>[]> =>
      threads
        .find(
          { _id: { $gt: after }, last_active: { $gte: active_since }, ...notRemoved },
          { projection: { user_id: 1, agent_id: 1, base: 1 } },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** Reads the next messages of a thread after a position, in order. */
    page: (thread_id: string, after: number, limit: number): Promise<MessageDocument[]> =>
      messages
        .find({ thread_id, position: { $gt: after } })
        .sort({ position: 1 })
        .limit(limit)
        .toArray(),
    /** Returns the threads among these that no account has and that have no messages left. */
    async listGone(thread_ids: readonly string[]): Promise<string[]> {
      const _id = { $in: [...thread_ids] }
      const rows = await threads.find({ _id }, { projection: { _id: 1 } }).toArray()
      const storedIds = new Set(rows.map((thread) => thread._id))
      const goneIds: string[] = []
      for (const thread_id of thread_ids)
        if (!storedIds.has(thread_id) && !(await messages.findOne({ thread_id }, { projection: { _id: 1 } })))
          goneIds.push(thread_id)
      return goneIds
    },
  }
}
