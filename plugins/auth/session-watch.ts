import type { Users } from '../users/users.ts'
import { readCaller } from './guards.ts'
import type { Cradle } from './manifest.ts'
import type { Sessions } from './sessions.ts'
import type { AuthCaller } from './types.ts'

const PERIOD_MS = 500
/** The periods between two checks while no socket is open; sessions of disabled accounts must end all the same. */
const IDLE_PERIODS = 10
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
  let skipped = 0

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
  const applyChange = async (user_id: string, enabled: boolean) => {
    // The guards must not check against what they remember.
    users.dropRecent(user_id)
    if (!enabled) {
      await sessions.endAll(user_id)
      // Its credentials only rest, but sockets that they opened are closed as well.
      closeWhere(({ id }) => id === user_id)
    }
    sockets.recheck((context) => readCaller(context)?.id === user_id)
  }

  /** Applies every change since the time, some of them repeatedly: closing and checking twice has no effect. */
  const applyChanges = async (since: number) => {
    const { accounts, ended } = await sessions.listChangesSince(since, users.changesSince(since))
    for (const { _id, enabled } of accounts) await applyChange(_id, enabled)
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
    if (sockets.contexts().length > 0 || ++skipped === IDLE_PERIODS) await check()
    schedule()
  }

  const check = async () => {
    skipped = 0
    const now = clock.now()
    try {
      await applyChanges(seen - OVERLAP_MS)
      seen = now
    } catch (error) {
      log.error({ error }, 'the check for ended sessions failed')
    }
  }

  const schedule = () => {
    if (!stopped) timer = setTimeout(() => (running = run()), PERIOD_MS)
  }

  return {
    closeSockets,
    async recheckUser(user_id: string) {
      const user = await users.find(user_id)
      await applyChange(user_id, user?.enabled ?? false)
    },
    start() {
      seen = clock.now()
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
