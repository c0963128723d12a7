import { setTimeout as pause } from 'node:timers/promises'
import type { ToolContext } from '#plugin-api'
import { RunnerFailure } from './errors.ts'
import type { Cradle } from './manifest.ts'
import type { MessagePipes } from './message-stream.ts'
import type { Redaction } from './redaction.ts'
import type { OpenedRunner } from './types.ts'

/** The part of a runner's standard error that a failure quotes. */
const MAX_STDERR_CHARS = 4096
/** The time to wait for the end of its pipes once the process has ended. */
const GRACE_MS = 100

/** A runner's process, the leader of its own process group. */
export interface AgentProcess extends MessagePipes {
  /** Settles with a description when the process has ended and its output was read; rejects if it never started. */
  ended: Promise<string>
  /** Returns the end of its standard error, with secrets masked. */
  readErrors(): string
  /** Ends the process with all its children, at once if the signal is aborted, and waits until they are gone. */
  end(hurry: AbortSignal): Promise<void>
}

/**
 * Starts a runner in its account's home folder; it may write there, in the workspace and in the agent's write area.
 * Throws a RunnerFailure if the system cannot start it.
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
      // Not the workspace: files there could change which program runs, for example with npx.
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
      if (code === null) return `was ended by ${signal}`
      const hidden = code === 0 ? undefined : await started.findHiddenArgument()
      return `ended with exit code ${code}${hidden ? ` (${hidden})` : ''}`
    },
    (error) => {
      throw refused(error)
    },
  )
  // Prevents an unhandled rejection while nobody awaits the end.
  ended.catch(() => undefined)
  // The process may end or close its pipes before it has read everything; its output shows that it has ended.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined)

  let errors = ''
  const kept = redaction.tailLength(MAX_STDERR_CHARS)
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-kept)
  })

  return {
    stdin,
    stdout,
    ended,
    readErrors: () => redaction.tail(errors, MAX_STDERR_CHARS).trim(),
    async end(hurry) {
      const kill = () => group.kill('SIGKILL')
      if (hurry.aborted) kill()
      hurry.addEventListener('abort', kill)
      try {
        await group.end(hurry)
        // A process that left the group may hold the pipes open.
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
