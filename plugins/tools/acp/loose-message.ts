import { isObject, type Json, JsonTooComplex, parseJson } from '#plugin-api'
import { RunnerFailure } from './errors.ts'

/** A message of a runner. */
export interface Message {
  jsonrpc: '2.0'
  id?: string | number
  method?: string
  params?: unknown
  result?: unknown
  error?: unknown
}

const KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always']

/**
 * Parses a request, a notification, or the answer to an open request; undefined for everything else. Null counts as
 * missing, and an id may come back as a text. Throws a RunnerFailure for JSON that is too complex.
 */
export function parseMessage(line: Buffer, openRequestIds: ReadonlySet<unknown>): Message | undefined {
  const message = parseObject(line)
  if (!message || (isPresent(message.jsonrpc) && message.jsonrpc !== '2.0')) return undefined
  const { id, method, params, result, error } = message
  const idPart = typeof id === 'string' || typeof id === 'number' ? { id } : {}
  if (isPresent(id) && !('id' in idPart)) return undefined
  if (isPresent(method))
    return typeof method === 'string'
      ? { jsonrpc: '2.0', ...idPart, method, params: mendParams(method, params) }
      : undefined
  const ownId = typeof id === 'string' && !openRequestIds.has(id) && /^\d+$/.test(id) ? Number(id) : idPart.id
  if (ownId === undefined || !openRequestIds.has(ownId)) return undefined
  return { jsonrpc: '2.0', id: ownId, ...(isPresent(error) ? { error } : { result: result ?? null }) }
}

function parseObject(line: Buffer): Json | undefined {
  try {
    const value = parseJson(line.toString())
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof JsonTooComplex)
      throw new RunnerFailure(`sent a message that is too complex: ${error.message}, so it was ended`)
    return undefined
  }
}

/** Mends the requests that the library checks strictly: a refused request would end the work of the runner. */
function mendParams(method: string, params: unknown): unknown {
  if (method === 'session/request_permission') {
    const { toolCall, options, ...others } = toObject(params)
    const { toolCallId, ...call } = toObject(toolCall)
    return {
      ...others,
      sessionId: toText(others.sessionId),
      toolCall: { ...call, toolCallId: toText(toolCallId) },
      options: Array.isArray(options) ? options.flatMap(mendOption) : [],
    }
  }
  if (method !== 'fs/read_text_file') return params ?? undefined
  const { line, limit, ...others } = toObject(params)
  return { ...others, sessionId: toText(others.sessionId), line: toCount(line), limit: toCount(limit) }
}

/** Mends an option of a permission; one of an unknown kind is read by its words. */
function mendOption(option: unknown): Json[] {
  const { optionId, id, name, kind, ...others } = toObject(option)
  const ownId = toText(optionId ?? id)
  if (ownId === '') return []
  const words = `${ownId} ${toText(name)} ${toText(kind)}`
  const guess = `${/reject|den(?:y|ied)|refuse|decline|cancel|\bno\b/i.test(words) ? 'reject' : 'allow'}_${/always|session|forever/i.test(words) ? 'always' : 'once'}`
  return [
    {
      ...others,
      optionId: ownId,
      name: toText(name) || ownId,
      kind: KINDS.includes(toText(kind)) ? kind : guess,
    },
  ]
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null
const toObject = (value: unknown): Json => (isObject(value) ? value : {})
const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Returns a number of lines; undefined for anything else. */
const toCount = (value: unknown): number | undefined => {
  const count = typeof value === 'string' ? Number.parseInt(value, 10) : value
  return Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined
}
