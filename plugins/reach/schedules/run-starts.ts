import { AppError, isDuplicateKey } from '#plugin-api'
import type { AgentDocument, Holder } from '../../agents/agents/types.ts'
import type { StartedTurn } from '../../conversations/chat/chat.ts'
import type { ThreadDocument } from '../../conversations/chat/documents.ts'
import type { PreparedTurn } from '../../conversations/chat/turns/unattended-turns.ts'
import { CHECK_MS, clientMessageId, findThread, ownerOf, type Running } from './active-runs.ts'
import type { Cradle } from './manifest.ts'
import type { ActiveRun, ScheduleDocument } from './types.ts'

/** Creates the steps in which a run begins: it is claimed, then its turn is started. */
export function createRunStarts(cradle: Cradle) {
  const { schedules, runs, agents, users, unattendedTurns, chat, threads, clock, ids } = cradle

  /** Returns the user and the agent of a run. Throws ACCOUNT_DISABLED, AGENT_NOT_FOUND, AGENT_NOT_RUNNING. */
  const prepare = async (schedule: ScheduleDocument): Promise<PreparedTurn> => {
    const account = await users.find(schedule.user_id)
    if (!account?.enabled) throw new AppError('ACCOUNT_DISABLED')
    return unattendedTurns.prepare(account, schedule)
  }

  /** True if the account or the agent of a schedule was deleted while the schedule was created. */
  const isOrphan = async ({ user_id, agent_id }: ScheduleDocument) => {
    const [account, agent] = await Promise.all([users.find(user_id), agents.find(agent_id)])
    return !account || !agent
  }

  /** Returns the run that a schedule begins now. */
  const createRun = async (schedule: ScheduleDocument, due_at: number | null): Promise<ActiveRun> => {
    const { _id, thread, thread_id } = schedule
    const hasThread =
      thread === 'same' && thread_id !== null && (await findThread(schedule, thread_id, cradle))
    return {
      run_id: `${_id}:${due_at ?? ids.make()}`,
      due_at,
      started_at: clock.seconds(),
      thread_id: hasThread ? thread_id : ids.make('thr_'),
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
    const ownThread = schedule.thread === 'same' && (await findThread(schedule, thread_id, cradle))
    if (ownThread) return ownThread
    try {
      return await threads.create(ownerOf(schedule), {
        _id: thread_id,
        channel_type: 'schedule',
        title: name,
      })
    } catch (error) {
      // It was created before a crash, or by another process.
      if (isDuplicateKey(error)) return threads.get(ownerOf(schedule), thread_id)
      throw error
    }
  }

  /** Removes the runs that were stored while their schedule was deleted. */
  const forgetDeleted = async (schedule_id: string) => {
    if (!(await schedules.find(schedule_id))) await runs.removeAllOf({ schedule_id })
  }

  /**
   * Starts the turn of a run, and names its thread before; if the turn was started before, returns that turn.
   */
  const startTurn = async (
    schedule: Running,
    { onThread, prepared }: { onThread(thread_id: string): void; prepared?: PreparedTurn | undefined },
  ): Promise<StartedTurn> => {
    const { _id, active_run, prompt, model } = schedule
    const { run_id, due_at, started_at, thread_id } = active_run
    const run = { _id: run_id, due_at, started_at, thread_id, turn_id: null, ended_at: null }
    await runs.add(schedule, { ...run, status: 'running' })
    const { user, agent, locale } = prepared ?? (await prepare(schedule))
    await assertChoices(user, agent, schedule, cradle)
    await openThread(schedule)
    onThread(thread_id)
    const request = {
      thread_id,
      agent,
      user,
      content: [{ type: 'text' as const, text: prompt }],
      client_message_id: clientMessageId(active_run),
      ...(model !== null && { model }),
      settings: toSettings(schedule),
      locale,
      request_id: run_id,
    }
    const turn = await chat.start(request, { isDurableFirst: true })
    const { turn_id, outcome } = turn
    const is_queued = outcome === 'queued' || (outcome === 'repeated' && turn.turn.first_seq === null)
    const started = { 'active_run.turn_id': turn_id, 'active_run.is_queued': is_queued }
    const [stored] = await Promise.all([
      schedules.change({ _id, 'active_run.run_id': run_id }, started),
      runs.update(run_id, { turn_id }),
    ])
    if (!stored) await forgetDeleted(_id)
    return turn
  }

  return { prepare, isOrphan, createRun, claim, startTurn, forgetDeleted }
}

/** The knowledge bases and connectors of a schedule. */
type Choices = Pick<ScheduleDocument, 'knowledge_base_ids' | 'connector_ids'>

/** Throws an error of the plugin that owns them unless a user may search these knowledge bases and use these connectors. */
export async function assertChoices(
  user: Holder & { id: string },
  agent: AgentDocument,
  { knowledge_base_ids, connector_ids }: Choices,
  { agents }: Pick<Cradle, 'agents'>,
): Promise<void> {
  await agents.assertSearchable(user.id, knowledge_base_ids)
  if (connector_ids?.length) await agents.lendTools(agent, user, { choices: { connector_ids } })
}

/** Returns the settings of the turns of a schedule. */
const toSettings = ({ knowledge_base_ids = [], connector_ids = [] }: Choices) => ({
  ...(knowledge_base_ids.length > 0 && { knowledge_base_ids }),
  ...(connector_ids.length > 0 && { connector_ids }),
})
