import type { AuditRecord } from '../contract/extension-points.ts'
import type { Caller } from '../contract/guard.ts'
import { type AuditSpec, isChosenReply, type Route } from '../contract/route.ts'
import type { JSONSchema } from '../schema.ts'

/** The parts of a call that an audit row is made of. */
export interface AuditedCall {
  context: { ip: string; state: { request_id: string } }
  added: { caller?: Caller }
  params: Record<string, string>
  query: unknown
  body: unknown
  /** The handler's result. */
  result: unknown
  status: number
  /** The name of the person who signs in or tries to, on a route without a caller. */
  signedIn: string | null
  /** Facts that the handler adds to the payload. */
  notes?: object
}

/** Returns the step that writes the audit row of a call; it does nothing on routes without one. */
export function createAuditor(
  route: Route,
  { audit, seconds }: { audit: (record: AuditRecord) => Promise<void>; seconds: () => number },
): (call: AuditedCall) => Promise<void> {
  const spec = auditOf(route)
  return async ({ context, added, params, query, body, result, status, signedIn, notes }) => {
    if (!spec) return
    const payload = recorded(route, { query, body })
    await audit({
      ts: seconds(),
      actor: added.caller?.username ?? signedIn,
      action: spec.action,
      target: nameTarget(route, params) || nameIn(result, spec.target),
      payload: notes ? { ...(payload as object | undefined), ...notes } : payload,
      status,
      ip: context.ip,
      request_id: context.state.request_id,
      credential: added.caller?.credential?.name,
    })
  }
}

/** The content of the route's audit rows; undefined if it writes none. */
export function auditOf({ audit }: Route): AuditSpec | undefined {
  if (typeof audit === 'string') return { action: audit, target: 'id' }
  return audit && 'action' in audit ? audit : undefined
}

/** Joins the parameters of a path, without those that are secrets. */
const nameTarget = ({ params: schema }: Route, params: Record<string, string>): string => {
  const described = (schema?.properties ?? {}) as Record<string, JSONSchema | undefined>
  return Object.entries(params)
    .flatMap(([name, value]) => (described[name]?.writeOnly ? [] : [value]))
    .join('/')
}

/** The payload of an audit row; queries of GET routes are left out, as others may have put them into a link. */
function recorded({ method, query, body }: Route, content: { query: unknown; body: unknown }): unknown {
  if (body) return recordablePart(body, content.body)
  return query && method !== 'GET' ? recordablePart(query, content.query) : undefined
}

/** Returns the name of the new object from a reply; null if the reply has no such field. */
function nameIn(result: unknown, field: string): string | null {
  const content = isChosenReply(result) ? result.body : result
  const name = (content as Record<string, unknown> | undefined)?.[field]
  return typeof name === 'string' ? name : null
}

/**
 * Returns the part of a body that may be logged: what its schema describes and does not mark writeOnly, at any depth.
 * Values that the schema leaves open are left out, because they may hold anything.
 */
export function recordablePart(schema: JSONSchema, value: unknown): unknown {
  const branches = branchesOf(schema)
  if (branches.some(({ writeOnly }) => writeOnly)) return undefined
  if (Array.isArray(value)) {
    const items = union(branches.flatMap((branch) => schemasIn(branch.items)))
    return items && value.map((item) => recordablePart(items, item))
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => {
      const described = union(branches.flatMap((branch) => schemasOfField(branch, name)))
      return [name, described && recordablePart(described, field)]
    })
    const recordable = fields.filter(([, field]) => field !== undefined)
    return recordable.length > 0 || fields.length === 0 ? Object.fromEntries(recordable) : undefined
  }
  return branches.some(isDescribed) ? value : undefined
}

/** A schema and those that it combines. */
function branchesOf(schema: JSONSchema): JSONSchema[] {
  const combined = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (list ?? []) as JSONSchema[])
  return [schema, ...combined.flatMap(branchesOf)]
}

const union = (schemas: JSONSchema[]): JSONSchema | undefined =>
  schemas.length > 0 ? { anyOf: schemas } : undefined

const schemasIn = (schema: unknown): JSONSchema[] =>
  typeof schema === 'object' && schema !== null ? [schema as JSONSchema] : []

const schemasOfField = (branch: JSONSchema, name: string): JSONSchema[] => {
  const properties = (branch.properties ?? {}) as Record<string, unknown>
  return schemasIn(Object.hasOwn(properties, name) ? properties[name] : branch.additionalProperties)
}

const isDescribed = ({ type, enum: values, const: only }: JSONSchema) =>
  type !== undefined || values !== undefined || only !== undefined
