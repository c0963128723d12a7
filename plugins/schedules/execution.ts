import { AppError, isDuplicateKey } from '#kernel'
import type { BackgroundTurn } from '../chat/chat.ts'
import type { ThreadDocument } from '../chat/documents.ts'
import { newestDue, nextDue } from './due-times.ts'
import type { Cradle } from './manifest.ts'
import type { ActiveRun, Destination, RunError, RunStatus, ScheduleDocument } from './types.ts'

/** A due time that is later than this is skipped, in seconds. */
const LATEST_SECONDS = 3600
/** The time for which an agent that is being started is waited for after the due time, in seconds. */
const AGENT_START_SECONDS = 60
/** The interval at which such an agent is looked at again, in milliseconds. */
const AGENT_RETRY_MS = 2000
/** The number of failed due runs in a row after which a schedule is disabled. */
const MAX_FAILURES = 5

/** The first and the longest interval between two checks of an active run, in milliseconds. */
const CHECK_MS = 10_000
export const MAX_CHECK_MS = 60_000
/** The most runs whose ends this process notices at once; those of others are noticed by their checks. */
const MAX_FOLLOWED = 10_000

/** The end of a run. */
type Outcome = { status: Extract<RunStatus, 'succeeded' | 'failed'>; error?: RunError }

/** A schedule with an active run. */
type Running = ScheduleDocument & { active_run: ActiveRun }

/** Starts the runs of schedules, each once among all servers, and follows them to their ends. */
export interface Execution {
  /** Does what is due for a schedule at this time; true if a turn was started. */
  proceed(schedule: ScheduleDocument): Promise<boolean>
  /** Starts a run that is not due. Throws AGENT_NOT_RUNNING, SCHEDULE_RUNNING and what starting a turn throws. */
  runNow(schedule: ScheduleDocument): Promise<{ thread_id: string; turn_id: string }>
  /** Checks the run of this thread, whose turn has ended or goes on in this process; other threads are ignored. */
  noteTurn(thread_id: string): Promise<void>
  /** Resolves when no run is being started or checked. */
  idle(): Promise<void>
}

/** Returns the id by which every process recognizes the turn of a run. */
const clientMessageId = ({ run_id }: ActiveRun) => `schedule:${run_id}`

