import { AppError } from '#plugin-api'
import type { CredentialsKey } from './credentials/credentials.ts'
import type { Cradle } from './manifest.ts'
import type { ConnectorDocument } from './types.ts'

/** The age in seconds of credentials for which the job still looks for turns; longer than between two of its runs. */
const RECENT_SECONDS = 120

/** Continues the turns that wait for credentials. */
export type WaitingTurns = ReturnType<typeof createWaitingTurns>

/** Creates the service. */
export function createWaitingTurns({ chat, clock, collections, credentials, threads }: Cradle) {
  const { connectors } = collections
  type Thread = Awaited<ReturnType<typeof threads.get>>

  /** Continues the turn of a thread if all that it waits for are credentials which exist now. */
  const proceed = async (thread: Thread): Promise<void> => {
    const pending = await chat.readPending(thread)
    const needs = pending?.action_requests.map(({ authorization_required }) => authorization_required) ?? []
    if (!pending || needs.includes(undefined)) return
    const ids = needs.map((need) => need!.connector_id)
    const needed = await connectors
      .find({ _id: { $in: ids } }, { projection: { tools: 0, log: 0 } })
      .toArray()
    const existing = await credentials.listConnectors(thread.user_id, needed as ConnectorDocument[], {
      isSufficient: true,
    })
    if (!ids.every((id) => existing.has(id))) return
    const decisions = ids.map(() => ({ type: 'respond', message: 'The credentials exist now.' }) as const)
    await chat.decide(thread, pending, decisions).catch((error) => {
      if (!(error instanceof AppError && error.code === 'HITL_NOT_PENDING')) throw error
    })
  }

  const proceedAllOf = async (user_id: string): Promise<void> => {
    for (const thread of await chat.listPaused(user_id)) await proceed(thread)
  }

  return {
    /** Continues the turns of an account that wait for these credentials. */
    notice: ({ user_id }: Pick<CredentialsKey, 'user_id'>) => proceedAllOf(user_id),

    /** Continues a turn that has just paused if its credentials exist by now. */
    async look({ thread_id, user_id, agent_id }: { thread_id: string; user_id: string; agent_id: string }) {
      await proceed(await threads.get({ user_id, agent_id }, thread_id))
    },

    /** Continues turns whose credentials came while a server died. */
    async recover(age_seconds = RECENT_SECONDS): Promise<void> {
      const recent = { updated_at: { $gte: clock.seconds() - age_seconds } }
      for (const user_id of await collections.connector_credentials.distinct('user_id', recent))
        await proceedAllOf(user_id)
    },
  }
}
