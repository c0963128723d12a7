import { rm } from 'node:fs/promises'
import type { Context } from 'koa'
import type { SomeCradle } from '../contract/cradle.ts'
import type { AuditRecord } from '../contract/extension-points.ts'
import type { AllExtensions } from '../contract/extensions.ts'
import type { Caller } from '../contract/guard.ts'
import {
  type AuditSpec,
  type Download,
  type FileReply,
  isChosenReply,
  isProbe,
  type Route,
  type Upload,
} from '../contract/route.ts'
import { AppError } from '../errors.ts'
import { chooseLocale, type Locale } from '../locale.ts'
import { deferSchema, objectOf } from '../schema.ts'
import type { Limits } from '../security/limits.ts'
import type { OpenSocketDirectory } from '../socket/directory.ts'
import { recordablePart } from './audit-payload.ts'
import type { ErrorReply } from './error-reply.ts'
import { isEventStream, sendEvents } from './event-stream.ts'
import { sendDownload, sendFile } from './file-reply.ts'
import type { GuardChain } from './guard-chain.ts'
import { readBytes } from './raw-body.ts'
import { isRepeatable, performOnce } from './repetition.ts'
import { assertParams } from './request-facts.ts'
import type { UploadReader } from './upload.ts'
import { sendWebReply } from './web-reply.ts'

/** The parts that serving a route needs besides the route. */
export interface EndpointParts {
  guard: GuardChain
  cradle: SomeCradle
  readBody: (context: Context) => Promise<unknown>
  readUpload: UploadReader
  /** Called with replies that do not fit their schema; may throw. */
  onWrongReply: (error: unknown) => void
  audit: (record: AuditRecord) => Promise<void>
  /** Keeps the replies of calls that clients may repeat. */
  repetition: AllExtensions['kernel.repetition']
  /** The status and the body that an error is answered with. */
  explain: (error: unknown, locale: Locale, request_id: string) => ErrorReply
  /** The same, noted in the log: of what goes wrong once a stream is open. */
  report: (error: unknown, locale: Locale, request_id: string) => ErrorReply
  /** Throws if the disk is full. */
  assertStorage: () => void
  /** Where those who read a stream are known. */
  sockets: OpenSocketDirectory
  limits: Limits
  /** Milliseconds between two signs of life on a stream. */
  heartbeatMs: number
  /** Unix seconds. */
  seconds: () => number
}

const NO_FIELDS = objectOf({})
const FORM = 'multipart/form-data'

