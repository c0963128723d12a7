import type { Users } from '../users/users.ts'
import { callerOf } from './callers.ts'
import type { Cradle } from './manifest.ts'
import type { Sessions } from './sessions.ts'

const PERIOD_MS = 300
/** How far the clocks of two servers may be apart, together with the time a write takes to be seen. */
const OVERLAP_MS = 10_000

/** The close code of a WebSocket whose session has ended. */
const SESSION_ENDED = 4401

/** Brings what other processes did to sessions and accounts to the open WebSockets of this one. */
export type SessionWatch = ReturnType<typeof createSessionWatch>

/** Makes the watch. */
export function createSessionWatch({
  sessions,
  users,
  sockets,
  clock,
  log,
}: { sessions: Sessions; users: Users } & Pick<Cradle, 'sockets' | 'clock' | 'log'>) {
  let seen = 0
  let stopped = true
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  const closeSockets = (session_ids: ReadonlySet<string>) =>
    sockets.close(
      (context) => session_ids.has(callerOf(context)?.session_id ?? ''),
      SESSION_ENDED,
      'session ended',
    )

  /** Ends a disabled account's sessions; has the guards look again at the sockets of one that is not. */
  const applyChange = async (user_id: string, enabled: boolean) => {
    if (!enabled) await sessions.endAll(user_id)
    sockets.recheck((context) => callerOf(context)?.id === user_id)
  }

  /** Looks at everything within the overlap each time: closing and rechecking twice changes nothing. */
  const look = async (since: number) => {
    for (const { _id, enabled } of await users.listChangedSince(since)) await applyChange(_id, enabled)
    if (sockets.contexts().length > 0) closeSockets(new Set(await sessions.listEndedSince(since)))
  }

  const run = async () => {
    const now = clock.now()
    try {
      await look(seen - OVERLAP_MS)
      seen = now
    } catch (error) {
      log.error({ error }, 'the look for ended sessions failed')
    }
    schedule()
  }

  const schedule = () => {
    if (!stopped) timer = setTimeout(() => (running = run()), PERIOD_MS)
  }

  return {
    closeSockets,
    async applyChangeOf(user_id: string) {
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
