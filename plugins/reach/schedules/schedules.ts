import type { Document, Filter, IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  findPage,
  type Page,
  type PageRequest,
  requireUnchanged,
  type TypeOf,
} from '#plugin-api'
import { nextDue, previewTimes } from './due-times.ts'
import type { Cradle } from './manifest.ts'
import type { newSchedule, scheduleChanges } from './schemas.ts'
import type { ScheduleDocument, ScheduleOwner } from './types.ts'

/** The indexes for lists, for the times at which a server must look, and for removals. */
export const scheduleIndexes: IndexDescription[] = [
  { key: { user_id: 1, agent_id: 1, created_at: -1, _id: -1 } },
  { key: { wake_at: 1 }, partialFilterExpression: { wake_at: { $gt: 0 } } },
  { key: { agent_id: 1 } },
  {
    key: { 'deliver.channel_id': 1 },
    partialFilterExpression: { 'deliver.channel_id': { $exists: true } },
  },
]

/** The fields that the entity tag of a schedule is made from. */
export const scheduleFields = [
  ...(['name', 'prompt', 'schedule', 'enabled', 'thread', 'model', 'deliver'] as const),
  ...(['knowledge_base_ids', 'connector_ids'] as const),
] as const

/** The fields of a new schedule. */
type NewSchedule = TypeOf<typeof newSchedule>

/** The changes of a schedule. */
type ScheduleChanges = TypeOf<typeof scheduleChanges>

/** The scopes of the credential that makes a change; null for a session. */
type Scopes = readonly string[] | null

/** Computes `wake_at` from the next due time and the active run. */
const WAKE: Document = {
  $set: { wake_at: { $min: [{ $multiply: ['$next_run_at', 1000] }, '$active_run.check_at'] } },
}

/** The store of schedules. */
export type Schedules = ReturnType<typeof createSchedules>

