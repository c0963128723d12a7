import type { Context } from 'koa'
import { chooseLocale } from '../locale.ts'
import { compileSchema, type JSONSchema } from '../schema.ts'
import type { AuditRecord, Cradle } from '../types.ts'
import { callerIn } from './guard.ts'
import type { GuardChain } from './guard-chain.ts'
import { assertParams } from './params.ts'
import { isChosenReply, type Route } from './route.ts'

/** What serving a route needs besides the route. */
export interface EndpointParts {
  guard: GuardChain
  cradle: Cradle
  readBody: (context: Context) => Promise<unknown>
  /** Called with replies that do not fit their schema; may throw. */
  onWrongReply: (error: unknown) => void
  audit: (record: AuditRecord) => Promise<void>
  /** The status that an error is answered with. */
  statusOf: (error: unknown) => number
  /** Unix seconds. */
  seconds: () => number
}

/** Makes the handler of one route: guard, then body, then validation, then the plugin, then the reply. */
export function createEndpoint(route: Route, parts: EndpointParts): (context: Context) => Promise<void> {
  const checkQuery = route.query && compileSchema(route.query, 'text')
  const checkBody = route.body && compileSchema(route.body, 'json')
  const redactBody = route.body ? withoutSecrets(route.body) : () => undefined
  const statuses = Object.keys(route.response).map(Number)
  const checkReply = new Map(
    statuses.flatMap((status) => {
      const schema = route.response[status]
      return schema ? [[status, compileSchema(schema, 'reply')]] : []
    }),
  )

  return async (context) => {
    const { state, headers } = context
    const params = assertParams(context.params)
    const added = await parts.guard({
      transport: 'http',
      method: context.method,
      params,
      query: context.query,
      headers,
      ip: context.ip,
      request_id: state.request_id,
      route: route.path,
      setHeader: (name, value) => context.set(name, value),
    })
    const caller = callerIn(added)
    state.caller = caller
    state.locale = chooseLocale(headers['accept-language'], caller?.locale)
    const facts = { params, headers, ip: context.ip, request_id: state.request_id, locale: state.locale }
    const query = checkQuery?.({ ...context.query })
    const body = checkBody?.(await parts.readBody(context))

    let status: number
    let result: unknown
    try {
      result = await route.handler({ ...facts, ...added, query, body } as never, parts.cradle)
      status = isChosenReply(result) ? result.status : statuses[0]!
    } catch (error) {
      status = parts.statusOf(error)
      throw error
    } finally {
      if (route.audit)
        await parts.audit({
          ts: parts.seconds(),
          actor: caller?.username ?? null,
          action: route.audit,
          target: Object.values(params).join('/') || idIn(result),
          payload: redactBody(body),
          status: status!,
          ip: context.ip,
          request_id: state.request_id,
        })
    }

    const content = isChosenReply(result) ? result.body : result
    if (isChosenReply(result)) context.set(result.headers)
    try {
      checkReply.get(status)?.(content)
    } catch (error) {
      parts.onWrongReply(error)
    }
    context.status = status
    context.body = route.response[status] === null ? null : content
  }
}

const idIn = (result: unknown): string | null => {
  const content = isChosenReply(result) ? result.body : result
  const id = (content as { id?: unknown } | undefined)?.id
  return typeof id === 'string' ? id : null
}

/** Makes a copier of bodies that leaves out the fields marked writeOnly, at any depth that the schema describes. */
function withoutSecrets(schema: JSONSchema): (body: unknown) => unknown {
  const properties = (schema.properties ?? {}) as Record<string, JSONSchema>
  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
    return Object.fromEntries(
      Object.entries(body)
        .filter(([name]) => !properties[name]?.writeOnly)
        .map(([name, value]) => [name, properties[name] ? withoutSecrets(properties[name])(value) : value]),
    )
  }
}
