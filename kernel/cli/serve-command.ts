import { inspect } from 'node:util'
import type { CommandInput } from '../contract/command.ts'
import { runningPlugin } from '../contract/isolation.ts'
import { ConfigError } from '../errors.ts'
import { foreignFolders } from '../loading/blueprint.ts'
import { RELEASE } from '../loading/package.ts'
import type { Server } from '../server/server.ts'
import { watchStalls } from '../server/stall-watch.ts'
import { JSON_OPTION, printTable } from './print.ts'
import {
  isSupervised,
  leaveToSuccessor,
  RESTART_CODE,
  runSuccessors,
  untilPredecessorStops,
} from './successor.ts'

/** The pauses before and between what is loaded while nothing happens, in milliseconds. */
const WARM_PAUSE_MS = 1000

/** The time after which a stop is cut short by the end of the process, in milliseconds. */
const STOP_LIMIT_MS = 15_000

/** `svc serve`: runs the server until a signal stops it. */
export const serveCommand = {
  name: 'serve',
  summary: 'Run the server',
  options: [
    { flags: '--host <address>', summary: 'address to listen on (http.host)' },
    { flags: '--port <number>', summary: 'port to listen on, 0 for any free one (http.port)' },
    { flags: '--log-level <level>', summary: 'minimum level to log (log.level)' },
    JSON_OPTION,
  ],
  async run({ home, env, options, stdout, stderr }: CommandInput): Promise<number> {
    const flags = { host: text(options.host), port: text(options.port), 'log-level': text(options.logLevel) }
    const signalled = Promise.race([nextSignal(), untilPredecessorStops(env)])
    const restart = createRestartRequest()
    const faults = collectFaults()
    try {
      const { startServer } = await import('../server/server.ts')
      const server = await startServer({ home, env, flags, onRestart: restart.request }).catch(explainStart)
      const broken = faults.handOver(server)
      const { blueprint, log } = server.runtime
      const stalls = foreignFolders(blueprint).length > 0 ? watchStalls(log) : undefined
      if (options.json) stdout.write(`${JSON.stringify(describe(server))}\n`)
      else welcome(server, stdout)
      const warming = setTimeout(() => void server.runtime.warm(WARM_PAUSE_MS), WARM_PAUSE_MS).unref()
      const exitCode = await Promise.race([
        signalled.then(() => 0),
        broken.then(() => 1),
        restart.requested.then(() => RESTART_CODE),
      ])
      const succeedsItself = exitCode === RESTART_CODE && !isSupervised(env)
      // A server that was given any free port keeps the one that its clients use.
      const samePort = blueprint.config.values.http.port === 0 ? ['--port', new URL(server.url).port] : []
      const limit = setTimeout(() => {
        if (succeedsItself) leaveToSuccessor(samePort)
        process.exit(Math.max(exitCode, 1))
      }, STOP_LIMIT_MS).unref()
      const forced = new AbortController()
      void nextSignal(forced.signal).then(() => process.exit(1))
      clearTimeout(warming)
      stderr.write(ENDINGS[exitCode]!)
      await server.stop()
      stalls?.stop()
      if (!succeedsItself) return exitCode
      clearTimeout(limit)
      forced.abort()
      return await runSuccessors(samePort)
    } finally {
      restart.stop()
      faults.stop()
    }
  },
}

/**
 * Handles uncaught errors. An error of a third-party plugin goes to the server; the first error of our own code stops the
 * server in order, or the process at once if it has no server yet.
 */
function collectFaults() {
  const early: { error: unknown; plugin: string }[] = []
  let take = (error: unknown): void => {
    const plugin = runningPlugin()
    if (plugin !== undefined) early.push({ error, plugin })
    else {
      process.stderr.write(`svc: ${inspect(error)}\n`)
      process.exit(1)
    }
  }
  const listener = (error: unknown) => take(error)
  const events = ['uncaughtException', 'unhandledRejection'] as const
  for (const event of events) process.on(event, listener)
  return {
    /** Resolves when the server has to end. */
    handOver: ({ runtime }: Server) =>
      new Promise<void>((resolve) => {
        take = (error) => {
          if (runtime.takeFault(error)) return
          runtime.log.fatal({ error }, 'an error that nobody caught ends the server')
          resolve()
        }
        for (const { error, plugin } of early) runtime.takeFault(error, plugin)
      }),
    stop() {
      for (const event of events) process.off(event, listener)
    },
  }
}

const text = (value: string | boolean | undefined) => (typeof value === 'string' ? value : undefined)

/** The lines that say why the server stops, by exit code. */
const ENDINGS: Record<number, string> = {
  0: 'Stopping. Press Ctrl-C again to force.\n',
  1: 'Stopping because of an error.\n',
  [RESTART_CODE]: 'Restarting.\n',
}

/** Resolves with the next signal to stop; never if `ignored` is aborted first. */
const nextSignal = (ignored?: AbortSignal) =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const listener = () => resolve()
      process.once(signal, listener)
      ignored?.addEventListener('abort', () => process.off(signal, listener))
    }
  })

/** The request for a restart, by a plugin or by SIGUSR2. */
function createRestartRequest() {
  let request!: () => void
  const requested = new Promise<void>((resolve) => {
    request = resolve
  })
  process.on('SIGUSR2', request)
  return { requested, request, stop: () => process.off('SIGUSR2', request) }
}

function explainStart(error: NodeJS.ErrnoException & { port?: number }): never {
  if (error.code === 'EADDRINUSE')
    throw new ConfigError(
      `port ${error.port} is in use: is the server already running? Set SVC_PORT or --port to use another one`,
    )
  throw error
}

const describe = ({ url, runtime, announcements }: Server) => ({
  url,
  pid: process.pid,
  version: runtime.facts.version,
  start_ms: Object.fromEntries(runtime.startTimes),
  announcements: Object.fromEntries(announcements.map(({ label, text }) => [label, text])),
})

function welcome({ url, runtime, announcements }: Server, stdout: NodeJS.WritableStream): void {
  stdout.write(`\nAgent Platform Service ${RELEASE}\n\n`)
  const pages = runtime.plugins.flatMap(({ declarations }) => declarations.pages)
  printTable(stdout, [
    ...pages.filter(({ label }) => label).map(({ label, path }) => [`  ${label}`, `${url}${path}`]),
    ['  address', url],
    ...announcements.map(({ label, text }) => [`  ${label}`, text]),
  ])
  stdout.write('\n')
}
