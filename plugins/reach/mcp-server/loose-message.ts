import { isObject, type Json } from '#plugin-api'

/** The code of JSON-RPC for parameters that are not accepted. */
export const INVALID_PARAMS = -32_602

/** The prefix of the fields with which clients of the newer protocol introduce themselves in each message. */
const ENVELOPE = 'io.modelcontextprotocol/'
/** The version that is assumed of a client that does not say which one it speaks. */
const DEFAULT_VERSION = '2025-06-18'

/**
 * Normalizes a message, or a list of them: null counts as missing, and what clients leave out about themselves is filled in.
 * Their capabilities are left out, since this server asks them nothing.
 */
export function normalizeMessage(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(normalizeMessage)
  if (!isObject(message) || typeof message.method !== 'string') return message
  const { params, ...others } = message
  const normalized = { jsonrpc: '2.0', ...others }
  const isInitialize = message.method === 'initialize'
  if (!isPresent(params) && !isInitialize) return normalized
  if (isPresent(params) && !isObject(params)) return { ...normalized, params }
  const present = dropNulls(params ?? {}) as Json
  return { ...normalized, params: isInitialize ? normalizeInitialize(present) : normalizeParams(present) }
}

function normalizeInitialize({ protocolVersion, clientInfo, ...others }: Json): Json {
  return {
    ...normalizeParams(others),
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : DEFAULT_VERSION,
    clientInfo: normalizeClientInfo(clientInfo),
    capabilities: {},
  }
}

function normalizeParams({ _meta, cursor, ...others }: Json): Json {
  const params: Json = { ...others }
  if (cursor !== undefined) params.cursor = typeof cursor === 'number' ? String(cursor) : cursor
  if (!isObject(_meta)) return params
  const { progressToken, ...meta } = _meta
  if (typeof progressToken === 'string' || Number.isInteger(progressToken)) meta.progressToken = progressToken
  if (meta[`${ENVELOPE}protocolVersion`] !== undefined) {
    meta[`${ENVELOPE}clientInfo`] = normalizeClientInfo(meta[`${ENVELOPE}clientInfo`])
    meta[`${ENVELOPE}clientCapabilities`] = {}
  }
  return { ...params, _meta: meta }
}

function normalizeClientInfo(info: unknown): Json {
  const { name, version } = isObject(info) ? info : {}
  return { name: isText(name) ? name : 'unknown', version: isText(version) ? version : '0' }
}

/** Describes why the parameters of a message cannot be accepted. */
export function findFault(message: unknown): string | undefined {
  if (!isObject(message) || typeof message.method !== 'string') return undefined
  const { method, params } = message
  if (params === undefined && method !== 'tools/call') return undefined
  const { name, arguments: args, cursor } = isObject(params) ? params : {}
  if (params !== undefined && !isObject(params)) return '"params" must be an object.'
  if (cursor !== undefined && typeof cursor !== 'string') return '"cursor" must be a text.'
  if (method !== 'tools/call') return undefined
  if (!isText(name)) return '"name" must be the name of a tool.'
  return args === undefined || isObject(args) ? undefined : '"arguments" must be an object.'
}

/** Leaves out the members of objects, on all levels, that are null. */
const dropNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(dropNulls)
  if (!isObject(value)) return value
  const present = Object.entries(value).filter(([, part]) => isPresent(part))
  return Object.fromEntries(present.map(([name, part]) => [name, dropNulls(part)]))
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
