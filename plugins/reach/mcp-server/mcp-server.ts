import { createHash } from 'node:crypto'
import type {
  CallToolRequest,
  CallToolResult,
  ListToolsResult,
  McpHttpHandler,
  McpRequestContext,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server'
import {
  AppError,
  deferSchema,
  type Issue,
  JsonTooComplex,
  type Locale,
  parseJson,
  type TypeOf,
} from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import { ask } from './ask.ts'
import { findFault, INVALID_PARAMS, normalizeMessage } from './loose-message.ts'
import type { Cradle } from './manifest.ts'
import { say } from './phrases.ts'
import { createProgress, readAccept, toJsonReply } from './reply-form.ts'
import { idOf, toRefusal, toResult, withLastMessage } from './results.ts'

import { toolInput } from './schemas.ts'
import { findAgentOf, toTool } from './tools.ts'

type Library = typeof import('@modelcontextprotocol/server')

/** The most tools of a page. */
const PAGE = 100
const SESSION = 'mcp-session-id'
/** The code of JSON-RPC for a message that is not accepted. */
const INVALID_REQUEST = -32_600

const checkInput = deferSchema<TypeOf<typeof toolInput>>(toolInput, 'json')

/** A request of a client, whose body is a message of the protocol. */
interface McpRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>
  bytes: Uint8Array
  caller: AuthCaller
  locale: Locale
  request_id: string
  signal: AbortSignal
}

/** A request as the handlers of messages know it; `session` is the client's name of its session. */
interface Visit extends Pick<McpRequest, 'caller' | 'locale' | 'request_id'> {
  session: string | undefined
  /** The address that relative addresses refer to. */
  base: string
}

/** Answers messages of the Model Context Protocol; keeps nothing between two of them. */
export type McpServer = ReturnType<typeof createMcpServer>

/** Creates the server. The library is loaded with the first message, as that takes longer than a start may. */
export function createMcpServer(cradle: Cradle) {
  const { ids, log, server: facts } = cradle
  let opening: Promise<McpHttpHandler> | undefined
  const open = async () => {
    const library = await import('@modelcontextprotocol/server')
    return library.createMcpHandler((context) => createServer(library, visitOf(context), cradle), {
      // A turn may take minutes, during which the comments of a stream keep the connection open.
      responseMode: 'sse',
      onerror: (error) => log.debug({ error }, 'a message was refused'),
    })
  }

  return {
    async answer({ headers, bytes, caller, locale, request_id, signal }: McpRequest): Promise<Response> {
      opening ??= open()
      const handler = await opening
      const base = facts.public_url ?? `http://${headers.host}`
      const session = headers[SESSION] as string | undefined
      const visit: Visit = { caller, locale, request_id, session, base }
      const parsed = parse(bytes)
      if (parsed instanceof JsonTooComplex)
        return refuseMessage(INVALID_REQUEST, `Invalid Request: ${parsed.message}.`)
      const message = normalizeMessage(parsed)
      const fault = [message].flat().map(findFault).find(Boolean)
      if (fault !== undefined) return refuseMessage(INVALID_PARAMS, fault, message)
      const { accept, isJsonOnly } = readAccept(headers.accept)
      const request = new Request(new URL('/api/mcp', base), {
        method: 'POST',
        headers: singleHeaders({ ...headers, accept }),
        body: bytes,
        signal,
      })
      const response = await handler.fetch(request, {
        authInfo: { token: '', clientId: caller.id, scopes: [], extra: { visit } },
        parsedBody: message,
      })
      // No server remembers the name. It tells apart the requests of two clients, so that any server can
      // find the turn that a client cancels.
      if (isInitialize(message) && response.ok) {
        response.headers.set(SESSION, ids.make())
        response.headers.set('access-control-expose-headers', SESSION)
      }
      const explain = (error: AppError) => cradle.explainError(error, locale, request_id)
      const reply = withLastMessage(response, { message, signal, explain })
      return isJsonOnly ? toJsonReply(reply, Array.isArray(message)) : reply
    },
  }
}

const visitOf = ({ authInfo }: McpRequestContext) => authInfo!.extra!.visit as Visit

