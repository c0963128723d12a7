import { setTimeout as pause } from 'node:timers/promises'
import { isUnavailable, untilTick } from '#plugin-api'
import { MAX_CHECK_MS } from './execution.ts'
import type { Cradle } from './manifest.ts'
import type { ScheduleDocument } from './types.ts'

/** The longest time without a look at the database, which finds what other servers have changed, in milliseconds. */
const IDLE_MS = 10_000
/** The schedules that are read at once. */
const BATCH = 32
/** The schedules that are worked on at a time. */
const AT_ONCE = 4
/** The most schedules that are counted to find the pace. */
const MAX_COUNTED = 10_000
/** The pause after a look that started nothing although schedules were due, in milliseconds. */
const BUSY_MS = 50
/** The retry delay of a failed schedule, in milliseconds. */
const RETRY_MS = 10_000
/** The clock is taken to have been set if it differs by this much from the time that has passed, in milliseconds. */
const CLOCK_SET_MS = 5000

/** The timer of schedules: looks at each schedule when its time has come. */
export type Scheduler = ReturnType<typeof createScheduler>

/** Creates the scheduler. All servers of a database look at the same schedules; a claim decides which one acts. */
export function createScheduler({ schedules, execution, clock, log }: Cradle) {
  const ending = new AbortController()
  let waking = new AbortController()
  let running: Promise<void> | undefined
  const pace = createPace()
  /** The difference between the clock and the time that has passed since an arbitrary point; it may have been set before. */
  let drift = Number.POSITIVE_INFINITY

  /** Carries out the due steps of a schedule; true if a turn was started. */
  const proceed = async (schedule: ScheduleDocument): Promise<boolean> => {
    const { next_run_at, active_run } = schedule
    const mayStart = !active_run && next_run_at !== null && next_run_at <= clock.seconds()
    if (mayStart) await pause(pace.take())
    try {
      const hasStarted = await execution.proceed(schedule)
      if (mayStart && !hasStarted) pace.giveBack()
      return hasStarted
    } catch (error) {
      if (isUnavailable(error)) throw error
      log.error({ error, schedule: schedule._id }, 'a schedule could not be carried out; retrying')
      await schedules.postpone(schedule, clock.now() + RETRY_MS)
      return false
    }
  }

  /**
   * Works on these schedules, in a random order so that servers seldom work on the same one; returns the number of turns
   * that were started.
   */
  const proceedAll = async (due: ScheduleDocument[]): Promise<number> => {
    const shuffled = due
      .map((schedule) => ({ schedule, place: Math.random() }))
      .sort((one, other) => one.place - other.place)
    let started = 0
    const worker = async () => {
      for (let next = shuffled.pop(); next && !ending.signal.aborted; next = shuffled.pop())
        if (await proceed(next.schedule)) started += 1
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    return started
  }

  /** Works on what is due; returns the time until something else is, in milliseconds. */
  const look = async (): Promise<number> => {
    const now = clock.now()
    const isSetBack = now - performance.now() < drift - CLOCK_SET_MS
    drift = now - performance.now()
    if (isSetBack) await schedules.checkSoon(now + MAX_CHECK_MS)
    const nextSchedules = await schedules.listNext(BATCH)
    const due = nextSchedules.filter(({ wake_at }) => wake_at! <= now)
    if (due.length > 0) {
      const waiting = due.length < BATCH ? due.length : await schedules.countDue(now, MAX_COUNTED)
      pace.set(waiting, now - due[0]!.wake_at!)
      return (await proceedAll(due)) > 0 ? 0 : BUSY_MS
    }
    return Math.min(untilTick(IDLE_MS), (nextSchedules[0]?.wake_at ?? Infinity) - now)
  }

  const run = async () => {
    while (!ending.signal.aborted) {
      waking = new AbortController()
      const { signal } = waking
      const ms = await look().catch((error) => {
        if (!isUnavailable(error)) log.error({ error }, 'schedules could not be read')
        return IDLE_MS / 10
      })
      // Rejects only when aborted, which ends the wait.
      if (ms > 0) await pause(ms, undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    begin(): void {
      running = run()
    },
    /** Looks at the database now, because a schedule has changed. */
    wake: (): void => waking.abort(),
    /** Starts nothing more; resolves when nothing is being started. */
    async end(): Promise<void> {
      ending.abort()
      waking.abort()
      await running
      await execution.idle()
    },
  }
}

/** The time within which what falls due at once is to be started, in milliseconds. */
const BURST_MS = 45_000
/** The shortest and the longest time between two starts of turns, in milliseconds. */
const MIN_INTERVAL_MS = 20
const MAX_INTERVAL_MS = 100

/**
 * Creates the pace of one process: as slow as the time allows, so that the turns of people keep theirs. Servers of one
 * database count the same schedules, so that each alone would be in time.
 */
function createPace() {
  let interval = MAX_INTERVAL_MS
  let next = 0
  return {
    /** Sets the pace so that `waiting` schedules, the first of which is `late` milliseconds late, start in time. */
    set(waiting: number, late: number): void {
      interval = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, (BURST_MS - late) / waiting))
    },
    /** Returns the time until the next turn may be started, in milliseconds, and takes its slot. */
    take(): number {
      const now = performance.now()
      const start = Math.max(now, next)
      next = start + interval
      return start - now
    },
    /** Returns a slot that was not used. */
    giveBack(): void {
      next -= interval
    },
  }
}
