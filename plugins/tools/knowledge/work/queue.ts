import { setTimeout as pause } from 'node:timers/promises'
import {
  acquireLease,
  createDeadline,
  hasEnded,
  isUnavailable,
  type ProcessIdentity,
  thisProcess,
  untilTick,
} from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import type { KnowledgeDocument } from '../types.ts'

/** The documents that this process works on at a time in each lane, each of another account. */
const AT_ONCE = 2
/** The time after which a document counts as hard, and continues in a lane of its own, in milliseconds. */
const HARD_MS = 10_000
/** The time after which another process may take over the work of an account, in milliseconds. */
const LEASE_MS = 15_000
/** The longest time without a look at the database, in milliseconds. */
const IDLE_MS = 15_000

/** The queue of documents. */
export type Queue = ReturnType<typeof createQueue>

/** The lanes of documents: those that took long so far, and all others, which do not wait for them. */
const LANES = ['usual', 'hard'] as const
type Lane = (typeof LANES)[number]

/** An account in a lane; its name is that of its lease. */
const nameOf = (user_id: string, lane: Lane): string => (lane === 'usual' ? user_id : `${user_id} ${lane}`)

/**
 * Creates the queue: in each lane one document at a time of each account, and the accounts in turns. A document that
 * takes long continues among the hard ones if one can be taken there, else waits for its turn there.
 */
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
  /** The work of each lane, by account. */
  const working: Record<Lane, Map<string, Promise<void>>> = { usual: new Map(), hard: new Map() }
  /** The moment at which each account had its last turn here. */
  const turns = new Map<string, number>()
  let waking = new AbortController()
  let running: Promise<void> | undefined

  /** Names the process too, so that leases of one that was killed are known to be free. */
  const holder = JSON.stringify({ ...thisProcess, node_id: server.node_id })

  const lease = (name: string) => {
    const now = clock.now()
    return acquireLease(leases, { name, holder, now, until: now + LEASE_MS })
  }
  const release = (name: string) => leases.deleteOne({ _id: name, holder })

  const hasRoom = (lane: Lane) => working[lane].size < AT_ONCE && !ending.signal.aborted

  /** Works on one document of an account whose lease this process holds. */
  const work = async (user_id: string, firstLane: Lane) => {
    let lane = firstLane
    const stopping = createDeadline([ending.signal])
    const renewal = setInterval(() => {
      lease(nameOf(user_id, lane)).then(
        (isHeld) => isHeld || stopping.abort(),
        () => stopping.abort(),
      )
    }, LEASE_MS / 3)

    let isPostponed = false
    /** Makes room for other documents. */
    const leaveLane = async (document: KnowledgeDocument) => {
      if (!(await documents.change(document, { 'work.is_hard': true }))) return
      if (!hasRoom('hard') || !(await lease(nameOf(user_id, 'hard')))) {
        isPostponed = true
        stopping.abort()
        return
      }
      lane = 'hard'
      const current = working.usual.get(user_id)!
      working.hard.set(user_id, current)
      working.usual.delete(user_id)
      await release(nameOf(user_id, 'usual'))
      waking.abort()
    }
    let leaving: Promise<void> | undefined
    let timer: NodeJS.Timeout | undefined
    try {
      const document = await documents.findDue(user_id, { now: clock.now(), is_hard: lane === 'hard' })
      if (!document) return
      if (lane === 'usual')
        timer = setTimeout(() => {
          leaving = leaveLane(document).catch(() => stopping.abort())
        }, HARD_MS)
      await indexing.process(document, stopping.signal)
    } catch (error) {
      if (!isPostponed) throw error
    } finally {
      clearTimeout(timer)
      await leaving
      clearInterval(renewal)
      stopping.release()
      working[lane].delete(user_id)
      await release(nameOf(user_id, lane))
      waking.abort()
    }
  }

  /** Begins work for the accounts whose turn it is in a lane; returns how many accounts wait. */
  const lookAt = async (lane: Lane): Promise<number> => {
    const waiting = await documents.listWaiting({ now: clock.now(), is_hard: lane === 'hard' })
    const inTurn = waiting
      .filter((user_id) => !working[lane].has(user_id))
      .sort((one, other) => (turns.get(nameOf(one, lane)) ?? 0) - (turns.get(nameOf(other, lane)) ?? 0))
    for (const user_id of inTurn) {
      if (!hasRoom(lane)) break
      if (!(await lease(nameOf(user_id, lane)))) continue
      turns.set(nameOf(user_id, lane), performance.now())
      const done = work(user_id, lane).catch((error) => {
        if (!ending.signal.aborted && !isUnavailable(error))
          log.error({ error, account: user_id }, 'the queue of documents was interrupted')
      })
      working[lane].set(user_id, done)
    }
    return waiting.length
  }

  const look = async (): Promise<number> => {
    let count = 0
    for (const lane of LANES) count += await lookAt(lane)
    if (count === 0) turns.clear()
    return count
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
        if (count === 0 && LANES.every((lane) => working[lane].size === 0)) await rebuilding.proceed(waking)
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
      await Promise.all(LANES.flatMap((lane) => [...working[lane].values()]))
    },
  }
}