/** Creates the execution of schedules. */
export function createExecution(cradle: Cradle): Execution {
  const { schedules, runs, agents, users, scopes, chat, threads, ledgerReader, extensions } = cradle
  const { clock, ids, log } = cradle
  /** The schedules with runs whose turns may end in this process, by thread. */
  const followed = new Map<string, string>()
  const pending = new Set<Promise<unknown>>()

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

  /** Returns the user and the agent of a run. Throws ACCOUNT_DISABLED, AGENT_NOT_FOUND, AGENT_NOT_RUNNING. */
  const prepare = async ({ user_id, agent_id, scopes: limit }: ScheduleDocument) => {
    const account = await users.find(user_id)
    if (!account?.enabled) throw new AppError('ACCOUNT_DISABLED')
    const { role, permissions, token_quota } = account
    const rights = limit
      ? { ...scopes.restrict(account, limit), credential: { scopes: limit } }
      : { role, permissions }
    const user = { id: user_id, token_quota, ...rights }
    const agent = await agents.findVisible(user, agent_id)
    if (agent.state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state: agent.state })
    return { user, agent, locale: account.locale ?? ('en' as const) }
  }

  /** True if the account or the agent of a schedule was deleted while the schedule was created. */
  const isOrphan = async ({ user_id, agent_id }: ScheduleDocument) => {
    const [account, agent] = await Promise.all([users.find(user_id), agents.find(agent_id)])
    return !account || !agent
  }

  const findThread = async (schedule: ScheduleDocument, thread_id: string) => {
    try {
      return await threads.get(ownerOf(schedule), thread_id)
    } catch (error) {
      if (error instanceof AppError && error.code === 'THREAD_NOT_FOUND') return undefined
      throw error
    }
  }

  /** Returns the run that a schedule begins now. */
  const createRun = async (schedule: ScheduleDocument, due_at: number | null): Promise<ActiveRun> => {
    const { _id, thread, thread_id } = schedule
    const hasThread = thread === 'same' && thread_id !== null && (await findThread(schedule, thread_id))
    return {
      run_id: `${_id}:${due_at ?? ids.make()}`,
      due_at,
      started_at: clock.seconds(),
      thread_id: hasThread ? thread_id! : ids.make('thr_'),
      check_at: clock.now() + CHECK_MS,
      turn_id: null,
      is_queued: false,
    }
  }

  /** Begins a run if the schedule has none and is as it was read; null otherwise, and then another process has acted. */
  const claim = async (
    { _id, next_run_at, thread }: ScheduleDocument,
    active_run: ActiveRun,
    next: number | null,
  ): Promise<Running | null> => {
    const { started_at, thread_id } = active_run
    return schedules.change(
      { _id, next_run_at, active_run: null },
      {
        active_run,
        next_run_at: next,
        last_run_at: started_at,
        last_status: 'running',
        ...(thread === 'same' && { thread_id }),
      },
    ) as Promise<Running | null>
  }

  /** Returns the thread of a run, which is created if it does not exist yet. */
  const openThread = async (schedule: Running): Promise<ThreadDocument> => {
    const { active_run, name } = schedule
    const { thread_id } = active_run
    const found = await findThread(schedule, thread_id)
    if (found) return found
    try {
      return await threads.create(ownerOf(schedule), {
        _id: thread_id,
        channel_type: 'schedule',
        title: name,
      })
    } catch (error) {
      // Another process has just created it.
      if (isDuplicateKey(error)) return threads.get(ownerOf(schedule), thread_id)
      throw error
    }
  }

  /** Removes the runs that were stored while their schedule was deleted. */
  const forgetDeleted = async (schedule_id: string) => {
    if (!(await schedules.find(schedule_id))) await runs.removeAllOf({ schedule_id })
  }

  /** Starts the turn of a run; if it was started before, returns that turn. */
  const startTurn = async (schedule: Running): Promise<BackgroundTurn> => {
    const { _id, active_run, prompt, model } = schedule
    const { run_id, due_at, started_at, thread_id } = active_run
    const run = { _id: run_id, due_at, started_at, thread_id, turn_id: null, ended_at: null }
    await runs.add(schedule, { ...run, status: 'running' })
    const { user, agent, locale } = await prepare(schedule)
    await openThread(schedule)
    follow(thread_id, _id)
    const turn = await chat.startTurn({
      thread_id,
      agent,
      user,
      content: [{ type: 'text', text: prompt.toWellFormed() }],
      client_message_id: clientMessageId(active_run),
      ...(model !== null && { model }),
      locale,
      request_id: run_id,
    })
    const { turn_id, is_queued } = turn
    const started = { 'active_run.turn_id': turn_id, 'active_run.is_queued': is_queued }
    const [stored] = await Promise.all([
      schedules.change({ _id, 'active_run.run_id': run_id }, started),
      runs.update(run_id, { turn_id }),
    ])
    if (!stored) await forgetDeleted(_id)
    return turn
  }

  /** Starts the turn of a run and has the run checked when the turn has ended or paused. */
  const start = async (schedule: Running): Promise<BackgroundTurn> => {
    const turn = await startTurn(schedule)
    if (turn.settled) void turn.settled.then(() => noteTurn(schedule.active_run.thread_id))
    return turn
  }

  /** Starts the turn of a run; a run that cannot be started has failed. What another attempt may solve is left to a check. */
  const startOrFail = async (schedule: Running): Promise<void> => {
    try {
      await start(schedule)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'SHUTTING_DOWN') throw error
      await settle(schedule, { status: 'failed', error: toRunError(error) })
    }
  }

  /** Ends a run: its record, its delivery, and then the schedule, so that a crash repeats what is missing. */
  const settle = async (schedule: Running, { status, error }: Outcome): Promise<void> => {
    const { _id, active_run, deliver } = schedule
    const { run_id, thread_id } = active_run
    followed.delete(thread_id)
    await runs.update(run_id, { status, ended_at: clock.seconds(), ...(error && { error }) })
    if (deliver && !(await deliverAnswer(schedule, deliver))) await schedules.pauseAllOf(deliver.channel_id)
    const isFailure = status === 'failed' && active_run.due_at !== null
    const failures = isFailure ? { $add: ['$failures', 1] } : status === 'succeeded' ? 0 : '$failures'
    const isTooMuch = { $and: ['$enabled', { $gte: ['$failures', MAX_FAILURES] }] }
    const pause = (paused: unknown, field: string) => ({ $cond: [isTooMuch, paused, `$${field}`] })
    await schedules.change(
      { _id, 'active_run.run_id': run_id },
      { active_run: null, last_status: status },
      { $set: { failures } },
      {
        $set: {
          enabled: pause(false, 'enabled'),
          next_run_at: pause(null, 'next_run_at'),
          paused_reason: pause('TOO_MANY_FAILURES', 'paused_reason'),
        },
      },
    )
  }

  /** Delivers the answer of a run that has ended; false if the conversation does not exist any more. */
  const deliverAnswer = async ({ agent_id, active_run }: Running, to: Destination): Promise<boolean> => {
    const { thread_id, turn_id } = active_run
    const events = turn_id === null ? [] : await readTurn(active_run, { after: 0 })
    if (events.length === 0) return true
    const after_seq = events[0]!.seq - 1
    const answer = { agent_id, thread_id, client_message_id: clientMessageId(active_run), after_seq }
    const delivered = await extensions['schedules.deliveries'].ask({ ...answer, ...to })
    return delivered.length === 0 || delivered.includes(true)
  }

  /** Reads the first event of a run's turn, or the last one. */
  const readTurn = async ({ thread_id, turn_id }: ActiveRun, { after }: { after?: number }) => {
    const { events } = await ledgerReader.page(thread_id, { turn_id: turn_id!, after, limit: 1 })
    return events
  }

  /** Returns the state of a run whose turn was started or queued; `lost` if a crash came before the turn began. */
  const readState = async (schedule: Running): Promise<Outcome | 'running' | 'waiting' | 'lost'> => {
    const { active_run } = schedule
    const { thread_id, turn_id, is_queued } = active_run
    const thread = await findThread(schedule, thread_id)
    if (!thread) return { status: 'failed', error: { code: 'THREAD_NOT_FOUND', details: {} } }
    if (thread.active_turn?.turn_id === turn_id) return thread.active_turn.paused ? 'waiting' : 'running'
    const [last] = await readTurn(active_run, {})
    switch (last?.type) {
      case 'done':
        return last.frame.stop_reason === 'stopped' ? STOPPED : { status: 'succeeded' }
      case 'error': {
        const { code, details } = last.frame
        return { status: 'failed', error: toRunError({ code, details }) }
      }
      case undefined: {
        if (await chat.findRepeated(ownerOf(schedule), clientMessageId(active_run))) return 'running'
        // A queued message that is gone was taken back by a person.
        return is_queued ? STOPPED : 'lost'
      }
      default:
        return 'running'
    }
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

  /** Returns the turn that a process has started before it could store that; null if there is none. */
  const findTurn = async (schedule: Running): Promise<string | null> => {
    const known = await chat.findRepeated(ownerOf(schedule), clientMessageId(schedule.active_run))
    return known?.turn_id ?? null
  }

  const checkThread = async (thread_id: string): Promise<void> => {
    const schedule_id = followed.get(thread_id)
    if (schedule_id === undefined) return
    const schedule = await schedules.find(schedule_id)
    if (schedule?.active_run?.thread_id === thread_id) await check(schedule as Running, true)
    else followed.delete(thread_id)
  }

  const noteTurn: Execution['noteTurn'] = (thread_id) =>
    track(checkThread(thread_id)).catch((error) =>
      log.error({ error, thread_id }, 'a run could not be checked'),
    )

  /** Notes that a due time was skipped, and goes on to the next one. */
  const skip = async (
    schedule: ScheduleDocument,
    { due_at, next, error }: { due_at: number; next: number | null; error: RunError },
  ): Promise<void> => {
    const { _id, next_run_at, active_run } = schedule
    const now = clock.seconds()
    const note = { _id: `${_id}:${due_at}`, due_at, started_at: now, ended_at: now, thread_id: null }
    await runs.add(schedule, { ...note, turn_id: null, status: 'skipped', error })
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
      // Several due times have passed: the newest one runs, and the first one tells of the others.
      await skip(schedule, { due_at: first, next: due_at, error: missed })
      return false
    }
    if (schedule.active_run) {
      await skip(schedule, { due_at, next, error: { code: 'RUN_ACTIVE', details: {} } })
      return false
    }
    try {
      await prepare(schedule)
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
    await startOrFail(claimed)
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
    proceed: (schedule) => track(proceed(schedule)),
    async runNow(schedule) {
      await prepare(schedule)
      const run = await createRun(schedule, null)
      const claimed = await claim(schedule, run, schedule.next_run_at)
      if (!claimed) throw new AppError('SCHEDULE_RUNNING')
      try {
        const { turn_id } = await track(start(claimed))
        return { thread_id: run.thread_id, turn_id }
      } catch (error) {
        if (error instanceof AppError) await settle(claimed, { status: 'failed', error: toRunError(error) })
        throw error
      }
    },
    noteTurn,
    async idle() {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}

const STOPPED: Outcome = { status: 'failed', error: { code: 'TURN_STOPPED', details: {} } }

const ownerOf = ({ user_id, agent_id }: ScheduleDocument) => ({ user_id, agent_id })

/** Returns an error as it is stored: its code, and the values in its text. */
const toRunError = ({ code, details }: { code: string; details: Record<string, unknown> }): RunError => ({
  code,
  details: Object.fromEntries(
    Object.entries(details).filter(
      (entry): entry is [string, string | number] =>
        typeof entry[1] === 'string' || typeof entry[1] === 'number',
    ),
  ),
})
