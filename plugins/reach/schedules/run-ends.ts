import {
  clientMessageId,
  findThread,
  type Outcome,
  ownerOf,
  type Running,
  STOPPED,
  toRunError,
} from './active-runs.ts'
import type { Cradle } from './manifest.ts'
import type { ActiveRun, Destination } from './types.ts'

/** The number of failed due runs in a row after which a schedule is disabled. */
const MAX_FAILURES = 5

/** Creates the steps in which a run ends: its turn is read, its answer delivered, its outcome stored. */
export function createRunEnds(cradle: Cradle) {
  const { schedules, runs, chat, clock, extensions, ledgerReader } = cradle

  /** Ends a run: its record, its delivery, and then the schedule, so that a crash repeats what is missing. */
  const settle = async (schedule: Running, { status, error }: Outcome): Promise<void> => {
    const { _id, active_run, deliver } = schedule
    const { run_id } = active_run
    await runs.update(run_id, { status, ended_at: clock.seconds(), ...(error && { error }) })
    runs.announceEnd(schedule, { run_id, status })
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
    const thread = await findThread(schedule, thread_id, cradle)
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

  /** Returns the turn that a process has started before it could store that; null if there is none. */
  const findTurn = async (schedule: Running): Promise<string | null> => {
    const turn = await chat.findRepeated(ownerOf(schedule), clientMessageId(schedule.active_run))
    return turn?.turn_id ?? null
  }

  return { settle, readState, findTurn }
}
