import { AppError } from '#plugin-api'
import type { StartedTurn } from '../../conversations/chat/chat.ts'
import type { PreparedTurn } from '../../conversations/chat/turns/unattended-turns.ts'
import { CHECK_MS, type Outcome, ownerOf, type Running, toRunError } from './active-runs.ts'
import { newestDue, nextDue } from './due-times.ts'
import type { Cradle } from './manifest.ts'
import { createRunEnds } from './run-ends.ts'
import { createRunStarts } from './run-starts.ts'
import type { RunError, ScheduleDocument } from './types.ts'

/** A due time that is later than this is skipped, in seconds. */
const LATEST_SECONDS = 3600
/** The time for which an agent that is being started is waited for after the due time, in seconds. */
const AGENT_START_SECONDS = 60
/** The interval at which such an agent is looked at again, in milliseconds. */
const AGENT_RETRY_MS = 2000

/** The longest interval between two checks of an active run, in milliseconds. */
export const MAX_CHECK_MS = 60_000
/** The most runs whose ends this process notices at once; checks notice the ends of other runs. */
const MAX_FOLLOWED = 10_000

/** Starts the runs of schedules, each once among all servers, and follows them to their ends. */
export type Execution = ReturnType<typeof createExecution>

/** Creates the execution of schedules. */
export function createExecution(cradle: Cradle) {
  const { schedules, runs, clock, log } = cradle
  const { prepare, isOrphan, createRun, claim, startTurn, forgetDeleted } = createRunStarts(cradle)
  const { readState, findTurn, ...ends } = createRunEnds(cradle)
  /** The schedules with runs whose turns may end in this process, by thread. */
  const followed = new Map<string, string>()
  const pending = new Set<Promise<unknown>>()
  /** The last check of each thread whose turn was noted. */
  const checking = new Map<string, Promise<void>>()

  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const tracked = work.catch(() => 'reported by its caller').finally(() => pending.delete(tracked))
    pending.add(tracked)
    return work
  }

  const follow = (thread_id: string, schedule_id: string) => {
    const [oldest] = followed.keys()
    if (followed.size >= MAX_FOLLOWED) followed.delete(oldest!)
    followed.set(thread_id, schedule_id)
  }

  /** Starts the turn of a run and has the run checked when the turn has ended or paused. */
  const start = async (schedule: Running, prepared?: PreparedTurn): Promise<StartedTurn> => {
    const onThread = (thread_id: string) => follow(thread_id, schedule._id)
    const turn = await startTurn(schedule, { onThread, prepared })
    const { thread_id } = schedule.active_run
    // A turn that failed is already logged, and is checked like one that ended.
    if (turn.outcome === 'started') void turn.ended.catch(() => undefined).then(() => noteTurn(thread_id))
    return turn
  }

  /** Starts the turn of a run; a run that cannot be started has failed. What another attempt may solve is left to a check. */
  const startOrFail = async (schedule: Running, prepared?: PreparedTurn): Promise<void> => {
    try {
      await start(schedule, prepared)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'SHUTTING_DOWN') throw error
      await settle(schedule, { status: 'failed', error: toRunError(error) })
    }
  }

  const settle = async (schedule: Running, outcome: Outcome) => {
    followed.delete(schedule.active_run.thread_id)
    await ends.settle(schedule, outcome)
  }

  /** Checks an active run. Its check is moved first, so that other processes leave it alone meanwhile. */
  const check = async (schedule: Running, isNoted = false): Promise<void> => {
    const { _id, active_run, last_status } = schedule
    const { run_id, check_at, started_at } = active_run
    const now = clock.now()
    const wait = Math.min(MAX_CHECK_MS, Math.max(CHECK_MS, (now - started_at * 1000) / 2))
    const mine = (await schedules.change(
      { _id, 'active_run.run_id': run_id, ...(!isNoted && { 'active_run.check_at': check_at }) },
      { 'active_run.check_at': now + wait },
    )) as Running | null
    if (!mine) return
    const turn = mine.active_run.turn_id ?? (await findTurn(mine))
    if (turn === null) return startOrFail(mine)
    mine.active_run.turn_id = turn
    const state = await readState(mine)
    if (state === 'lost') return startOrFail(mine)
    if (typeof state === 'object') return settle(mine, state)
    follow(mine.active_run.thread_id, _id)
    if (state === last_status) return
    await runs.update(run_id, { status: state })
    await schedules.change({ _id, 'active_run.run_id': run_id }, { last_status: state })
  }

  const checkThread = async (thread_id: string): Promise<void> => {
    const schedule_id = followed.get(thread_id)
    if (schedule_id === undefined) return
    const schedule = await schedules.find(schedule_id)
    if (schedule?.active_run?.thread_id === thread_id) await check(schedule as Running, true)
    else followed.delete(thread_id)
  }

  /** Checks the run of this thread, whose turn has ended or goes on in this process; other threads are ignored. */
  const noteTurn = (thread_id: string): Promise<void> => {
    // A turn that ends is noted twice; the second check finds nothing to do.
    const pendingCheck = checking.get(thread_id) ?? Promise.resolve()
    const checked = pendingCheck
      .then(() => track(checkThread(thread_id)))
      .catch((error) => log.error({ error, thread_id }, 'a run could not be checked'))
      .finally(() => {
        if (checking.get(thread_id) === checked) checking.delete(thread_id)
      })
    checking.set(thread_id, checked)
    return checked
  }

  /** Records that a due time was skipped, and sets the next one. */
  const skip = async (
    schedule: ScheduleDocument,
    { due_at, next, error }: { due_at: number; next: number | null; error: RunError },
  ): Promise<void> => {
    const { _id, next_run_at, active_run } = schedule
    const now = clock.seconds()
    const note = { _id: `${_id}:${due_at}`, due_at, started_at: now, ended_at: now, thread_id: null }
    await runs.add(schedule, { ...note, turn_id: null, status: 'skipped', error })
    runs.announceEnd(schedule, { run_id: note._id, status: 'skipped' })
    const advanced = await schedules.change(
      { _id, next_run_at },
      { next_run_at: next, ...(!active_run && { last_run_at: now, last_status: 'skipped' }) },
    )
    if (!advanced) await forgetDeleted(_id)
  }

  /** Starts the run that is due, or notes why not; true if a turn was started. */
  const runDue = async (schedule: ScheduleDocument, first: number): Promise<boolean> => {
    const now = clock.seconds()
    const next = nextDue(schedule.schedule, now, schedule.anchor)
    const due_at = newestDue(schedule, now - LATEST_SECONDS + 1, now)
    const missed = { code: 'MISSED', details: {} }
    if (due_at === null) {
      await skip(schedule, { due_at: first, next, error: missed })
      return false
    }
    if (due_at !== first) {
      // Several due times have passed: the newest one runs, and the first one is recorded for the others.
      await skip(schedule, { due_at: first, next: due_at, error: missed })
      return false
    }
    if (schedule.active_run) {
      await skip(schedule, { due_at, next, error: { code: 'RUN_ACTIVE', details: {} } })
      return false
    }
    let prepared: PreparedTurn
    try {
      prepared = await prepare(schedule)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (await isOrphan(schedule)) await schedules.removeAllOf(ownerOf(schedule))
      else if (error.details.state === 'starting' && now - due_at < AGENT_START_SECONDS)
        await schedules.postpone(schedule, clock.now() + AGENT_RETRY_MS)
      else await skip(schedule, { due_at, next, error: toRunError(error) })
      return false
    }
    const claimed = await claim(schedule, await createRun(schedule, due_at), next)
    if (!claimed) return false
    await startOrFail(claimed, prepared)
    return true
  }

  const proceed: Execution['proceed'] = async (schedule) => {
    const { active_run, next_run_at } = schedule
    if (active_run && active_run.check_at <= clock.now()) {
      await check(schedule as Running)
      return false
    }
    return next_run_at !== null && next_run_at <= clock.seconds() && runDue(schedule, next_run_at)
  }

  return {
    /** Carries out the due steps of a schedule; true if a turn was started. */
    proceed: (schedule: ScheduleDocument): Promise<boolean> => track(proceed(schedule)),
    /** Starts a run that is not due. Throws AGENT_NOT_RUNNING, SCHEDULE_RUNNING and what starting a turn throws. */
    async runNow(schedule: ScheduleDocument): Promise<{ thread_id: string; turn_id: string }> {
      const prepared = await prepare(schedule)
      const run = await createRun(schedule, null)
      const claimed = await claim(schedule, run, schedule.next_run_at)
      if (!claimed) throw new AppError('SCHEDULE_RUNNING')
      try {
        const { turn_id } = await track(start(claimed, prepared))
        return { thread_id: run.thread_id, turn_id }
      } catch (error) {
        if (error instanceof AppError) await settle(claimed, { status: 'failed', error: toRunError(error) })
        throw error
      }
    },
    noteTurn,
    /** Resolves when no run is being started or checked. */
    async idle(): Promise<void> {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}
