import { setTimeout as pause } from 'node:timers/promises'
import { acquireLease, isUnavailable, untilTick } from '#kernel'
import { createDeadline, hasEnded, type ProcessIdentity, thisProcess } from '#toolbox'
import type { Cradle } from '../manifest.ts'

/** The documents that this process works on at a time, each of another account. */
const AT_ONCE = 2
/** The time after which another process may take over the work of an account, in milliseconds. */
const LEASE_MS = 15_000
/** The longest time without a look at the database, in milliseconds. */
const IDLE_MS = 15_000

/** The queue of documents. */
export type Queue = ReturnType<typeof createQueue>

/** Creates the queue: one document at a time of each account, and the accounts in turns. */
export function createQueue({
  clock,
  collections: { knowledge_leases: leases },
  documents,
  indexing,
  log,
  rebuilding,
  server,
}: Cradle) {
  const ending = new AbortController()
  const working = new Map<string, Promise<void>>()
  /** The moment at which each account had its last turn here. */
  const turns = new Map<string, number>()
  let waking = new AbortController()
  let running: Promise<void> | undefined

  /** Names the process too, so that leases of one that was killed are known to be free. */
  const holder = JSON.stringify({ ...thisProcess, node_id: server.node_id })

  const lease = (user_id: string) => {
    const now = clock.now()
    return acquireLease(leases, { name: user_id, holder, now, until: now + LEASE_MS })
  }

  /** Works on one document of an account whose lease this process holds. */
  const work = async (user_id: string) => {
    const stopping = createDeadline([ending.signal])
    const renewal = setInterval(() => {
      lease(user_id).then(
        (isHeld) => isHeld || stopping.abort(),
        () => stopping.abort(),
      )
    }, LEASE_MS / 3)
    try {
      const document = await documents.findDue(user_id, clock.now())
      if (document) await indexing.process(document, stopping.signal)
    } finally {
      clearInterval(renewal)
      stopping.release()
      await leases.deleteOne({ _id: user_id, holder })
    }
  }

  /** Begins work for the accounts whose turn it is; returns how many accounts wait. */
  const look = async (): Promise<number> => {
    const waiting = await documents.listWaiting(clock.now())
    const inTurn = waiting
      .filter((user_id) => !working.has(user_id))
      .sort((one, other) => (turns.get(one) ?? 0) - (turns.get(other) ?? 0))
    for (const user_id of inTurn) {
      if (working.size >= AT_ONCE || ending.signal.aborted) break
      if (!(await lease(user_id))) continue
      turns.set(user_id, performance.now())
      const done = work(user_id)
        .catch((error) => {
          if (!ending.signal.aborted && !isUnavailable(error))
            log.error({ error, account: user_id }, 'the queue of documents was interrupted')
        })
        .finally(() => {
          working.delete(user_id)
          waking.abort()
        })
      working.set(user_id, done)
    }
    if (waiting.length === 0) turns.clear()
    return waiting.length
  }

  /** Frees the accounts that a process of this machine worked for when it was killed. */
  const freeLeases = async () => {
    for (const { _id, holder } of await leases.find().toArray()) {
      if (hasEnded(JSON.parse(holder) as ProcessIdentity)) await leases.deleteOne({ _id, holder })
    }
  }

  const run = async () => {
    await freeLeases().catch((error) => log.error({ error }, 'leases of the queue could not be read'))
    while (!ending.signal.aborted) {
      waking = new AbortController()
      const { signal } = waking
      try {
        await rebuilding.restoreLost()
        const count = await look()
        if (count === 0 && working.size === 0) await rebuilding.proceed(waking)
      } catch (error) {
        if (!isUnavailable(error) && !ending.signal.aborted)
          log.error({ error }, 'the queue of documents could not be read')
      }
      // Rejects only when aborted, which ends the wait.
      await pause(untilTick(IDLE_MS), undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    begin(): void {
      running = run()
    },
    /** Looks for work now. */
    wake: (): void => waking.abort(),
    /** Interrupts the work, which another process or the next start continues. */
    async end(): Promise<void> {
      ending.abort()
      waking.abort()
      await running
      await Promise.all(working.values())
    },
  }
}
