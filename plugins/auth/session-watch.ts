import { untilTick } from '#kernel'
import type { ChangedAccount } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import { readCaller } from './guards.ts'
import type { Cradle } from './manifest.ts'
import type { Sessions } from './sessions.ts'
import type { AuthCaller } from './types.ts'

/** The interval of the checks, which find what commands have changed and signals have not announced, in milliseconds. */
const PERIOD_MS = 2000
/** The same while no socket is open; sessions of disabled accounts must end all the same. */
const IDLE_PERIOD_MS = 10_000
/** Covers the clock difference between two servers and the time until a write becomes visible. */
const OVERLAP_MS = 10_000

/** The close code of a WebSocket whose session has ended. */
const SESSION_ENDED = 4401

/** Applies changes of sessions and accounts, also by other processes, to the open WebSockets of this process. */
export type SessionWatch = ReturnType<typeof createSessionWatch>

/** Creates the watch. */
export function createSessionWatch({
  sessions,
  users,
  sockets,
  extensions,
  clock,
  log,
}: { sessions: Sessions; users: Users } & Pick<Cradle, 'sockets' | 'extensions' | 'clock' | 'log'>) {
  let seen = 0
  let stopped = true
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  /** The time of the next check without sockets, as of `performance.now()`. */
  let dueAt = 0
  /** The changes of accounts that have been applied, by account, as long as the checks find them again. */
  const applied = new Map<string, number>()

  const closeWhere = (hasEnded: (caller: AuthCaller) => boolean) =>
    sockets.close(
      (context) => {
        const caller = readCaller(context)
        return caller !== undefined && hasEnded(caller)
      },
      SESSION_ENDED,
      'session ended',
    )
  const closeSockets = (ids: ReadonlySet<string>) => closeWhere(({ session_id }) => ids.has(session_id))

  /** Ends the sessions of a disabled account, and has the guards check the sockets of the account again. */
  const applyChange = async ({ _id: user_id, enabled, changed_at }: ChangedAccount) => {
    applied.set(user_id, changed_at)
    // The guards must not check against what they remember.
    users.dropRecent(user_id)
    if (!enabled) {
      await sessions.endAll(user_id)
      // Its credentials only rest, but sockets that they opened are closed as well.
      closeWhere(({ id }) => id === user_id)
    }
    sockets.recheck((context) => readCaller(context)?.id === user_id)
  }

  /** Applies every change since the time that has not been applied; closing sockets twice has no effect. */
  const applyChanges = async (since: number) => {
    const { accounts, ended } = await sessions.listChangesSince(since, users.changesSince(since))
    for (const account of accounts)
      if (applied.get(account._id) !== account.changed_at) await applyChange(account)
    for (const [user_id, changed_at] of applied) if (changed_at < since) applied.delete(user_id)
    for (const session_id of ended) sessions.dropRecent(session_id)
    closeSockets(new Set(ended))
    await closeEnded()
  }

  /** Closes the sockets of credentials that have ended or expired. */
  const closeEnded = async () => {
    const callers = sockets.contexts().map(readCaller)
    const ids = [...new Set(callers.flatMap((caller) => (caller?.credential ? [caller.session_id] : [])))]
    if (ids.length === 0) return
    const live = new Set((await extensions['auth.live_credentials'].ask({ ids })).flat())
    closeSockets(new Set(ids.filter((id) => !live.has(id))))
  }

  const run = async () => {
    if (sockets.contexts().length > 0 || performance.now() > dueAt - PERIOD_MS / 2) await check()
    schedule()
  }

  const check = async () => {
    dueAt = performance.now() + untilTick(IDLE_PERIOD_MS)
    const now = clock.now()
    try {
      await applyChanges(seen - OVERLAP_MS)
      seen = now
    } catch (error) {
      log.error({ error }, 'the check for ended sessions failed')
    }
  }

  const schedule = () => {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(() => (running = run()), untilTick(PERIOD_MS))
  }

  return {
    closeSockets,
    async recheckUser(user_id: string) {
      // The guards must not check against what they remember.
      users.dropRecent(user_id)
      const user = await users.find(user_id)
      await applyChange(user ?? { _id: user_id, enabled: false, changed_at: 0 })
    },
    /** Closes the sockets of a session that another process has ended. */
    endElsewhere(session_id: string) {
      sessions.dropRecent(session_id)
      closeSockets(new Set([session_id]))
    },
    /** Checks everything now, because news of other processes may have been lost. */
    checkSoon() {
      if (stopped) return
      clearTimeout(timer)
      dueAt = 0
      running = running.then(run)
    },
    start() {
      seen = clock.now()
      dueAt = performance.now() + untilTick(IDLE_PERIOD_MS)
      stopped = false
      schedule()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
