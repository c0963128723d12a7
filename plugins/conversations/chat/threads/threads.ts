import type { Collection } from 'mongodb'
import {
  AppError,
  type Clock,
  type Conditional,
  type EventBus,
  findPage,
  type Ids,
  type Limits,
  missOf,
  type Page,
  type PageRequest,
  requireUnchanged,
} from '#plugin-api'
import type { Agents } from '../../../agents/agents/agents.ts'
import type { ThreadDocument, ThreadSummary } from '../documents.ts'
import { createPrunableThreads } from './prunable-threads.ts'
import { notRemoved, toOwnedThread, visible } from './thread-facts.ts'
import { LIST_ORDER, LISTS, PROJECT_COUNTS } from './thread-indexes.ts'
import { PROJECTION_VERSION } from './thread-migrations.ts'

/** The most artifacts, and the most sources, that a list shows of a thread. */
const MAX_LISTED = 10

/** The time after which an unfinished fork counts as abandoned by a crashed process, in seconds. */
const FORKING_SECONDS = 60

/** The owner of a thread; part of every query. */
export interface ThreadOwner {
  user_id: string
  agent_id: string
}

/** The threads of an account to be listed: with one agent or all of them, and of one project or all of them. */
interface ListedThreads extends Partial<ThreadOwner> {
  user_id: string
  project_id?: string | undefined
  archived?: boolean
}

/** The fields that the entity tag of a thread is made from. */
export const threadFields = [
  'title',
  'pinned',
  'archived',
  'project_id',
  'model',
  'allowed_tools',
  'knowledge_base_ids',
] as const

/** The changes of a thread by a person. */
type ThreadChanges = Partial<
  Pick<ThreadDocument, Exclude<(typeof threadFields)[number], 'project_id'> | 'title_by'>
> & { project_id?: string | null }

/** Selects the threads that are in lists unless these ask for archived ones. */
const notArchived = { $ne: true } as const

/** The fields of a thread that its row in a list shows first. */
const GLANCE = {
  agent_id: 1,
  channel_type: 1,
  project_id: 1,
  title: 1,
  pinned: 1,
  archived: 1,
  unread: 1,
  last_active: 1,
  'active_turn.turn_id': 1,
} as const

/** The part of a thread that `GLANCE` shows. */
export type GlancedThread = Pick<
  ThreadDocument,
  | '_id'
  | 'agent_id'
  | 'channel_type'
  | 'project_id'
  | 'title'
  | 'pinned'
  | 'archived'
  | 'unread'
  | 'last_active'
> & { active_turn?: object | null }

/** The threads of all users. */
export type Threads = ReturnType<typeof createThreads>

