import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { DestinationStream } from 'pino'
import { hasDatabase, openEngine } from '#engine'
import { removeServerNote, writeServerNote } from '../cli/server-note.ts'
import type { Clock } from '../clock.ts'
import { readDatabaseUrl } from '../config/config.ts'
import type { Announce, Plugin } from '../contract/plugin.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { createApp } from '../http/app.ts'
import { endStalledReplies, ignoreUpgrade } from '../http/connections.ts'
import { replyTo } from '../http/error-reply.ts'
import { createGuardChains } from '../http/guard-chain.ts'
import { kernelRoutes } from '../http/health.ts'
import { originOf } from '../http/network.ts'
import { requestIdOf } from '../http/request-facts.ts'
import { readBlueprint } from '../loading/blueprint.ts'
import { createLogger } from '../log.ts'
import { CLOSE, PING_INTERVAL_MS } from '../socket/directory.ts'
import { createUpgrader, refuse } from '../socket/upgrade.ts'
import { openRuntime, type Runtime } from './runtime.ts'

/** A server that listens. */
export type Server = Awaited<ReturnType<typeof startServer>>

/** A line as a plugin announced it, before the address of the server is known. */
interface Announcement {
  label: string
  text: Parameters<Announce>[1]
}

const SOCKET_PATIENCE_MS = 1000
const HTTP_PATIENCE_MS = 1000
/** The time in which a request must arrive, in milliseconds: archives of gigabytes come on slow lines. */
const REQUEST_MS = 3600_000
/** The time in which a client must take something of its reply, in milliseconds. */
const STALL_MS = 60_000

/** Starts everything: plugins, database, HTTP and WebSockets. Missing options come from `home` and `env`. */
export async function startServer({
  home,
  env,
  flags,
  plugins,
  logTo,
  clock,
  strictReplies = false,
  pingIntervalMs = PING_INTERVAL_MS,
  stallMs = STALL_MS,
  stepLimitMs,
  onRestart,
}: {
  home: string
  env: NodeJS.ProcessEnv
  flags?: Record<string, string | undefined>
  /** Plugins in addition to the installed ones. */
  plugins?: readonly Plugin[]
  logTo?: DestinationStream
  clock?: Clock
  /** Answers 500 if a reply or a sent frame does not fit its own schema. */
  strictReplies?: boolean
  pingIntervalMs?: number
  stallMs?: number
  stepLimitMs?: { start: number; stop: number }
  /** Called when a plugin asks for a restart; missing if the process cannot restart. */
  onRestart?: () => void
}) {
  const log = createLogger({ level: 'info', destination: logTo })
  const failing = new AbortController()
  // The engine opens its files while the plugins load, unless there are none: a wrong configuration creates no database.
  const opening =
    hasDatabase(home) && !readDatabaseUrl(home, env) ? openEngine(home, log, failing.signal) : undefined
  // `openDatabase` throws its failure.
  const opened = opening?.catch(() => undefined)
  const open = async () => {
    const blueprint = await readBlueprint({ home, env, flags, plugins })
    log.level = blueprint.config.values.log.level
    return openRuntime({ blueprint, log, clock, opening, stepLimitMs, onRestart })
  }
  const runtime = await open().catch(async (error) => {
    failing.abort()
    const engine = await opened
    await engine?.close()
    throw error
  })
  const announcements: Announcement[] = []
  try {
    await runtime.start()
    await runtime.ready((label, text) => announcements.push({ label, text }))
    return await listen({ runtime, announcements, strictReplies, pingIntervalMs, stallMs })
  } catch (error) {
    await runtime.stop()
    throw runtime.database!.explainFailure(error)
  }
}

async function listen({
  runtime,
  announcements,
  strictReplies,
  pingIntervalMs,
  stallMs,
}: {
  runtime: Runtime
  announcements: readonly Announcement[]
  strictReplies: boolean
  pingIntervalMs: number
  stallMs: number
}) {
  const { blueprint } = runtime
  const { config, errors, home } = blueprint
  const { http: settings } = config.values
  let draining = false
  const chainOf = createGuardChains(runtime.plugins, runtime.cradleOf)
  const owned = runtime.plugins.map(({ plugin, declarations }) => ({
    ...declarations,
    owner: plugin.name,
    cradle: runtime.cradleOf(plugin.name),
  }))
  const common = { runtime, chainOf, draining: () => draining, strictReplies }
  const upgrader = createUpgrader({
    ...common,
    pingIntervalMs,
    sockets: owned.flatMap(({ sockets, ...of }) => sockets.map((socket) => ({ socket, ...of }))),
  })
  const app = createApp({
    ...common,
    routes: [
      ...kernelRoutes.map((route) => ({
        route,
        cradle: { server: runtime.facts } as never,
        owner: 'kernel',
      })),
      ...owned.flatMap(({ routes, ...of }) => routes.map((route) => ({ route, ...of }))),
    ],
    isSocket: upgrader.isPath,
    pages: owned.flatMap(({ pages, ...of }) => pages.map((pages) => ({ pages, ...of }))),
    heartbeatMs: pingIntervalMs,
  })

  // A request without Host is answered by the application, in the form of all its errors.
  const http = createHttpServer({ requireHostHeader: false, requestTimeout: REQUEST_MS }, app.callback())
  endStalledReplies(http, stallMs)
  http.on('upgrade', (incoming, stream, head) => {
    if (/^websocket$/i.test(incoming.headers.upgrade!)) void upgrader.upgrade(incoming, stream, head)
    else ignoreUpgrade(http, incoming, stream, head)
  })
  http.on('clientError', (error: NodeJS.ErrnoException, stream: Duplex) => {
    const code = CLIENT_ERRORS[error.code!] ?? 'BAD_REQUEST'
    refuse(stream, replyTo(new AppError(code), { table: errors, locale: 'en', request_id: requestIdOf({}) }))
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(settings.port, settings.host, resolve)
  })
  const closeHttp = async () => {
    const closed = new Promise((resolve) => http.close(resolve))
    http.closeIdleConnections()
    const timer = setTimeout(() => http.closeAllConnections(), HTTP_PATIENCE_MS)
    await closed
    clearTimeout(timer)
  }
  const { port } = http.address() as AddressInfo
  const url = originOf(settings.host, port)
  const note = {
    url,
    pid: process.pid,
    start_ms: Object.fromEntries(runtime.startTimes),
    failed: Object.fromEntries(runtime.failed),
  }
  try {
    writeServerNote(home, note)
  } catch (error) {
    await closeHttp()
    throw error
  }
  runtime.log.info({ url, start_ms: note.start_ms }, 'listening')

  let stopping: Promise<void> | undefined
  const stop = () => {
    draining = true
    removeServerNote(home, note)
    // Requests that are still being answered need the database.
    return runtime.stop(async () => {
      runtime.sockets.close(() => true, CLOSE.goingAway, 'server is shutting down')
      await Promise.all([upgrader.close(SOCKET_PATIENCE_MS), closeHttp()])
    })
  }
  return {
    url,
    runtime,
    /** Lines for the person who started the server, e.g. the first administrator's password. */
    announcements: announcements.map(({ label, text }) => ({
      label,
      text: typeof text === 'string' ? text : text(url),
    })),
    /** Refuses new work, waits for running work and closes sockets with 1001; takes at most 15 s. */
    stop: (): Promise<void> => {
      stopping ??= stop()
      return stopping
    },
  }
}

const CLIENT_ERRORS: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}
