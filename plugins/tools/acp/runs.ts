import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  createDeadline,
  createFolderDisposal,
  createKeyedSemaphore,
  createWorkClock,
  type ToolContext,
  untilAborted,
} from '#plugin-api'
import { converse } from './conversation.ts'
import { RunnerFailure } from './errors.ts'
import type { Cradle } from './manifest.ts'
import { createRedaction, type Redaction } from './runner-env.ts'
import type { OpenedRunner } from './types.ts'
import { showJson } from './updates.ts'

const MAX_MESSAGE_CHARS = 2000
/** The time that a process has to end after it closed its output, before the failure mentions only the latter. */
const END_MS = 1000

/** The running runners of this server process. */
export type RunnerRuns = ReturnType<typeof createRunnerRuns>

/** Creates the service that runs runners. */
export function createRunnerRuns({ config, log, processes, server, workspaceFiles }: Cradle) {
  const { max_processes, max_seconds } = config
  const permits = createKeyedSemaphore()
  const running = new Set<{ user_id: string; end: (reason: unknown) => void; ended: Promise<unknown> }>()
  let isClosed = false

  /** The account's home folder, in which runners keep logins and caches. */
  const root = join(server.home, 'acp')
  const toHome = (user_id: string) => join(root, user_id)
  const homes = createFolderDisposal(root, { log })

  const runProcess = async (
    runner: OpenedRunner,
    prompt: string,
    { context, until, stop }: RunContext,
  ): Promise<string> => {
    const redaction = createRedaction(runner.env)
    const home = toHome(context.user_id)
    const [workspace] = await Promise.all([
      realpath(context.workspace),
      mkdir(home, { recursive: true, mode: 0o700 }),
    ])
    until.throwIfAborted()
    const { write_area } = context
    const started = await startAgentProcess(runner, { home, workspace, write_area, redaction, processes })
    const onOver = () =>
      stop(new RunnerFailure(`did not end within ${max_seconds} s of work, so it was ended`))
    const clock = createWorkClock(max_seconds * 1000, onOver)
    try {
      const { version } = server
      const parts = { runner, workspace, version, context, files: workspaceFiles, redaction, clock }
      return await untilAborted(until, converse(started, prompt, { ...parts, signal: until }))
    } catch (error) {
      const reason: unknown = until.aborted ? until.reason : error
      if (until.aborted && !(reason instanceof RunnerFailure)) throw reason
      throw await explainFailure(reason, started, redaction)
    } finally {
      clock.stop()
      await started.end(until)
    }
  }

  /** Waits for a permit, at most `max_seconds`; one account has at most half of the permits. Returns its release. */
  const acquire = async (user_id: string, until: AbortSignal): Promise<() => void> => {
    const reason = () =>
      new RunnerFailure(
        `could not start within ${max_seconds} s because other agents are running; try again later`,
      )
    const deadline = createDeadline([until], { milliseconds: max_seconds * 1000, reason })
    const limits = { perKey: Math.max(1, Math.floor(max_processes / 2)), total: max_processes }
    return permits.acquire(user_id, limits, deadline.signal).finally(deadline.release)
  }

  const runOnce = async (runner: OpenedRunner, prompt: string, { context, until, stop }: RunContext) => {
    try {
      const release = await acquire(context.user_id, until)
      try {
        return await runProcess(runner, prompt, { context, until, stop })
      } finally {
        release()
      }
    } catch (error) {
      if (!(error instanceof RunnerFailure)) throw error
      throw new Error(`the external agent "${runner.name}" ${error.message}`, { cause: error.cause })
    }
  }

  return {
    /**
     * Lets a runner carry out an instruction in the workspace of a call; returns its answer. Throws a sentence for the
     * model if the runner fails, and the signal's reason once it is aborted; the process has ended by then.
     */
    async run(runner: OpenedRunner, prompt: string, context: ToolContext): Promise<string> {
      if (isClosed) throw new Error('the server is shutting down')
      const deadline = createDeadline([context.signal])
      const ended = runOnce(runner, prompt, { context, until: deadline.signal, stop: deadline.abort })
      const entry = { user_id: context.user_id, end: deadline.abort, ended }
      running.add(entry)
      try {
        return await ended
      } finally {
        running.delete(entry)
        deadline.release()
      }
    },

    /** Ends all runs of an account and removes its home folder. */
    async forgetUser(user_id: string): Promise<void> {
      const theirs = [...running].filter((entry) => entry.user_id === user_id)
      for (const { end } of theirs) end(new Error('the account was deleted'))
      await Promise.allSettled(theirs.map(({ ended }) => ended))
      await homes.remove(user_id)
    },

    /** Removes the home folders of deleted accounts that could not be removed before. */
    removeLeftFolders: homes.removeLeft,

    /** Ends all runs and refuses new ones. */
    async close(): Promise<void> {
      isClosed = true
      for (const { end } of running) end(new Error('the server is shutting down'))
      await Promise.allSettled([...running].map(({ ended }) => ended))
    },
  }
}

interface RunContext {
  context: ToolContext
  until: AbortSignal
  stop(reason: unknown): void
}

/** Explains a failure to the model, without secrets; an error of the runner itself does not become the cause. */
async function explainFailure(
  error: unknown,
  { ended, readErrors }: AgentProcess,
  { head }: Redaction,
): Promise<RunnerFailure> {
  const explain = (message: string, options?: ErrorOptions) => {
    const errors = readErrors()
    return new RunnerFailure(errors === '' ? message : `${message}\n[stderr]\n${errors}`, options)
  }
  if (error instanceof RunnerFailure) return explain(error.message, { cause: error.cause })
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
  if (typeof code === 'number') {
    const words = head([message, readDetails(data)].filter(Boolean).join(': '), MAX_MESSAGE_CHARS)
    return explain(`answered with an error: ${words} (${code})`)
  }
  const how = await Promise.race([ended, pause(END_MS, 'closed its output', { ref: false })]).catch(
    (failure: RunnerFailure) => failure,
  )
  if (how instanceof RunnerFailure) return how
  return explain(`${how} before it answered`, { cause: error })
}

/** Returns the further details of a JSON-RPC error. */
function readDetails(data: unknown): string {
  if (data === undefined || data === null) return ''
  const { details, message } = data as { details?: unknown; message?: unknown }
  return showJson(details ?? message ?? data)
}

/** The part of a runner's standard error that a failure quotes. */
const MAX_STDERR_CHARS = 4096
/** The time to wait for the end of its pipes once the process has ended. */
const GRACE_MS = 100

/** A runner's process, the leader of its own process group. */
type AgentProcess = Awaited<ReturnType<typeof startAgentProcess>>

/**
 * Starts a runner in its account's home folder; it may write there, in the workspace and in the agent's write area.
 * Throws a RunnerFailure if the system cannot start it.
 */
async function startAgentProcess(
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
  const ended = started.ended.then(async ({ code, signal, excess }) => {
    await Promise.race([closed, pause(GRACE_MS)])
    if (code === null) return `was ended by ${signal}${excess ? `, as ${excess}` : ''}`
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
