import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  LOCKED_EXIT_CODE,
  prepareSocketDirectory,
  readRecord,
  recordPath,
  socketPathIn,
} from './engine-address.ts'
import { engineFailure } from './engine-failure.ts'
import { chooseProgram } from './engine-program.ts'

/** A database engine that this process uses, shared with every process that joined the same directory. */
export interface Engine {
  /**
   * Stays the same when the engine is started anew. What was acknowledged with `{ journal: true }` survives a
   * kill of the engine; with `w: 'majority'` beside it the engine does not wait for its journal.
   */
  readonly uri: string
  /** The process that serves now. */
  readonly pid: number
  /** True if the engine has died since it was opened, although it is started anew. */
  readonly hasDied: boolean
  /**
   * Releases the engine, which ends when no other process uses it, and waits for its end, at most 1.5 s. Close the
   * database clients of this process first.
   */
  close(): Promise<void>
}

/** Logs the engine's restarts, in the manner of pino. */
export type EngineLog = Record<'info' | 'warn' | 'error', (details: object, message: string) => void>

/** The folders of an engine, and its log. */
interface EnginePlace {
  directory: string
  runtimeDirectory: string
  /** The system to find an engine for, if not this one. */
  platform?: Pick<Parameters<typeof chooseProgram>[0], 'system' | 'searchPath'>
  log: EngineLog
}

const READY_MS = 15_000
const POLL_MS = 10
const LOCKED_RETRY_MS = 100
const MIN_BACK_OFF_MS = 100
const MAX_BACK_OFF_MS = 5_000
/** The time for an engine's exit; longer than an unused engine needs. */
const EXIT_MS = 1_500
/** The time after which an engine of another process that has not begun to end counts as used, in milliseconds. */
const IN_USE_MS = 200
const LAST_WORDS_LENGTH = 2_000
/** The one byte that asks the engine not to linger after a connection. */
const FAREWELL = '.'

interface Connection {
  uri: string
  pid: number
  /** Idle, and open while both processes live: its end reports the end of the other process. */
  socket: Socket
}