/** Creates the server of one message. */
function createServer(library: Library, visit: Visit, cradle: Cradle): Server {
  const { caller, locale, request_id, session } = visit
  const { agents, chat, threads, explainError, server: facts } = cradle
  const info = { name: 'agent-platform-service', title: 'Agent Platform Service', version: facts.version }
  const options = { capabilities: { tools: {} }, instructions: say('instructions', locale) }
  const server = new library.Server(info, options)
  const explain = (error: unknown) => explainError(error, locale, request_id)
  const refuse = (error: unknown) => {
    const { InvalidParams, InternalError } = library.ProtocolErrorCode
    const { message } = explain(error)
    return new library.ProtocolError(error instanceof AppError ? InvalidParams : InternalError, message)
  }

  server.setRequestHandler('tools/list', async ({ params }): Promise<ListToolsResult> => {
    try {
      const { rows, next } = await agents.list(caller, 'mine', { limit: PAGE, cursor: params?.cursor })
      const tools = rows.map((agent) => toTool(agent, caller.id, locale))
      return { tools, ...(next !== null && { nextCursor: next }) }
    } catch (error) {
      throw refuse(error)
    }
  })
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult> => {
    const agent = await findAgentOf(params.name, caller, agents).catch((error) => {
      throw refuse(error)
    })
    try {
      const question = { ...checkInput(params.arguments ?? {}), agent, caller, locale, request_id }
      const answer = await ask({ ...question, ...waiting(params, context.mcpReq, visit, cradle) }, cradle)
      return toResult(answer, { locale, base: visit.base })
    } catch (error) {
      if (context.mcpReq.signal.aborted) throw error
      const { message, details } = explain(error)
      return toRefusal([message, ...describeIssues(details.issues)].join('\n'))
    }
  })
  server.setNotificationHandler('notifications/cancelled', async ({ params: { requestId } }) => {
    if (session === undefined || requestId === undefined) return
    const client_message_id = nameRequest(session, requestId)
    const turn = await chat.findRepeated({ user_id: caller.id }, client_message_id)
    if (turn) await chat.cancel(await threads.get(turn, turn.thread_id), client_message_id)
  })
  return server
}

/** Returns the id of a call's message, the signal that ends it, and the listener to its progress. */
function waiting(
  { _meta }: CallToolRequest['params'],
  { id, signal, notify }: ServerContext['mcpReq'],
  { session, locale }: Visit,
  { clock, ids }: Cradle,
) {
  const progressToken = _meta?.progressToken
  const onProgress =
    progressToken === undefined
      ? () => undefined
      : createProgress({ clock, locale }, (progress, message) => {
          const params = { progressToken, progress, message }
          // A client that has left is noticed by the signal.
          notify({ method: 'notifications/progress', params }).catch(() => undefined)
        })
  const client_message_id = session === undefined ? ids.make('mcp_') : nameRequest(session, id)
  return { client_message_id, signal, onProgress }
}

/** Returns the name of a request on all servers; a client uses an id once in a session. */
const nameRequest = (session: string, id: string | number) =>
  `mcp_${createHash('sha256')
    .update(JSON.stringify([session, id]))
    .digest('base64url')}`

const describeIssues = (issues: unknown): string[] =>
  Array.isArray(issues) ? (issues as Issue[]).map(({ path, message }) => `${path} ${message}`) : []

/** Returns undefined if the bytes are not JSON, which the library explains, and the error for too much of it. */
function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytes))
  } catch (error) {
    return error instanceof JsonTooComplex ? error : undefined
  }
}

/** Refuses a message in the form of JSON-RPC. */
function refuseMessage(code: number, sentence: string, message?: unknown): Response {
  return Response.json(
    { jsonrpc: '2.0', error: { code, message: sentence }, id: idOf(message) },
    { status: 400 },
  )
}

const isInitialize = (message: unknown): boolean =>
  (message as { method?: unknown } | null | undefined)?.method === 'initialize'

/** Returns the headers that have one value. */
function singleHeaders(headers: McpRequest['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
}