/** Creates the store of schedules. */
export function createSchedules({
  collections: { schedules },
  clock,
  ids,
  limits,
  models,
}: Pick<Cradle, 'collections' | 'clock' | 'ids' | 'limits' | 'models'>) {
  /** Changes the schedule that is selected and returns it; null if there is none. A value is stored as it is. */
  const change = (
    selected: Filter<ScheduleDocument>,
    values: Record<string, unknown>,
    ...stages: Document[]
  ): Promise<ScheduleDocument | null> => {
    const $set = Object.fromEntries(Object.entries(values).map(([field, $literal]) => [field, { $literal }]))
    return schedules.findOneAndUpdate(selected, [{ $set }, ...stages, WAKE], { returnDocument: 'after' })
  }

  const get = async (owner: ScheduleOwner, schedule_id: string): Promise<ScheduleDocument> => {
    const schedule = await schedules.findOne({ _id: schedule_id, ...owner })
    if (!schedule) throw new AppError('NOT_FOUND')
    return schedule
  }

  return {
    change,
    get,

    /** Finds a schedule of any account. */
    find: (schedule_id: string) => schedules.findOne({ _id: schedule_id }),

    /** Lists the schedules of an account that run in a thread, now or the next time. */
    listInThread: (owner: ScheduleOwner, thread_id: string): Promise<ScheduleDocument[]> =>
      schedules
        .find({ ...owner, $or: [{ thread: 'same', thread_id }, { 'active_run.thread_id': thread_id }] })
        .toArray(),

    /** Throws VALIDATION_FAILED for a rule without times, PROVIDER_NOT_VISIBLE, LIMIT_REACHED. */
    async create(owner: ScheduleOwner, newSchedule: NewSchedule, scopes: Scopes): Promise<ScheduleDocument> {
      const now = clock.seconds()
      const [first] = previewTimes(newSchedule.schedule, now)
      if (newSchedule.model != null) await models.assertUsable(newSchedule.model, owner.user_id)
      const schedule: ScheduleDocument = {
        _id: ids.make('job_'),
        ...owner,
        model: null,
        deliver: null,
        ...newSchedule,
        scopes,
        anchor: now,
        next_run_at: newSchedule.enabled ? first! : null,
        last_run_at: null,
        last_status: null,
        failures: 0,
        paused_reason: null,
        thread_id: null,
        active_run: null,
        wake_at: newSchedule.enabled ? first! * 1000 : null,
        created_at: now,
        updated_at: now,
      }
      await limits.within('schedules', owner.user_id, () => schedules.insertOne(schedule))
      return schedule
    },

    /** Lists the schedules of an account with an agent, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (owner: ScheduleOwner, page: PageRequest): Promise<Page<ScheduleDocument>> =>
      findPage(
        schedules,
        { parts: [owner], sort: { created_at: -1, _id: -1 }, projection: { prompt: 0 } },
        page,
      ),

    count: (user_id: string) => schedules.countDocuments({ user_id }),

    /**
     * Changes a schedule, which forgets its failures. Throws what `create` throws, NOT_FOUND and PRECONDITION_FAILED.
     */
    async update(
      owner: ScheduleOwner,
      schedule_id: string,
      changes: ScheduleChanges,
      { scopes, request }: { scopes: Scopes; request: Conditional },
    ): Promise<ScheduleDocument> {
      // Repeated if a run or another change comes in between: the next time depends on several fields.
      for (;;) {
        const old = await get(owner, schedule_id)
        const unchanged = requireUnchanged(request, old, scheduleFields)
        const now = clock.seconds()
        if (changes.schedule) previewTimes(changes.schedule, now)
        if (changes.model != null) await models.assertUsable(changes.model, owner.user_id)
        const { enabled, schedule } = { ...old, ...changes }
        const anchor = changes.schedule ? now : old.anchor
        const keeps = enabled && !changes.schedule && old.enabled
        const next_run_at = keeps ? old.next_run_at : enabled ? nextDue(schedule, now, anchor) : null
        const readState = { enabled: old.enabled, schedule: old.schedule, next_run_at: old.next_run_at }
        const updated = await change(
          { _id: schedule_id, ...owner, ...readState, ...unchanged },
          { ...changes, anchor, next_run_at, failures: 0, paused_reason: null, scopes, updated_at: now },
        )
        if (updated) return updated
      }
    },

    /** Deletes a schedule; throws NOT_FOUND. Its active run continues as a turn. */
    async remove(owner: ScheduleOwner, schedule_id: string): Promise<ScheduleDocument> {
      const schedule = await schedules.findOneAndDelete({ _id: schedule_id, ...owner })
      if (!schedule) throw new AppError('NOT_FOUND')
      return schedule
    },

    removeAllOf: (owner: Partial<ScheduleOwner>) => schedules.deleteMany(owner),

    /** Disables the schedules whose answers are delivered to a channel that was removed. */
    async pauseAllOf(channel_id: string): Promise<void> {
      const paused = { enabled: false, deliver: null, paused_reason: 'CHANNEL_REMOVED', next_run_at: null }
      await schedules.updateMany({ 'deliver.channel_id': channel_id }, [{ $set: paused }, WAKE])
    },

    /** Lists the schedules at which a server must look next, the earliest first. */
    listNext: (count: number): Promise<ScheduleDocument[]> =>
      schedules
        .find({ wake_at: { $gt: 0 } })
        .sort({ wake_at: 1 })
        .limit(count)
        .toArray(),

    /** Counts the schedules at which a server must look by now, to a bound. */
    countDue: (now: number, limit: number): Promise<number> =>
      schedules.countDocuments({ wake_at: { $gt: 0, $lte: now } }, { limit }),

    /** Has a server look at a schedule that is due again at a time in Unix milliseconds. */
    async postpone({ _id, next_run_at }: ScheduleDocument, wake_at: number): Promise<void> {
      await schedules.updateOne({ _id, next_run_at }, { $set: { wake_at } })
    },

    /** Has all active runs checked whose check lies further ahead than any: the clock was set back. */
    async checkSoon(latest: number): Promise<void> {
      await schedules.updateMany({ 'active_run.check_at': { $gt: latest } }, [
        { $set: { 'active_run.check_at': latest } },
        WAKE,
      ])
    },
  }
}
