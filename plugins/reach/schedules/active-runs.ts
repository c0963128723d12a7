import { AppError } from '#plugin-api'
import type { ThreadDocument } from '../../conversations/chat/documents.ts'
import type { Cradle } from './manifest.ts'
import type { ActiveRun, RunError, RunStatus, ScheduleDocument } from './types.ts'

/** The interval between the start of a run and its first check, in milliseconds; later ones are longer. */
export const CHECK_MS = 10_000

/** The end of a run. */
export type Outcome = { status: Extract<RunStatus, 'succeeded' | 'failed'>; error?: RunError }

/** A schedule with an active run. */
export type Running = ScheduleDocument & { active_run: ActiveRun }

/** The outcome of a run whose turn a person has stopped. */
export const STOPPED: Outcome = { status: 'failed', error: { code: 'TURN_STOPPED', details: {} } }

/** Returns the id of the message that starts the turn of a run, the same in every process. */
export const clientMessageId = ({ run_id }: ActiveRun): string => `schedule:${run_id}`

/** Returns the account and the agent of a schedule. */
export const ownerOf = ({ user_id, agent_id }: ScheduleDocument) => ({ user_id, agent_id })

/** Finds a thread of a schedule's account and agent. */
export async function findThread(
  schedule: ScheduleDocument,
  thread_id: string,
  { threads }: Pick<Cradle, 'threads'>,
): Promise<ThreadDocument | undefined> {
  try {
    return await threads.get(ownerOf(schedule), thread_id)
  } catch (error) {
    if (error instanceof AppError && error.code === 'THREAD_NOT_FOUND') return undefined
    throw error
  }
}

/** Returns an error as it is stored: its code, and the values in its text. */
export const toRunError = ({
  code,
  details,
}: {
  code: string
  details: Record<string, unknown>
}): RunError => ({
  code,
  details: Object.fromEntries(
    Object.entries(details).filter(
      (entry): entry is [string, string | number] =>
        typeof entry[1] === 'string' || typeof entry[1] === 'number',
    ),
  ),
})