/** Makes the handler of one route: guard, then body, then validation, then the plugin, then the reply. */
export function createEndpoint(route: Route, parts: EndpointParts): (context: Context) => Promise<void> {
  const checkQuery = route.query && deferSchema(route.query, 'text')
  // A body that nobody reads is refused like any other unknown field.
  const bodySchema = route.body ?? (route.method === 'GET' ? undefined : NO_FIELDS)
  const checkBody = bodySchema && deferSchema(bodySchema, 'json')
  const isLimited = route.guard === 'public' && !isProbe(route)
  const takesFile = (context: Context): boolean => {
    if (!route.upload) return false
    if (route.upload.as === 'body' || context.is(FORM)) return true
    if (route.body) return false
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { expected: FORM })
  }
  // Signing in stays possible, and so does deleting, which makes space.
  const needsRoom = !['GET', 'DELETE'].includes(route.method) && route.guard !== 'public'
  const isOpenLong = route.stream === 'events' || route.stream === 'response'
  const audit = auditOf(route)
  const statuses = Object.keys(route.response).map(Number)
  const checkEvent = route.events && deferSchema(route.events, 'reply')
  const checkReply = new Map(
    statuses.flatMap((status) => {
      const schema = route.response[status]
      return schema ? [[status, deferSchema(schema, 'reply')]] : []
    }),
  )

  return async (context) => {
    const { state, headers, ip } = context
    const added: { caller?: Caller } = {}
    let signedIn: string | null = null
    let noted: object | undefined
    let params: Record<string, string> = {}
    let query: unknown
    let body: unknown
    let upload: Upload | undefined
    let status: number
    let result: unknown
    let isReplayed = false
    let checkReader: () => Promise<void>
    const reading = new AbortController()
    const { res } = context
    res.once('close', () => {
      if (!res.writableFinished) reading.abort(new AppError('CLIENT_LEFT'))
    })
    try {
      params = assertParams(context.params)
      const { request_id } = state
      const setHeader = (name: string, value: string) => context.set(name, value)
      const request = { transport: 'http', method: context.method, params, query: context.query } as const
      const { path, guard, scope } = route
      const guarded = { ...request, headers, ip, request_id, route: path, guard, scope, setHeader }
      checkReader = () => parts.guard({ ...guarded, opened: added, setHeader: () => undefined }, {})
      if (isLimited) await parts.limits.admitAddress(ip)
      try {
        await parts.guard(guarded, added)
      } finally {
        // Also of a caller who is refused: the refusal is in their language, and the log has their name.
        state.caller = added.caller
        state.locale = chooseLocale(headers['accept-language'], added.caller?.locale)
      }
      if (needsRoom) parts.assertStorage()
      if (isOpenLong && added.caller)
        parts.limits.assertRoom('sockets', parts.sockets.countOf(added.caller.id))
      query = route.raw ? { ...context.query } : checkQuery?.({ ...context.query })
      let bytes: Uint8Array | undefined
      if (route.raw) bytes = await readBytes(context.req, route.raw.max_bytes)
      else if (takesFile(context)) upload = await parts.readUpload(context.req, route.upload!)
      else body = checkBody?.(await parts.readBody(context))
      const facts = { params, headers, ip, request_id, locale: state.locale }
      const identify = (username: string) => {
        signedIn = username
      }
      const note = (facts: object) => {
        noted = facts
      }
      const { signal } = reading
      const uploaded = route.upload?.max_files ? upload : { file: upload?.files[0] }
      const given = { ...facts, identify, note, ...added, query, body, ...uploaded, bytes, signal }
      const handle = async () => route.handler(given as never, parts.cradle)
      const key = isRepeatable(route) && context.get('Idempotency-Key')
      if (key && added.caller) {
        const call = {
          key,
          account_id: added.caller.id,
          defaultStatus: statuses[0]!,
          hasFiles: Boolean(upload),
        }
        const content = [route.path, params, query, upload ? describeUpload(upload) : body]
        const once = await performOnce({ ...call, parts: content }, parts.repetition, handle)
        result = once.result
        isReplayed = once.isReplayed
      } else result = await handle()
      if (route.stream === 'response') status = (result as Response).status
      else status = isChosenReply(result) ? result.status : statuses[0]!
    } catch (error) {
      status = parts.explain(error, state.locale, state.request_id).status
      throw error
    } finally {
      for (const { path } of upload?.files ?? []) await rm(path, { force: true })
      if (context.method !== 'GET') parts.limits.outdate()
      if (audit && !isReplayed)
        await parts.audit({
          ts: parts.seconds(),
          actor: added.caller?.username ?? signedIn,
          action: audit.action,
          target: Object.values(params).join('/') || nameIn(result, audit.target),
          payload: withNotes(recorded(route, { query, body }), noted),
          status: status!,
          ip,
          request_id: state.request_id,
          credential: added.caller?.credential?.name,
        })
    }

    const explain = (error: unknown) => parts.report(error, state.locale, state.request_id)
    const { sockets } = parts
    const reader = { reading, context: added, checkReader: checkReader!, sockets, explain }
    if (route.stream === 'response') return sendWebReply(context, result as Response, reader)
    context.status = status
    if (route.stream === 'download') return sendDownload(context, result as Download)
    if (route.stream === 'file') return sendFile(context, result as FileReply)
    const check = (content: unknown, validate = checkReply.get(status)) => {
      try {
        validate?.(content)
      } catch (error) {
        parts.onWrongReply(error)
      }
    }
    const content = isChosenReply(result) ? result.body : result
    if (isChosenReply(result)) context.set(result.headers)
    if (route.stream === 'events' && isEventStream(content)) {
      context.set(route.events ? FINITE_STREAM_HEADERS : EVENT_STREAM_HEADERS)
      // Koa would send the body through two more streams.
      context.respond = false
      sendEvents(res, {
        items: content,
        check: (data) => check(data, checkEvent),
        ...reader,
        toErrorItem: (body) => (route.events ? { data: { error: body } } : { event: 'error', data: body }),
        heartbeatMs: parts.heartbeatMs,
      })
      return
    }
    if (content === undefined && route.response[status])
      throw new Error(
        `the handler of ${route.method} ${route.path} returned nothing instead of its reply ${status}`,
      )
    check(content)
    context.body = route.response[status] === null ? null : content
    // Koa takes a reply without a body for a 204, redirects as well.
    if (route.response[status] === null) context.status = status
  }
}

/** The part of an upload by which its repetition is recognized; the boundary of a form differs each time. */
const describeUpload = ({ files, fields }: Upload) => [
  files.map(({ filename, media_type, digest }) => [filename, media_type, digest]),
  fields,
]

/** Of a stream that ends with its answer: the client may use the connection again. */
const FINITE_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Keeps a proxy from waiting until it has more.
  'X-Accel-Buffering': 'no',
}

const EVENT_STREAM_HEADERS = {
  ...FINITE_STREAM_HEADERS,
  // A server that stops need not wait for who might ask again.
  Connection: 'close',
}

/** The content of the route's audit rows; undefined if it writes none. */
function auditOf({ audit }: Route): AuditSpec | undefined {
  if (typeof audit === 'string') return { action: audit, target: 'id' }
  return audit && 'action' in audit ? audit : undefined
}

/** The payload of an audit row; queries of GET routes are left out, as others may have put them into a link. */
const recorded = ({ method, query, body }: Route, given: { query: unknown; body: unknown }): unknown => {
  if (body) return recordablePart(body, given.body)
  return query && method !== 'GET' ? recordablePart(query, given.query) : undefined
}

const withNotes = (payload: unknown, noted: object | undefined) =>
  noted ? { ...(payload as object | undefined), ...noted } : payload

/** Returns the name of the new object from a reply; null if the reply has no such field. */
const nameIn = (result: unknown, field: string): string | null => {
  const content = isChosenReply(result) ? result.body : result
  const name = (content as Record<string, unknown> | undefined)?.[field]
  return typeof name === 'string' ? name : null
}
