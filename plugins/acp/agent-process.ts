import { setTimeout as pause } from 'node:timers/promises'
import type { ToolContext } from '#plugin-api'
import { RunnerFailure } from './errors.ts'
import type { Cradle } from './manifest.ts'
import type { MessagePipes } from './message-stream.ts'
import type { Redaction } from './redaction.ts'
import type { OpenedRunner } from './types.ts'

/** How much of what a runner writes to its standard error is told where it fails, in characters. */
const STDERR_CHARACTERS = 4096
/** How long the ends of its pipes are waited for once it has ended, in milliseconds. */
const GRACE_MS = 100

/** A runner's process, the leader of a group of its own. */
export interface AgentProcess extends MessagePipes {
  /** Settles when the process itself has ended and its output was read, with words for how; rejects if it never started. */
  ended: Promise<string>
  /** The last of what it wrote to its standard error, its secrets masked. */
  complaint(): string
  /** Ends it with all that it started, at once where the signal is aborted, and waits for it. */
  end(hurry: AbortSignal): Promise<void>
}

/**
 * Starts a runner in its account's home folder; it may write there, in the workspace and where the agent may. Throws a
 * RunnerFailure where the system cannot.
 */
export async function startAgentProcess(
  { command, args, env }: Pick<OpenedRunner, 'command' | 'args' | 'env'>,
  {
    home,
    workspace,
    write_area,
    redaction,
    processes,
  }: { home: string; workspace: string; redaction: Redaction } & Pick<ToolContext, 'write_area'> &
    Pick<Cradle, 'processes'>,
): Promise<AgentProcess> {
  const refused = (error: unknown) => {
    const reason = processes.explainRefusal(error as NodeJS.ErrnoException)
    return new RunnerFailure(`cannot be started: its program ${JSON.stringify(command)} ${reason}`, {
      cause: error,
    })
  }
  const started = await processes
    .start({
      file: command,
      args,
      // Not in the workspace, where what others have left could change what the program is, as with npx.
      cwd: home,
      env: { PATH: processes.path, HOME: home, LANG: 'C.UTF-8', ...env },
      hasInput: true,
      writable: { folders: [home, workspace], area: write_area },
    })
    .catch((error) => {
      throw refused(error)
    })
  const { group, closed, stdout, stderr } = started
  const stdin = started.stdin!
  const ended = started.ended.then(
    async ({ code, signal }) => {
      await Promise.race([closed, pause(GRACE_MS)])
      return code === null ? `was ended by ${signal}` : `ended with exit code ${code}`
    },
    (error) => {
      throw refused(error)
    },
  )
  // Where it is not asked for, nobody need know that the system lost track of the process.
  ended.catch(() => undefined)
  // It may end, or close its pipes, before it has read all; that it has gone is found out from its output.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined)

  let said = ''
  const kept = redaction.tailLength(STDERR_CHARACTERS)
  stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-kept)
  })

  return {
    stdin,
    stdout,
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
        stdin.destroy()
        stdout.destroy()
        stderr.destroy()
      }
    },
  }
}
