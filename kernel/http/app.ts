import { join } from 'node:path'
import cors from '@koa/cors'
import bytes from 'bytes'
import Koa, { type Context, type Next } from 'koa'
import type { SomeCradle } from '../contract/cradle.ts'
import { findErrorForm, inErrorForm } from '../contract/error-form.ts'
import type { GuardUse } from '../contract/guard.ts'
import type { Route } from '../contract/route.ts'
import { AppError } from '../errors.ts'
import { chooseLocale, type Locale } from '../locale.ts'
import type { Runtime } from '../server/runtime.ts'
import { createBodyReader } from './body.ts'
import type { EndpointParts } from './call.ts'
import { createEndpoint } from './endpoint.ts'
import { type ErrorReply, replyTo, retryHeaders } from './error-reply.ts'
import type { GuardChain } from './guard-chain.ts'
import { type OwnedPages, servePages } from './page-files.ts'
import { requestIdOf } from './request-facts.ts'
import { createRouteTable } from './route-table.ts'
import { createUploadReader } from './upload.ts'

/** A route, and the services that its handler gets. */
interface OwnedRoute {
  route: Route
  cradle: SomeCradle
  /** The plugin that declared it, or `kernel`. */
  owner: string
}

/** The codes of errors that end a reply whose reader has left. */
const CONNECTION_ERRORS = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'])

/** The beginning of the path of every route. */
const PREFIX = '/api'

/** Answers while the process runs, also while it ends. */
const LIVE_PATH = '/api/health/live'

