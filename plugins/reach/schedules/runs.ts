import type { IndexDescription } from 'mongodb'
import { findPage, isDuplicateKey, type Page, type PageRequest } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { RunDocument, ScheduleDocument } from './types.ts'

/** The newest runs of a schedule that are kept when older ones are removed. */
const KEPT = 100

const NEWEST = { started_at: -1, _id: -1 } as const

/** The indexes for lists and removals. */
export const runIndexes: IndexDescription[] = [
  { key: { schedule_id: 1, ...NEWEST } },
  { key: { user_id: 1 } },
  { key: { agent_id: 1 } },
  { key: { is_unreported: 1, ended_at: 1 }, partialFilterExpression: { is_unreported: true } },
]

/** The runs of schedules, with the notes of due times that were skipped. */
export type Runs = ReturnType<typeof createRuns>

/** Creates the runs over their collection. */
export function createRuns({
  collections: { schedule_runs: runs },
  events,
}: Pick<Cradle, 'collections' | 'events'>) {
  /** Removes the oldest runs of a schedule beyond KEPT. */
  const trim = async (schedule_id: string) => {
    const [oldest] = await runs.find({ schedule_id }).sort(NEWEST).skip(KEPT).limit(1).toArray()
    if (oldest) await runs.deleteMany({ schedule_id, started_at: { $lte: oldest.started_at } })
  }

  return {
    /**
     * Stores a run, unless it is stored already. A run replaces the note that its time was skipped: another process was
     * about to skip it.
     */
    async add(
      { _id: schedule_id, user_id, agent_id }: Pick<ScheduleDocument, '_id' | 'user_id' | 'agent_id'>,
      run: Omit<RunDocument, 'schedule_id' | 'user_id' | 'agent_id'>,
    ): Promise<void> {
      try {
        await runs.insertOne({ ...run, schedule_id, user_id, agent_id, is_unreported: true })
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
        const { _id, ...fields } = run
        if (run.status === 'running')
          await runs.updateOne(
            { _id, status: 'skipped' },
            { $set: { ...fields, is_unreported: true }, $unset: { error: 1 } },
          )
        return
      }
      await trim(schedule_id)
    },

    async update(
      run_id: string,
      changes: Partial<Pick<RunDocument, 'status' | 'turn_id' | 'ended_at' | 'error'>>,
    ): Promise<void> {
      await runs.updateOne({ _id: run_id, ended_at: null }, { $set: changes })
    },

    /** Emits the event that a run has ended, whose record is stored. */
    announceEnd(
      { _id: schedule_id, user_id, agent_id }: Pick<ScheduleDocument, '_id' | 'user_id' | 'agent_id'>,
      end: { run_id: string; status: RunDocument['status'] },
    ): void {
      void events.emit('schedule.run_ended', { schedule_id, user_id, agent_id, ...end })
    },

    /** Lists the runs of a schedule, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (schedule_id: string, page: PageRequest): Promise<Page<RunDocument>> =>
      findPage(runs, { parts: [{ schedule_id }], sort: NEWEST }, page),

    /** Lists runs of all accounts that have ended without webhooks having heard of it, the oldest first. */
    listUnreported: (limit: number): Promise<RunDocument[]> =>
      runs
        .find({ is_unreported: true, ended_at: { $gt: 0 } })
        .sort({ is_unreported: 1, ended_at: 1 })
        .limit(limit)
        .toArray(),

    /** Notes that webhooks have heard of the end of a run. */
    noteReported: ({ _id, ended_at }: RunDocument) =>
      runs.updateOne({ _id, ended_at }, { $unset: { is_unreported: 1 } }),

    removeAllOf: (owner: Partial<Pick<RunDocument, 'schedule_id' | 'user_id' | 'agent_id'>>) =>
      runs.deleteMany(owner),
  }
}
