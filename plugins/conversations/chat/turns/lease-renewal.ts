import type { Cradle } from '../manifest.ts'

/** Resumes held calls that were decided in another process, and abandons those that are no longer needed. */
export async function reconcileHeldCalls({
  heldCalls,
  recovery,
  resumption,
  log,
}: Pick<Cradle, 'heldCalls' | 'recovery' | 'resumption' | 'log'>): Promise<void> {
  if (heldCalls.turns().length === 0) return
  try {
    await recovery.adopt()
    await resumption.releaseHeld()
  } catch (error) {
    log.error({ error }, 'held calls could not be reconciled')
  }
}

/** Renews the leases of the running turns and stops those that another process asks to stop. */
export async function renewLeases({
  running,
  turnLeases,
  log,
}: Pick<Cradle, 'running' | 'turnLeases' | 'log'>): Promise<void> {
  const current = running.list().filter(({ opened }) => opened)
  if (current.length === 0) return
  try {
    const leases = current.map(({ opened }) => opened!.lease)
    const [renewed, unwanted] = await Promise.all([
      turnLeases.renew(leases),
      turnLeases.listStopRequests(leases),
    ])
    await running.stop(({ thread_id }) => unwanted.includes(thread_id), 'stopped')
    if (renewed === current.length) return
    // The first event restores a lease that the database has lost, or finds that another turn has the thread.
    const writing = current.filter(({ opened }) => opened!.log.committed.length > 0)
    for (const turn of writing)
      if (running.get(turn.thread_id) === turn && (await turnLeases.renew([turn.opened!.lease])) === 0)
        void turn.stop('lost')
  } catch (error) {
    log.error({ error }, 'leases could not be renewed')
  }
}
