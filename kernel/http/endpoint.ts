import { rm } from 'node:fs/promises'
import type { Context } from 'koa'
import { isChosenReply, isProbe, type Route, type Upload } from '../contract/route.ts'
import { AppError } from '../errors.ts'
import { chooseLocale } from '../locale.ts'
import { deferSchema, objectOf, type Validator } from '../schema.ts'
import { auditOf, createAuditor } from './audit.ts'
import { readBytes } from './body.ts'
import type { Call, EndpointParts } from './call.ts'
import { createReplySender } from './endpoint-reply.ts'
import { isRepeatable, performOnce } from './repetition.ts'
import { assertParams } from './request-facts.ts'

const NO_FIELDS = objectOf({})
/** The time in which a body must arrive that is no upload, in milliseconds. */
const BODY_MS = 300_000
const FORM = 'multipart/form-data'

type FollowUp = Call['followUps'][number]

/** Makes the handler of one route: admit, read, perform, record, and reply; an error ends it after it was recorded. */
export function createEndpoint(route: Route, parts: EndpointParts): (context: Context) => Promise<void> {
  const admit = createAdmission(route, parts)
  const read = createContentReader(route, parts)
  const record = createAuditor(route, parts)
  const sendReply = createReplySender(route, parts)

  return async (context) => {
    const call = begin(context)
    try {
      await admit(call)
      await read(call)
      await perform(call, route, parts)
    } catch (error) {
      call.status = parts.explain(error, context.state.locale, context.state.request_id).status
      throw error
    } finally {
      for (const { path } of call.upload?.files ?? []) await rm(path, { force: true })
      if (context.method !== 'GET') parts.limits.outdate()
      if (!call.isReplayed) await record(call)
    }
    await sendReply(call)
  }
}

function begin(context: Context): Call {
  const reading = new AbortController()
  const { res } = context
  res.once('close', () => {
    if (!res.writableFinished) reading.abort(new AppError('CLIENT_LEFT'))
  })
  const content = { params: {}, query: undefined, body: undefined, result: undefined, status: 0 }
  return { context, added: {}, reading, isReplayed: false, followUps: [], signedIn: null, ...content }
}

/** Step one: the rate of strangers, the guards, the room for what is stored or stays open. */
function createAdmission(
  route: Route,
  { guard, limits, sockets, assertStorage, admitChange }: EndpointParts,
) {
  const audited = auditOf(route)
  const isLimited = route.guard === 'public' && !isProbe(route)
  // Signing in stays possible, and so does deleting, which makes space.
  const needsRoom = !['GET', 'DELETE'].includes(route.method) && route.guard !== 'public'
  const isOpenLong = route.stream === 'events' || route.stream === 'response'
  const facts = { transport: 'http', route: route.path, guard: route.guard, scope: route.scope } as const

  return async (call: Call) => {
    const { context, added } = call
    const { headers, ip, method, query, state } = context
    call.params = assertParams(context.params, route.params)
    const { request_id } = state
    const setHeader = (name: string, value: string) => context.set(name, value)
    const request = { ...facts, method, params: call.params, query, headers, ip, request_id, setHeader }
    call.guarded = request
    if (isLimited) await limits.admitAddress(ip)
    try {
      await guard(request, added)
    } finally {
      // Set even if the guard refuses, so the error is localized and the log names the caller.
      state.caller = added.caller
      state.locale = chooseLocale(headers['accept-language'], added.caller?.locale)
    }
    const { params } = call
    if (audited) {
      const change = { action: audited.action, params, headers, caller: added.caller }
      call.followUps = (await admitChange(change)).filter((step) => typeof step === 'function') as FollowUp[]
    }
    if (needsRoom) assertStorage()
    if (isOpenLong && added.caller) limits.assertRoom('sockets', sockets.countOf(added.caller.id))
  }
}

/** Step two: the query and the body, checked by their schemas, or the files. */
function createContentReader(route: Route, { readBody, readUpload }: EndpointParts) {
  const checkQuery = route.query && deferSchema(route.query, 'text')
  // A body that nobody reads is refused like any other unknown field.
  const bodySchema = route.body ?? (route.method === 'GET' ? undefined : NO_FIELDS)
  const checkBody: Validator | undefined = bodySchema && deferSchema(bodySchema, 'json')
  const takesFile = (context: Context): boolean => {
    if (!route.upload) return false
    const { as, media_type } = route.upload
    if (as === 'body' || context.is(FORM) || (media_type && context.is(media_type))) return true
    if (route.body) return false
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', {
      expected: media_type ? `${media_type} or ${FORM}` : FORM,
    })
  }

  return async (call: Call) => {
    const { context } = call
    call.query = route.raw ? { ...context.query } : checkQuery?.({ ...context.query })
    if (takesFile(context)) {
      call.upload = await readUpload(context.req, route.upload!)
      return
    }
    // Only uploads have the time that the server allows.
    const { req } = context
    const late = req.complete ? undefined : setTimeout(req.destroy.bind(req), BODY_MS)
    try {
      if (route.raw) call.bytes = await readBytes(req, route.raw.max_bytes)
      else call.body = checkBody?.(await readBody(context))
    } finally {
      clearTimeout(late)
    }
  }
}

/** Step three: the plugin's handler, at most once for the same `Idempotency-Key`. */
async function perform(call: Call, route: Route, { cradle, repetition }: EndpointParts): Promise<void> {
  const { context, params, query, body, added, upload, bytes } = call
  const { headers, ip, state } = context
  const request = {
    params,
    headers,
    ip,
    request_id: state.request_id,
    locale: state.locale,
    identify(username: string) {
      call.signedIn = username
    },
    note(facts: object) {
      call.notes = facts
    },
    ...added,
    query,
    body,
    ...(route.upload?.max_files ? upload : { file: upload?.files[0] }),
    bytes,
    signal: call.reading.signal,
  }
  const handle = async () => route.handler(request as never, cradle)
  const defaultStatus = Math.min(...Object.keys(route.response).map(Number))
  const key = isRepeatable(route) && context.get('Idempotency-Key')
  if (key && added.caller) {
    const { id: account_id } = added.caller
    const content = [route.path, params, query, upload ? describeUpload(upload) : body]
    const keyed = { key, account_id, defaultStatus, hasFiles: Boolean(upload), parts: content }
    Object.assign(call, await performOnce(keyed, repetition, handle))
  } else call.result = await handle()
  if (route.stream === 'response') call.status = (call.result as Response).status
  else call.status = isChosenReply(call.result) ? call.result.status : defaultStatus
  for (const followUp of call.followUps)
    await followUp(isChosenReply(call.result) ? call.result.body : call.result)
}

/** Identifies the files and fields of an upload in a repeated call; the boundary of a form differs each time. */
const describeUpload = ({ files, fields }: Upload) => [
  files.map(({ filename, media_type, digest }) => [filename, media_type, digest]),
  fields,
]
