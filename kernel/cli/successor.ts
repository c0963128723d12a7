import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'

/** The exit code that asks a supervisor to start the server again. */
export const RESTART_CODE = 75

/** The value of `SVC_SUPERVISED` in a process that this program has started. */
const BY_PREDECESSOR = 'svc'

/** The message over IPC that asks a successor to stop. */
const STOP = 'stop'

/**
 * True if another program starts this process again when it ends: systemd, the runtime of a container, or another one
 * if `SVC_SUPERVISED=1`; `SVC_SUPERVISED=0` denies it.
 */
export function isSupervised(
  env: NodeJS.ProcessEnv,
  { pid, ppid }: Pick<NodeJS.Process, 'pid' | 'ppid'> = process,
): boolean {
  const stated = env.SVC_SUPERVISED?.trim().toLowerCase()
  if (stated) return !['0', 'false', 'no', 'off'].includes(stated)
  const isService = env.SYSTEMD_EXEC_PID === String(pid)
  // A shell in a container does not start the server again; the container's own process may be an init.
  const isEntry = pid === 1 || ppid === 1
  return isService || (isEntry && (env.INVOCATION_ID !== undefined || isContainer(env)))
}

const isContainer = ({ KUBERNETES_SERVICE_HOST }: NodeJS.ProcessEnv) =>
  KUBERNETES_SERVICE_HOST !== undefined ||
  ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file))

/**
 * Runs the server again in a new process, with the arguments and streams of this one, which stays to hand signals on and
 * to start further successors. Returns the exit code of the last one.
 */
export async function runSuccessors(extraArguments: readonly string[]): Promise<number> {
  let successor: ChildProcess | undefined
  let stops = 0
  const stop = () => {
    stops += 1
    // A terminal sends Ctrl-C to the successor too, so a message that can be repeated does no harm.
    if (stops > 1) successor?.kill('SIGKILL')
    else if (successor?.connected) successor.send(STOP)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  try {
    for (;;) {
      successor = spawn(process.execPath, argumentsWith(extraArguments), {
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
        env: { ...process.env, SVC_SUPERVISED: BY_PREDECESSOR },
      })
      const [exitCode] = await once(successor, 'exit')
      if (exitCode !== RESTART_CODE || stops > 0) return exitCode ?? 1
    }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
  }
}

/** Starts a successor that does not need this process, which must end at once to free its port. */
export function leaveToSuccessor(extraArguments: readonly string[]): void {
  spawn(process.execPath, argumentsWith(extraArguments), { stdio: 'inherit', detached: true }).unref()
}

const argumentsWith = (extra: readonly string[]) => [...process.execArgv, ...process.argv.slice(1), ...extra]

/** Resolves when the process that this one succeeds asks it to stop, or has ended. */
export const untilPredecessorStops = ({ SVC_SUPERVISED }: NodeJS.ProcessEnv): Promise<void> =>
  new Promise((resolve) => {
    if (SVC_SUPERVISED !== BY_PREDECESSOR || !process.connected) return
    process.on('message', (message) => {
      if (message === STOP) resolve()
    })
    process.once('disconnect', () => resolve())
  })