/** Makes the Koa application for these routes. `draining` answers whether new requests are turned away. */
export function createApp({
  runtime,
  routes,
  chainOf,
  draining,
  strictReplies,
  isSocket,
  pages,
  heartbeatMs,
}: {
  runtime: Runtime
  routes: readonly OwnedRoute[]
  chainOf: (use: GuardUse) => GuardChain
  draining: () => boolean
  strictReplies: boolean
  isSocket: (pathname: string) => boolean
  pages: readonly OwnedPages[]
  /** Heartbeat interval of a stream of events, in milliseconds. */
  heartbeatMs: number
}): Koa {
  const { http } = runtime.blueprint.config.values
  const { log, clock, extensions } = runtime
  // Only the last entry counts, which the nearest proxy added: the client may have written the others itself.
  const app = new Koa({ proxy: http.trust_proxy, maxIpsCount: 1 })
  // Handles errors after the handler: an unserializable body, a broken stream.
  app.context.onerror = function (this: Context, error: Error | null) {
    if (!error) return
    if (this.headerSent || !this.writable) {
      const { locale, request_id } = this.state
      const isOfConnection = CONNECTION_ERRORS.has((error as NodeJS.ErrnoException).code!)
      const level = isOfConnection ? 'info' : explain(error, locale, request_id).level
      log[level]({ error, request_id }, 'a reply could not be sent whole')
      this.res.destroy()
      return
    }
    answerError(this, error)
    this.res.end(JSON.stringify(this.body))
  }
  const readBody = createBodyReader()
  const body_bytes = bytes.parse(http.body_limit)!
  const readUpload = createUploadReader(join(runtime.blueprint.home, 'uploads'))

  const explain = (error: unknown, locale: Locale, request_id: string) =>
    replyTo(error, { table: runtime.blueprint.errors, locale, request_id })
  const formOf = (path: string) =>
    findErrorForm(extensions['kernel.error_forms'].list(), path.slice(PREFIX.length))
  const report = (
    error: unknown,
    locale: Locale,
    request_id: string,
    event = 'stream failed',
  ): ErrorReply => {
    const reply = explain(error, locale, request_id)
    const { level, body, cause } = reply
    log[level]({ error: cause, code: body.code, request_id }, event)
    return reply
  }
  const endpoints = createRouteTable<(context: Context) => Promise<void>>()
  for (const { route, cradle, owner } of routes) {
    const name = `${route.method} ${route.path}`
    const parts: EndpointParts = {
      guard: chainOf(route.guard),
      cradle,
      readBody: (context) => readBody(context, Math.max(body_bytes, route.body_bytes ?? 0)),
      readUpload,
      repetition: extensions['kernel.repetition'],
      admitChange: (change) => extensions['kernel.changes'].ask(change),
      audit: async (record) => void (await extensions['kernel.audit'].ask(record)),
      explain,
      report: (...failure) => inErrorForm(formOf(`${PREFIX}${route.path}`), report(...failure)),
      assertStorage: runtime.storage.assertRoom,
      sockets: runtime.sockets,
      limits: runtime.limits,
      heartbeatMs,
      seconds: () => clock.seconds(),
      onWrongReply: (error) => {
        if (strictReplies) throw new Error(`reply of ${name} does not fit: ${describe(error)}`)
        log.error(
          { issues: (error as AppError).details.issues, route: name },
          'reply does not fit its schema',
        )
      },
    }
    const endpoint = createEndpoint(route, parts)
    endpoints.add(route.method, PREFIX + route.path, (context) => {
      context.state.route = route.path
      context.state.owner = owner
      return endpoint(context)
    })
  }

  app.use(async (context, next) => {
    const startedAt = performance.now()
    const { state } = context
    state.request_id = requestIdOf(context.headers)
    state.locale = chooseLocale(context.headers['accept-language'])
    context.set('X-Request-Id', state.request_id)
    context.set('X-Content-Type-Options', 'nosniff')
    context.set('Cache-Control', 'no-store')
    try {
      if (context.req.httpVersion === '1.1' && context.headers.host === undefined)
        throw new AppError('BAD_REQUEST', { reason: 'the header Host is missing' })
      if (draining() && context.path !== LIVE_PATH) throw new AppError('SHUTTING_DOWN')
      await next()
      if (context.body === undefined) refuseUnanswered(context)
    } catch (error) {
      answerError(context, error)
    }
    const elapsed = performance.now() - startedAt
    const { request_id, route, owner: plugin, caller } = state
    const { method, status } = context
    log.info(
      { request_id, method, route, status, ms: Math.round(elapsed), username: caller?.username },
      'request',
    )
    const answered = { request_id, method, route, plugin, status, ms: elapsed, ...factsOf(context, elapsed) }
    extensions['kernel.requests']
      .ask(answered)
      .catch((error) => log.error({ error }, 'a request was not noted'))
  })
  if (http.cors_origins.length > 0) app.use(corsFor(http.cors_origins))
  app.use(servePages(pages))
  app.use(refuseToBeRun)
  app.use((context) => {
    const { method, path } = context
    const match = endpoints.find(method, path)
    if (match) {
      context.params = match.params
      return match.entry(context)
    }
    const allowed = endpoints.methodsOf(path)
    if (allowed.length === 0) return
    context.set('Allow', allowed.join(', '))
    context.status = method === 'OPTIONS' ? 200 : 405
    if (method === 'OPTIONS') context.body = ''
  })

  function refuseUnanswered({ method, status, path }: Context): void {
    const request = { method, path: path.slice(PREFIX.length), status: status as 404 | 405 }
    const refusal = formOf(path)?.refuse?.(request)
    if (refusal) throw refusal
    if (status === 405) throw new AppError('METHOD_NOT_ALLOWED')
    if (status === 404) throw new AppError(isSocket(path) ? 'UPGRADE_REQUIRED' : 'NOT_FOUND')
  }

  function answerError(context: Context, error: unknown): void {
    const { request_id, locale } = context.state
    const reply = report(error, locale, request_id, 'request refused')
    const { status, body } = inErrorForm(formOf(context.path), reply)
    context.set(retryHeaders(body))
    if (status === 401) context.set('WWW-Authenticate', 'Bearer')
    if (status === 503) context.set('Connection', 'close')
    context.status = status
    context.body = { error: body }
    // A connection can be used again only after the body was read to its end.
    if (!context.req.complete) context.req.unpipe().resume()
  }
  return app
}

const factsOf = ({ headers: { traceparent } }: Context, elapsed: number) => ({
  started_ms: Date.now() - elapsed,
  traceparent: typeof traceparent === 'string' ? traceparent : undefined,
})

const describe = (error: unknown) => JSON.stringify((error as AppError).details.issues)

function corsFor(origins: string[]) {
  return cors({
    origin: ({ headers }) => (headers.origin && origins.includes(headers.origin) ? headers.origin : ''),
    credentials: true,
    exposeHeaders: [
      'X-Request-Id',
      'X-Access-Token',
      'X-Thread-Id',
      'Retry-After',
      'Link',
      'X-Total-Count',
      'ETag',
      'Idempotent-Replayed',
    ],
    keepHeadersOnError: false,
  })
}

/** The uses of a reply in which a browser runs no code of it, given the headers of files. */
const PASSIVE = new Set(['', 'empty', 'document', 'frame', 'iframe', 'image', 'audio', 'video', 'track'])

/**
 * Refuses requests of a page that would run a reply of the API as a script, a worker, a style or a plugin. Replies
 * contain what people wrote, and pages of this origin act for the signed-in user.
 */
function refuseToBeRun(context: Context, next: Next): Promise<void> {
  // Older browsers, and all browsers at addresses without HTTPS, do not send this header.
  const destination = context.get('Sec-Fetch-Dest')
  if (!PASSIVE.has(destination)) throw new AppError('FORBIDDEN', { destination })
  return next()
}
