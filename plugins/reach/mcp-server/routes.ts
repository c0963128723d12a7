import { AppError } from '#plugin-api'
import { route } from './manifest.ts'
import { jsonRpcMessage, refusal } from './schemas.ts'

/** The largest message that a client may send, in bytes. */
const MAX_BYTES = 1024 * 1024

/** The routes of this plugin. */
export const mcpRoutes = [
  route({
    method: 'POST',
    path: '/mcp',
    operation_id: 'exchangeMcpMessage',
    summary: 'Exchange a message of the Model Context Protocol',
    description:
      'The address of a streamable-HTTP MCP server without sessions, for any MCP client that can send a token of this API. Each agent that you may open is a tool. Replies are JSON or server-sent events, and refusals are in the form of JSON-RPC, if the protocol defines them.',
    guard: 'user',
    scope: 'chat',
    raw: { max_bytes: MAX_BYTES, media_type: 'application/json' },
    stream: 'response',
    response: {
      200: jsonRpcMessage,
      202: null,
      400: refusal,
      404: refusal,
      406: refusal,
      415: refusal,
    },
    errors: ['FORBIDDEN'],
    audit: {
      none: "A message to an agent is its account's alone, as over the WebSocket, and usage is metered.",
    },
  }).handle(({ headers, bytes, caller, locale, request_id, signal }, { mcpServer, server }) => {
    if (!server.isOwnOrigin(headers)) throw new AppError('FORBIDDEN')
    return mcpServer.answer({ headers, bytes, caller, locale, request_id, signal })
  }),
]
