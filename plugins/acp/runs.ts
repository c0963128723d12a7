import { realpath } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { createDeadline, untilAborted } from '#kernel'
import type { ToolContext } from '#plugin-api'
import { type AgentProcess, startAgentProcess } from './agent-process.ts'
import { converse } from './conversation.ts'
import { RunnerFailure } from './errors.ts'
import { createHomeFolders } from './home-folders.ts'
import type { Cradle } from './manifest.ts'
import { createRedaction, type Redaction } from './redaction.ts'
import { createRunPlaces } from './run-places.ts'
import type { OpenedRunner } from './types.ts'
import { shownJson } from './updates.ts'
import { createWorkClock } from './work-clock.ts'

const MAX_MESSAGE_CHARACTERS = 2000
/** The code with which a runner says that nobody has logged in to it. */
const AUTH_REQUIRED = -32000
/** How long a process that has closed its output may take to end before it is said that it did that, in milliseconds. */
const END_MS = 1000

/** The runners that are at work in this server process. */
export interface RunnerRuns {
  /**
   * Has a runner carry out an instruction in the workspace of a call; gives what it said. Throws a sentence where it does
   * not, and the signal's reason as soon as that is aborted. Nothing of it is left then.
   */
  run(runner: OpenedRunner, prompt: string, context: ToolContext): Promise<string>
  /** Ends all that run for an account, and removes its home folder. */
  forgetUser(user_id: string): Promise<void>
  /** Ends all that run, and lets no other begin. */
  close(): Promise<void>
}

/** Makes the record of running runners. */
export function createRunnerRuns({ config, processes, server, workspaceFiles }: Cradle): RunnerRuns {
  const { max_seconds } = config
  const places = createRunPlaces(config)
  const homes = createHomeFolders({ server })
  const running = new Set<{ user_id: string; end: (reason: unknown) => void; ended: Promise<unknown> }>()
  let isClosed = false

  const runInPlace = async (
    runner: OpenedRunner,
    prompt: string,
    { context, until, stop }: RunOf,
  ): Promise<string> => {
    const redaction = createRedaction(runner.env)
    const [workspace, home] = await Promise.all([realpath(context.workspace), homes.ensure(context.user_id)])
    until.throwIfAborted()
    const { write_area } = context
    const started = await startAgentProcess(runner, { home, workspace, write_area, redaction, processes })
    const tooLate = () =>
      stop(new RunnerFailure(`did not end within ${max_seconds} s of work, so it was ended`))
    const clock = createWorkClock(max_seconds * 1000, tooLate)
    try {
      const { version } = server
      const parts = { runner, workspace, version, context, files: workspaceFiles, redaction, clock }
      return await untilAborted(until, converse(started, prompt, { ...parts, signal: until }))
    } catch (error) {
      const reason: unknown = until.aborted ? until.reason : error
      if (until.aborted && !(reason instanceof RunnerFailure)) throw reason
      throw await explained(reason, started, redaction)
    } finally {
      clock.stop()
      await started.end(until)
    }
  }

  const runOnce = async (runner: OpenedRunner, prompt: string, { context, until, stop }: RunOf) => {
    try {
      const leave = await places.enter(context.user_id, until)
      try {
        return await runInPlace(runner, prompt, { context, until, stop })
      } finally {
        leave()
      }
    } catch (error) {
      if (!(error instanceof RunnerFailure)) throw error
      throw new Error(`the external agent "${runner.name}" ${error.message}`, { cause: error.cause })
    }
  }

  return {
    async run(runner, prompt, context) {
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

    async forgetUser(user_id) {
      const theirs = [...running].filter((entry) => entry.user_id === user_id)
      for (const { end } of theirs) end(new Error('the account was deleted'))
      await Promise.allSettled(theirs.map(({ ended }) => ended))
      await homes.remove(user_id)
    },

    async close() {
      isClosed = true
      for (const { end } of running) end(new Error('the server is shutting down'))
      await Promise.allSettled([...running].map(({ ended }) => ended))
    },
  }
}

interface RunOf {
  context: ToolContext
  until: AbortSignal
  stop(reason: unknown): void
}

/** What went wrong, in words for the model and without secrets: what a runner said itself is no cause either. */
async function explained(
  error: unknown,
  { ended, complaint }: AgentProcess,
  { head }: Redaction,
): Promise<RunnerFailure> {
  const explain = (message: string, options?: ErrorOptions) => {
    const said = complaint()
    return new RunnerFailure(said === '' ? message : `${message}\n[stderr]\n${said}`, options)
  }
  if (error instanceof RunnerFailure) return explain(error.message, { cause: error.cause })
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
  if (typeof code === 'number') {
    const words = head([message, detailsIn(data)].filter(Boolean).join(': '), MAX_MESSAGE_CHARACTERS)
    if (code === AUTH_REQUIRED)
      return explain(`must be logged in first, by its environment or in its home folder: ${words}`)
    return explain(`answered with an error: ${words} (${code})`)
  }
  const how = await Promise.race([ended, pause(END_MS, 'closed its output', { ref: false })]).catch(
    (failure: RunnerFailure) => failure,
  )
  if (how instanceof RunnerFailure) return how
  return explain(`${how} before it had answered`, { cause: error })
}

/** What an error of JSON-RPC says besides its message. */
function detailsIn(data: unknown): string {
  if (data === undefined || data === null) return ''
  const { details, message } = data as { details?: unknown; message?: unknown }
  return shownJson(details ?? message ?? data)
}
