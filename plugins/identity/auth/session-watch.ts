import { AppError, untilTick } from '#plugin-api'
import type { ChangedAccount } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import { readCaller } from './guards.ts'
import type { Cradle } from './manifest.ts'
import type { Sessions } from './sessions.ts'
import type { AuthCaller } from './types.ts'

/** The interval of the checks, which find what commands have changed and signals have not announced, in milliseconds. */
const PERIOD_MS = 1000
/** The same while no socket is open; sessions of disabled accounts must end all the same. */
const IDLE_PERIOD_MS = 10_000
/** Covers the clock difference between two servers and the time until a write becomes visible. */
const OVERLAP_MS = 10_000

/** The close code of a WebSocket whose session has ended. */
const CLOSE_SESSION_ENDED = 4401

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
  let checkedAt = 0
  let stopped = true
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  /** The time of the next check without sockets, as of `performance.now()`. */
  let dueAt = 0
  /** The changes of accounts that have been applied, by account, as long as the checks find them again. */
  const applied = new Map<string, number>()
  /** The times until which the sessions of open connections live at least, in Unix seconds, by session. */
  let expiries = new Map<string, number>()

  const closeWhere = (hasEnded: (caller: AuthCaller) => boolean) =>
    sockets.close(
      (context) => {
        const caller = readCaller(context)
        return caller !== undefined && hasEnded(caller)
      },
      CLOSE_SESSION_ENDED,
      'session ended',
      new AppError('SESSION_ENDED'),
    )
  const closeSockets = (ids: ReadonlySet<string>) => closeWhere(({ session_id }) => ids.has(session_id))

  /** Ends the sessions of a disabled account, and has the guards check the sockets of the account again. */
  const applyChange = async ({ _id: user_id, enabled, changed_at }: ChangedAccount) => {
    // The guards must not use cached values.
    users.dropRecent(user_id)
    if (!enabled) {
      await sessions.endAll(user_id)
      // Its credentials only rest, but sockets that they opened are closed as well.
      closeWhere(({ id }) => id === user_id)
    }
    sockets.recheck((context) => readCaller(context)?.id === user_id)
    applied.set(user_id, changed_at)
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

  /** Closes the sockets of sessions that have expired, and of credentials that have ended or expired. */
  const closeEnded = async () => {
    const callers = sockets.contexts().flatMap((context) => readCaller(context) ?? [])
    const idsOf = (isMeant: (caller: AuthCaller) => boolean) => [
      ...new Set(callers.filter(isMeant).map(({ session_id }) => session_id)),
    ]
    const session_ids = idsOf(({ credential }) => !credential)
    const now = clock.seconds()
    expiries = new Map(session_ids.map((id) => [id, expiries.get(id) ?? 0]))
    // Only these, because a session may be extended, but its end never comes sooner.
    const due = session_ids.filter((id) => expiries.get(id)! <= now)
    const credential_ids = idsOf(({ credential }) => credential !== undefined)
    const [live, liveCredentials] = await Promise.all([
      due.length > 0 ? sessions.listExpiries(due) : [],
      credential_ids.length > 0 ? extensions['auth.live_credentials'].ask({ ids: credential_ids }) : [],
    ])
    for (const { _id, expires_at } of live) expiries.set(_id, expires_at)
    const liveIds = new Set([...live.map(({ _id }) => _id), ...liveCredentials.flat()])
    closeSockets(new Set([...due, ...credential_ids].filter((id) => !liveIds.has(id))))
  }

  const run = async () => {
    if (sockets.contexts().length > 0 || performance.now() > dueAt - PERIOD_MS / 2) await check()
    schedule()
  }

  const check = async () => {
    dueAt = performance.now() + untilTick(IDLE_PERIOD_MS)
    const now = clock.now()
    try {
      await applyChanges(checkedAt - OVERLAP_MS)
      checkedAt = now
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
      // The guards must not use cached values.
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
      checkedAt = clock.now()
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
