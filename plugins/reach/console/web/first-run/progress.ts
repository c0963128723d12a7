import { redirect } from '@tanstack/react-router'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { readSession } from '../session/token.ts'
import { enteredPassword } from '../sign-in/entered-password.ts'

const KEY = 'svc.first-run'

/** The notes of this browser about the first run of a server. */
interface Progress {
  /** `seen`: the server was in use before; `begun`: it was set up here; `over`: the list of next steps was dismissed. */
  state: 'seen' | 'begun' | 'over'
  /** Steps that were marked as done by hand. */
  done: string[]
}

/** Reads what was noted in this browser. */
export function readProgress(): Progress | undefined {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? undefined
  } catch {
    return { state: 'seen', done: [] }
  }
}

/** Notes how far the first run is. */
export function noteProgress(changes: Partial<Progress>): void {
  localStorage.setItem(KEY, JSON.stringify({ state: 'seen', done: [], ...readProgress(), ...changes }))
}

/** Sends the first administrator of a fresh server to its first run, once. */
export async function enterFirstRun({ preload }: { preload: boolean }): Promise<void> {
  if (preload) return
  if (readSession()?.user.role !== 'admin' || readProgress()) return enteredPassword.forget()
  if (!(await isFresh().catch(() => false))) {
    enteredPassword.forget()
    return noteProgress({ state: 'seen' })
  }
  noteProgress({ state: 'begun' })
  throw redirect({ to: '/first-run' })
}

/** True while nobody has used the server: one account, no conversation. */
async function isFresh(): Promise<boolean> {
  const { user_count, threads } = await send(client.GET('/admin/overview'))
  return user_count === 1 && threads === 0
}
