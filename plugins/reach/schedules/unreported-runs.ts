import type { UnreportedRecord } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { RunDocument } from './types.ts'

/** Returns the ends of runs that webhooks have not heard of; runs are marked until then from their beginning. */
export async function listUnreportedRuns(
  { limit }: { limit: number },
  { runs, schedules, describeError }: Pick<Cradle, 'runs' | 'schedules' | 'describeError'>,
): Promise<UnreportedRecord[]> {
  const toRecord = async (run: RunDocument): Promise<UnreportedRecord> => {
    const { _id: run_id, schedule_id, user_id, agent_id, due_at, started_at, ended_at, status } = run
    const { thread_id, turn_id, error } = run
    const schedule = await schedules.find(schedule_id)
    const data = {
      ...{
        schedule_id,
        name: schedule?.name ?? null,
        run_id,
        agent_id,
        status,
        due_at,
        started_at,
        ended_at,
      },
      ...{ thread_id, turn_id },
      error: error
        ? { code: error.code, message: describeError(error.code, error.details, 'en') ?? error.code }
        : null,
    }
    const id = `${run_id}:${status}:${ended_at}`
    return {
      facts: [{ id, event: 'schedule.run_ended', user_id, agent_id, at: ended_at! * 1000, data }],
      settle: () => runs.noteReported(run),
    }
  }
  return Promise.all((await runs.listUnreported(limit)).map(toRecord))
}