/** Starts an engine for `directory`; without a client it ends after ten seconds. Throws if the platform has no engine. */
export function launchEngine({ directory, runtimeDirectory, log, platform }: EnginePlace): ChildProcess {
  const realDirectory = placeOf(directory)
  const program = chooseProgram({ runtimeDirectory, ...platform })
  // Appends, so that two engines that race for the directory do not overwrite each other's output.
  const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants
  const output = openSync(logPathIn(realDirectory), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
  try {
    const child = spawn(
      process.execPath,
      [...program.args, realDirectory, prepareSocketDirectory(realDirectory)],
      {
        // Its own process group: Ctrl-C is for the server, which still needs its database to stop.
        detached: true,
        stdio: ['ignore', output, output],
        env: { ...process.env, ...program.env },
      },
    )
    child.once('error', (error) => log.error({ err: error }, 'the database engine cannot be run'))
    child.unref()
    return child
  } finally {
    closeSync(output)
  }
}

/**
 * Joins the engine that serves `directory`, or starts one; while joined, starts it anew whenever it dies. Throws if the
 * platform has no engine, with the engine's words if it does not serve within 15 s, or if `abandoned` is aborted before.
 */
export async function joinEngine({
  abandoned,
  ...options
}: EnginePlace & { abandoned?: AbortSignal }): Promise<Engine> {
  const { directory, log } = options
  const realDirectory = placeOf(directory)
  const socketDirectory = prepareSocketDirectory(realDirectory)
  const socketPath = socketPathIn(socketDirectory)
  const stopping = new AbortController()
  const { signal } = stopping
  /** Only while this process is the one that started the engine. */
  let child: ChildProcess | undefined
  let hasDied = false
  const abandon = () => stopping.abort()
  abandoned?.addEventListener('abort', abandon)
  let serving = await start().catch(async (error) => {
    await endChild()
    throw error
  })
  abandoned?.removeEventListener('abort', abandon)
  let next: Promise<Connection | undefined> = Promise.resolve(serving)
  let closing: Promise<void> | undefined
  const watching = watch()

  return {
    get uri() {
      return serving.uri
    },
    get pid() {
      return serving.pid
    },
    get hasDied() {
      return hasDied
    },
    close() {
      closing ??= leave()
      return closing
    },
  }

  async function start(): Promise<Connection> {
    const deadline = performance.now() + READY_MS
    child = undefined
    for (;;) {
      let absence: unknown
      try {
        const joined = await connect()
        if (child?.pid !== joined.pid) {
          // An engine that starts slowly would take the directory as soon as the other engine ends.
          child?.kill()
          child = undefined
        }
        return joined
      } catch (error) {
        absence = error
      }
      signal.throwIfAborted()
      let pause = POLL_MS
      if (performance.now() > deadline) throw failure('does not answer', absence)
      if (child === undefined) child = launchEngine(options)
      else if (child.exitCode === LOCKED_EXIT_CODE) {
        // Lost the race to another process, or an engine is about to end.
        child = undefined
        pause = LOCKED_RETRY_MS
      } else if (hasEnded(child)) {
        throw failure(`ended (${child.signalCode ?? child.exitCode})`, absence)
      }
      await sleep(pause, undefined, { signal })
    }
  }

  async function connect(): Promise<Connection> {
    const socket = createConnection(socketPath)
    try {
      await once(socket, 'connect')
      // Read only now: an engine that answers has removed its predecessor's record.
      return { ...readRecord(realDirectory), socket: socket.resume() }
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  function failure(what: string, cause: unknown): Error {
    const words = readFileSync(logPathIn(realDirectory), 'utf8').slice(-LAST_WORDS_LENGTH).trim()
    return engineFailure(realDirectory, what, words, { cause })
  }

  /** Never rejects: logs failures and tries the restart again. */
  async function watch(): Promise<void> {
    let delay = 0
    for (let joined = await next; joined; joined = await next) {
      serving = joined
      const since = performance.now()
      await Promise.allSettled([once(serving.socket, 'close')])
      if (signal.aborted) return
      const uptime = Math.round(performance.now() - since)
      // The time that it served is subtracted, so that only deaths in a row increase the back-off.
      delay = Math.max(MIN_BACK_OFF_MS, Math.min(MAX_BACK_OFF_MS, 2 * delay - uptime))
      log.warn({ pid: serving.pid, uptime_ms: uptime, retry_ms: delay }, 'the database engine is gone')
      next = restart(delay)
      hasDied = true
    }
  }

  /** Tries until the engine serves again or is closed. */
  async function restart(delay: number): Promise<Connection | undefined> {
    let wait = delay
    while (!signal.aborted) {
      try {
        await sleep(wait, undefined, { signal })
        const joined = await start()
        log.info({ pid: joined.pid }, 'the database engine is back')
        return joined
      } catch (error) {
        wait = Math.min(MAX_BACK_OFF_MS, 2 * wait)
        if (!signal.aborted)
          log.error({ err: error, retry_ms: wait }, 'the database engine did not come back')
      }
    }
    return undefined
  }

  /** Ends an engine that does not serve yet. */
  async function endChild(): Promise<void> {
    child?.kill()
    const since = performance.now()
    while (child && !hasEnded(child) && performance.now() - since < EXIT_MS) await sleep(POLL_MS)
  }

  async function leave(): Promise<void> {
    stopping.abort()
    child?.kill()
    const joined = await next
    joined?.socket.end(FAREWELL)
    await watching
    // An engine empties its socket directory last; the end of another's child cannot be seen for certain.
    const ended = () => (child ? hasEnded(child) : readdirSync(socketDirectory).length === 0)
    const since = performance.now()
    const patience = () => (child || !existsSync(recordPath(realDirectory)) ? EXIT_MS : IN_USE_MS)
    while (!ended() && performance.now() - since < patience()) await sleep(POLL_MS)
  }
}

const logPathIn = (directory: string): string => join(directory, 'engine.log')

/** Returns the real path of a directory; creates it if it does not exist. */
function placeOf(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return realpathSync(directory)
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null
