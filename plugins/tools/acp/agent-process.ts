import { setTimeout as pause } from 'node:timers/promises'
import type { ToolContext } from '#plugin-api'
import { RunnerFailure } from './errors.ts'
import type { Cradle } from './manifest.ts'
import type { Redaction } from './redaction.ts'
import type { OpenedRunner } from './types.ts'

/** The part of a runner's standard error that a failure quotes. */
const MAX_STDERR_CHARS = 4096
/** The time to wait for the end of its pipes once the process has ended. */
const GRACE_MS = 100

/** A runner's process, the leader of its own process group. */
export type AgentProcess = Awaited<ReturnType<typeof startAgentProcess>>

/**
 * Starts a runner in its account's home folder; it may write there, in the workspace and in the agent's write area.
 * Throws a RunnerFailure if the system cannot start it.
 */
export async function startAgentProcess(
  { command, args, env }: Pick<OpenedRunner, 'command' | 'args' | 'env'>,
  {
    home,
    workspace,
    write_area: area,
    redaction,
    processes,
  }: { home: string; workspace: string; redaction: Redaction } & Pick<ToolContext, 'write_area'> &
    Pick<Cradle, 'processes'>,
) {
  const started = await processes.speakTo(
    { command, args, env, home, folders: [workspace], area },
    (words, options) => new RunnerFailure(`cannot be started: its program ${words}`, options),
  )
  const { closed, stdin, stdout, stderr, end } = started
  const ended = started.ended.then(async ({ code, signal }) => {
    await Promise.race([closed, pause(GRACE_MS)])
    if (code === null) return `was ended by ${signal}`
    const hidden = code === 0 ? undefined : await started.findHiddenArgument()
    return `ended with exit code ${code}${hidden ? ` (${hidden})` : ''}`
  })
  // Prevents an unhandled rejection while nobody awaits the end.
  ended.catch(() => undefined)

  let errors = ''
  const keptChars = redaction.tailLength(MAX_STDERR_CHARS)
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-keptChars)
  })

  return {
    stdin,
    stdout,
    /** Settles with a description when the process has ended and its output was read; rejects if it never started. */
    ended,
    /** Returns the end of its standard error, with secrets masked. */
    readErrors: (): string => redaction.tail(errors, MAX_STDERR_CHARS).trim(),
    /** Ends the process with all its children, at once if the signal is aborted, and waits until they are gone. */
    end,
  }
}