/** Creates the threads over their collection. */
export function createThreads({
  agents,
  threads,
  clock,
  events,
  ids,
  limits,
}: {
  agents: Pick<Agents, 'listDefaultKnowledge'>
  threads: Collection<ThreadDocument>
  events: EventBus
  clock: Clock
  ids: Ids
  limits: Limits
}) {
  const unseen = { unread: { $gt: 0 } }
  const missing = () => new AppError('THREAD_NOT_FOUND')
  const owner = { user_id: 1, agent_id: 1 } as const
  const noteChange = (thread: ThreadOwner & { _id: string }) =>
    void events.emit('thread.changed', toOwnedThread(thread))

  return {
    /** Creates a thread, empty unless `beginning` says otherwise. Throws LIMIT_REACHED. */
    async create(
      { user_id, agent_id }: ThreadOwner,
      beginning: Partial<ThreadDocument> = {},
    ): Promise<ThreadDocument> {
      const now = clock.seconds()
      const knowledge_base_ids = await agents.listDefaultKnowledge(user_id)
      const thread: ThreadDocument = {
        _id: ids.make('thr_'),
        user_id,
        agent_id,
        title: null,
        pinned: false,
        session_key: ids.make('ses_'),
        channel_type: 'web',
        model: null,
        last_seq: 0,
        last_active: now,
        created_at: now,
        unread: 0,
        artifacts: [],
        sources: [],
        projection_version: PROJECTION_VERSION,
        active_turn: null,
        ...(knowledge_base_ids.length > 0 && { knowledge_base_ids }),
        ...beginning,
      }
      await limits.within('threads', user_id, () => threads.insertOne(thread))
      if (thread.deleted_at === undefined) noteChange(thread)
      return thread
    },
    /**
     * Shows a thread that was created with `deleted_at: null`; throws THREAD_NOT_FOUND if it was hidden meanwhile. With
     * `created_at` it is one of many old ones, which are not announced.
     */
    async publish(thread_id: string, created_at?: number): Promise<void> {
      const published = await threads.findOneAndUpdate(
        { _id: thread_id, ...notRemoved },
        { $unset: { deleted_at: 1 }, ...(created_at !== undefined && { $set: { created_at } }) },
        { projection: owner },
      )
      if (!published) throw missing()
      if (created_at === undefined) noteChange(published)
    },
    /** Throws THREAD_NOT_FOUND, also if the thread belongs to another owner. */
    async get({ user_id, agent_id }: ThreadOwner, thread_id: string): Promise<ThreadDocument> {
      const thread = await threads.findOne({ _id: thread_id, user_id, agent_id, ...visible })
      if (!thread) throw missing()
      return thread
    },
    /** The same with whatever agent. */
    async getOfUser(user_id: string, thread_id: string): Promise<ThreadDocument> {
      const thread = await threads.findOne({ _id: thread_id, user_id, ...visible })
      if (!thread) throw missing()
      return thread
    },
    /** Reads what a list shows first of a thread; null if the account has no such thread. */
    glance: (user_id: string, thread_id: string): Promise<GlancedThread | null> =>
      threads.findOne({ _id: thread_id, user_id, ...visible }, { projection: GLANCE }),
    /** Lists the threads of an account or of several whose turns wait for a person, those that wait longest first. */
    listPaused: (user_id: string | readonly string[], limit: number): Promise<ThreadDocument[]> =>
      threads
        .find({
          'active_turn.paused.expires_at': { $gt: 0 },
          'active_turn.paused.for_client': { $exists: false },
          user_id: typeof user_id === 'string' ? user_id : { $in: [...user_id] },
          ...visible,
        })
        .sort({ 'active_turn.paused.expires_at': 1 })
        .limit(limit)
        .toArray(),
    /** Throws THREAD_NOT_FOUND. */
    async getBySession({ user_id, agent_id }: ThreadOwner, session_key: string): Promise<ThreadDocument> {
      const thread = await threads.findOne({ session_key, user_id, agent_id, ...visible })
      if (!thread) throw missing()
      return thread
    },
    /** True if the account has a thread with this agent. */
    async exist({ user_id, agent_id }: ThreadOwner): Promise<boolean> {
      return (await threads.findOne({ user_id, agent_id, ...visible }, { projection: { _id: 1 } })) !== null
    },
    /**
     * Lists threads, pinned first, then by last activity, with their newest artifacts and sources. Throws
     * VALIDATION_FAILED for an unknown cursor.
     */
    async list(
      { archived, project_id, ...owner }: ListedThreads,
      page: PageRequest,
    ): Promise<Page<ThreadDocument>> {
      const ofProject = project_id === undefined ? {} : { project_id }
      const projection = {
        summary: 0,
        base: 0,
        path: 0,
        'active_turn.path': 0,
        instructions: 0,
        artifacts: { $slice: -MAX_LISTED },
        sources: { $slice: -MAX_LISTED },
      }
      const parts = [{ ...owner, ...ofProject, archived: archived ? true : notArchived, ...visible }]
      const hint = project_id !== undefined ? LISTS.project : owner.agent_id ? LISTS.agent : LISTS.account
      return findPage(threads, { parts, sort: LIST_ORDER, projection, hint }, page)
    },
    /** Changes a thread; a `project_id` of null takes it out of its project. Throws PRECONDITION_FAILED, THREAD_NOT_FOUND. */
    async update(
      thread: ThreadDocument,
      { project_id, ...changes }: ThreadChanges,
      request: Conditional,
    ): Promise<ThreadDocument> {
      const { _id, user_id, agent_id } = thread
      const unchanged = requireUnchanged(request, thread, threadFields)
      const updated = await threads.findOneAndUpdate(
        { _id, user_id, agent_id, ...visible, ...unchanged },
        {
          $set: { ...changes, ...(project_id && { project_id }) },
          ...(project_id === null && { $unset: { project_id: 1 } }),
        },
        { returnDocument: 'after' },
      )
      if (!updated) throw missOf(unchanged, 'THREAD_NOT_FOUND')
      noteChange(updated)
      return updated
    },
    /** Takes all threads out of these projects, or only the threads of one account. */
    async leaveProjects(project_ids: readonly string[], user_id?: string): Promise<void> {
      const ofUser = user_id === undefined ? {} : { user_id }
      await threads.updateMany(
        { ...ofUser, project_id: { $in: [...project_ids] } },
        { $unset: { project_id: 1 } },
      )
    },
    /** Counts the threads of an account that are not archived, by project, hidden ones included. */
    async countByProject(user_id: string, project_ids: readonly string[]): Promise<Map<string, number>> {
      const counts = await threads
        .aggregate<{ _id: string; threads: number }>(
          [
            { $match: { user_id, project_id: { $in: [...project_ids] }, archived: notArchived } },
            { $group: { _id: '$project_id', threads: { $sum: 1 } } },
          ],
          { hint: PROJECT_COUNTS },
        )
        .toArray()
      return new Map(counts.map(({ _id, threads }) => [_id, threads]))
    },
    /** Lists the projects that threads are in, with the accounts of the threads; only some accounts, or one project, if they are named. */
    async listProjects({
      project_id = { $exists: true },
      user_ids,
    }: {
      project_id?: string | { $exists: true }
      user_ids?: readonly string[]
    } = {}): Promise<{ user_id: string; project_id: string }[]> {
      const projects = await threads
        .aggregate<{ _id: { user_id: string; project_id: string } }>([
          { $match: { project_id, ...(user_ids && { user_id: { $in: [...user_ids] } }) } },
          { $group: { _id: { user_id: '$user_id', project_id: '$project_id' } } },
        ])
        .toArray()
      return projects.map(({ _id }) => _id)
    },
    /** Replaces the title of a thread as it was read; it may have been named or removed meanwhile. */
    async entitle(
      current: Pick<ThreadDocument, '_id' | 'title'> & { title_by: 'model' },
      title: string,
    ): Promise<void> {
      const thread = await threads.findOneAndUpdate({ ...current, ...visible }, { $set: { title } })
      if (thread) noteChange(thread)
    },
    /** Replaces the instructions of a thread. Throws THREAD_NOT_FOUND. */
    async instruct(
      { user_id, agent_id }: ThreadOwner,
      thread_id: string,
      instructions: string,
    ): Promise<void> {
      const { matchedCount } = await threads.updateOne(
        { _id: thread_id, user_id, agent_id, ...visible },
        { $set: { instructions } },
      )
      if (matchedCount === 0) throw missing()
    },
    async markRead({ user_id, agent_id }: ThreadOwner, thread_id?: string): Promise<void> {
      if (thread_id === undefined) {
        const unread = await threads
          .find({ user_id, agent_id, ...unseen, ...visible }, { projection: owner })
          .toArray()
        await threads.updateMany({ user_id, agent_id, ...unseen }, { $set: { unread: 0 } })
        unread.forEach(noteChange)
        return
      }
      const previous = await threads.findOneAndUpdate(
        { _id: thread_id, user_id, agent_id, ...visible },
        { $set: { unread: 0 } },
        { projection: { ...owner, unread: 1 } },
      )
      if (!previous) throw missing()
      if (previous.unread > 0) noteChange(previous)
    },
    /** Counts a user's unread replies by agent. */
    async countUnread(user_id: string, agent_ids: readonly string[]): Promise<Map<string, number>> {
      const counts = await threads
        .aggregate<{ _id: string; unread: number }>([
          { $match: { user_id, agent_id: { $in: [...agent_ids] }, ...unseen, ...visible } },
          { $group: { _id: '$agent_id', unread: { $sum: '$unread' } } },
        ])
        .toArray()
      return new Map(counts.map(({ _id, unread }) => [_id, unread]))
    },
    /** Stores a summary of a thread's older messages while this turn has the thread. */
    async storeSummary(
      { thread_id, turn_id }: { thread_id: string; turn_id: string },
      summary: ThreadSummary,
    ): Promise<void> {
      await threads.updateOne({ _id: thread_id, 'active_turn.turn_id': turn_id }, { $set: { summary } })
    },
    /** Stores a summary unless the thread has another one meanwhile; false if it has. */
    async replaceSummary(
      { _id, user_id, summary: former }: ThreadDocument,
      summary: ThreadSummary,
    ): Promise<boolean> {
      const unchanged = former ? { 'summary.position': former.position } : { summary: { $exists: false } }
      const { matchedCount } = await threads.updateOne(
        { _id, user_id, ...visible, ...unchanged },
        { $set: { summary } },
      )
      return matchedCount === 1
    },
    /** Hides threads from everyone before they are removed; returns their ids. */
    async hide(filter: Partial<ThreadOwner> & { _id?: string }): Promise<string[]> {
      const hidden: string[] = []
      for (;;) {
        const hiddenThreads = await threads
          .find({ ...filter, ...notRemoved }, { projection: owner })
          .toArray()
        const thread_ids = hiddenThreads.map(({ _id }) => _id)
        // A hidden thread cannot be forked any more, but it may have been forked in the meantime.
        if (thread_ids.length === 0) return hidden
        await threads.updateMany({ _id: { $in: thread_ids } }, { $set: { deleted_at: clock.seconds() } })
        hidden.push(...thread_ids)
        for (const thread of hiddenThreads) void events.emit('thread.deleted', toOwnedThread(thread))
      }
    },
    /** Counts the threads of all users, without hidden ones. */
    async count(): Promise<number> {
      // Most threads are visible, and counting by index reads no documents.
      const all = await threads.countDocuments({}, { hint: '_id_' })
      return all - (await threads.countDocuments({ deleted_at: { $exists: true } }))
    },
    /** Hides abandoned forks. */
    async hideUnfinished(): Promise<void> {
      const now = clock.seconds()
      await threads.updateMany(
        { deleted_at: { $exists: true, $eq: null }, created_at: { $lt: now - FORKING_SECONDS } },
        { $set: { deleted_at: now } },
      )
    },
    /** Lists threads that are hidden and not yet removed. */
    async listHidden(): Promise<string[]> {
      const hidden = await threads.find({ deleted_at: { $gte: 0 } }, { projection: { _id: 1 } }).toArray()
      return hidden.map(({ _id }) => _id)
    },
    async remove(thread_id: string): Promise<void> {
      await threads.deleteOne({ _id: thread_id })
    },
    ...createPrunableThreads(threads),
  }
}
