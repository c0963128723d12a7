import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isObject, type Json } from '#plugin-api'
import { isPresent, toLooseNumber, toLooseText, withoutNulls } from './loose-values.ts'

/** A request whose answer is waited for. */
export interface SentRequest {
  id: string | number
  method: string
}

/** Turns what a server sends into messages that the library accepts, which drops all others without a word. */
export type MessageReader = ReturnType<typeof createMessageReader>

/**
 * The functions that read the result of a method. To read another one, write a function that takes the result as the
 * server sent it, whatever that is, and returns it in the form that the library accepts, and add it by the name of the
 * method. It must not throw: a result that cannot be understood is returned as it is, and refused by the library. Any
 * object is accepted as the result of `tools/list` and `tools/call`, so the client reads those by itself.
 */
const RESULTS: Record<string, (result: unknown) => unknown> = {
  initialize: readInitializeResult,
  ping: () => ({}),
}

/** The requests that are remembered: most leave with their answer, but some are never answered. */
const MAX_WAITING = 1000

/** Creates the reader of a connection. */
export function createMessageReader() {
  const waiting = new Map<string, SentRequest>()
  const methods = new Set<string>()

  const findRequest = (id: unknown, request?: SentRequest): SentRequest | undefined => {
    if (isPresent(id)) return waiting.get(toLooseText(id))
    return request ?? (waiting.size === 1 ? [...waiting.values()][0] : undefined)
  }

  const readAnswer = (message: Json, request?: SentRequest): unknown => {
    const { jsonrpc, id, result, error } = message
    const answered = findRequest(id, request)
    if (answered) waiting.delete(String(answered.id))
    const isError = isPresent(error)
    const part = isError ? readError(error) : readResult(result, answered?.method)
    const isUnchanged =
      jsonrpc === '2.0' &&
      (!answered || id === answered.id) &&
      part === (isError ? error : result) &&
      Object.keys(message).length === 3
    if (isUnchanged) return message
    return { jsonrpc: '2.0', id: answered?.id ?? id, ...(isError ? { error: part } : { result: part }) }
  }

  return {
    /** Notes a message that is sent, because an answer does not name its method. */
    note(message: JSONRPCMessage): void {
      if (!('method' in message)) return
      methods.add(message.method)
      if (message.method === 'notifications/cancelled') waiting.delete(String(message.params?.requestId))
      if (!('id' in message)) return
      if (waiting.size >= MAX_WAITING) waiting.delete(waiting.keys().next().value!)
      waiting.set(String(message.id), { id: message.id, method: message.method })
    },
    /** True if a request with this method was sent. */
    hasSent: (method: string): boolean => methods.has(method),
    /** True if a message is a request that is not answered yet. */
    isUnanswered: (message: JSONRPCMessage | SentRequest): boolean =>
      'id' in message && waiting.has(String(message.id)),
    /**
     * Returns a message, as it was if it needs no change. An answer without an id belongs to `request`, or to the only
     * request that waits.
     */
    read(message: unknown, request?: SentRequest): unknown {
      if (!isObject(message)) return message
      if (typeof message.method === 'string') return readRequest(message)
      return 'result' in message || 'error' in message ? readAnswer(message, request) : message
    },
  }
}

/** True for an answer to a request, whether or not its form is right. */
export const isAnswer = (message: unknown): boolean =>
  isObject(message) && message.method === undefined && ('result' in message || 'error' in message)

/** Reads a request or a notification of a server. */
function readRequest(message: Json): unknown {
  const { id, method, params } = message
  const sent = isObject(params) ? withoutNulls(params) : undefined
  const fields = method === 'notifications/progress' ? sent && readProgress(sent) : sent
  return {
    jsonrpc: '2.0',
    ...(isPresent(id) && { id }),
    method,
    ...(fields && { params: fields }),
  }
}

/** Reads a note of progress, whose numbers may be texts. */
function readProgress({ progress, total, message, ...more }: Json): Json {
  const share = toLooseNumber(progress)
  const whole = toLooseNumber(total)
  return {
    ...more,
    progress: Number.isFinite(share) ? share : 0,
    ...(Number.isFinite(whole) && { total: whole }),
    ...(typeof message === 'string' && { message }),
  }
}

function readResult(result: unknown, method?: string): unknown {
  const plain = isObject(result) && result._meta === null ? withoutNulls(result) : result
  return method !== undefined && Object.hasOwn(RESULTS, method) ? RESULTS[method]!(plain) : plain
}

/** Reads an error, which may be a text, or have a code that is a text. */
function readError(error: unknown): unknown {
  if (!isObject(error)) return { code: -32603, message: toLooseText(error) }
  const { code, message } = error
  if (Number.isInteger(code) && typeof message === 'string') return error
  const { data } = error
  return {
    code: Number.isInteger(toLooseNumber(code)) ? toLooseNumber(code) : -32603,
    message: typeof message === 'string' ? message : describe(message ?? data),
    ...(isPresent(data) && { data }),
  }
}

const describe = (value: unknown) => (isPresent(value) ? toLooseText(value) : 'The server gave no reason.')

/** The versions that a server can have agreed to, the latest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']
/** The version that the protocol says to assume if a server names none. */
const ASSUMED_VERSION = '2025-03-26'

/**
 * Reads the result of `initialize`. A server that names no version, or one that does not exist, is taken for one of the
 * latest version that is not later than its own: the requests that are made of it are the same in all versions.
 */
function readInitializeResult(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result
  const { protocolVersion, capabilities, serverInfo, instructions } = result as Json
  return {
    protocolVersion: readVersion(protocolVersion),
    capabilities: readCapabilities(capabilities),
    serverInfo: readServer(serverInfo),
    ...(typeof instructions === 'string' && { instructions }),
  }
}

const readVersion = (version: unknown): string =>
  typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version)
    ? (VERSIONS.find((agreed) => agreed <= version) ?? VERSIONS.at(-1)!)
    : ASSUMED_VERSION

/** Without capabilities, a server is asked for its tools. PHP writes an empty object as a list. */
function readCapabilities(capabilities: unknown): Json {
  if (typeof capabilities !== 'object' || capabilities === null) return { tools: {} }
  const entries = Object.entries(capabilities).flatMap(([name, value]): [string, unknown][] => {
    if (value === true || (Array.isArray(value) && value.length === 0)) return [[name, {}]]
    return isObject(value) ? [[name, withoutNulls(value)]] : []
  })
  return Object.fromEntries(entries)
}

function readServer(server: unknown): Json {
  const { name, version, title } = Object(server) as Json
  return {
    name: toLooseText(name ?? 'unknown'),
    version: toLooseText(version ?? 'unknown'),
    ...(typeof title === 'string' && { title }),
  }
}
