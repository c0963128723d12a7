import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Services } from '#kernel'
import { RunnerFailure } from './errors.ts'
import type { MessagePipes } from './message-stream.ts'
import type { Redaction } from './redaction.ts'
import type { OpenedRunner } from './types.ts'

/** How much of what a runner writes to its standard error is told where it fails, in characters. */
const STDERR_CHARACTERS = 4096
/** How long the ends of its pipes are waited for once it has ended, in milliseconds. */
const GRACE_MS = 100

/** A runner's process, the leader of a group of its own. */
export interface AgentProcess extends MessagePipes {
  /** Settles when the process itself has ended and its output was read, with words for how. */
  ended: Promise<string>
  /** The last of what it wrote to its standard error, its secrets masked. */
  complaint(): string
  /** Ends it with all that it started, at once where the signal is aborted, and waits for it. */
  end(hurry: AbortSignal): Promise<void>
}

/** Starts a runner in its account's home folder. Throws a RunnerFailure where the system cannot. */
export async function startAgentProcess(
  { command, args, env }: Pick<OpenedRunner, 'command' | 'args' | 'env'>,
  { home, redaction, processes }: { home: string; redaction: Redaction } & Pick<Services, 'processes'>,
): Promise<AgentProcess> {
  let child: ChildProcessByStdio<Writable, Readable, Readable>
  try {
    child = spawn(command, args, {
      // Not in the workspace, where what others have left could change what the program is, as with npx.
      cwd: home,
      env: { PATH: processes.path, HOME: home, LANG: 'C.UTF-8', ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    if (child.pid === undefined) await once(child, 'exit')
  } catch (error) {
    const reason = processes.refusalOf(error as NodeJS.ErrnoException)
    throw new RunnerFailure(`cannot be started: its program ${JSON.stringify(command)} ${reason}`, {
      cause: error,
    })
  }
  const group = processes.createGroup(child.pid!)
  const closed = new Promise((resolve) => child.once('close', resolve))
  const ended = once(child, 'exit').then(async ([code, signal]) => {
    await Promise.race([closed, pause(GRACE_MS)])
    return code === null ? `was ended by ${signal}` : `ended with exit code ${code}`
  })
  // Where it is not asked for, nobody need know that the system lost track of the process.
  ended.catch(() => undefined)
  // It may end, or close its pipes, before it has read all; that it has gone is found out from its output.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined)

  let said = ''
  const kept = redaction.tailLength(STDERR_CHARACTERS)
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-kept)
  })

  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    complaint: () => redaction.tail(said, STDERR_CHARACTERS).trim(),
    async end(hurry) {
      const kill = () => group.kill('SIGKILL')
      if (hurry.aborted) kill()
      hurry.addEventListener('abort', kill)
      try {
        await group.end(hurry)
        // Whoever left the group may hold the pipes open for as long as it likes.
        await Promise.race([closed, pause(GRACE_MS)])
      } finally {
        hurry.removeEventListener('abort', kill)
        child.stdin.destroy()
        child.stdout.destroy()
        child.stderr.destroy()
      }
    },
  }
}
