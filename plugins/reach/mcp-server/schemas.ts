import { objectOf, rowOf } from '#plugin-api'

const threadId = { type: 'string', minLength: 1, maxLength: 64 } as const

/** The arguments of a tool. */
export const toolInput = {
  ...objectOf(
    {
      message: { type: 'string', pattern: '\\S', description: 'The message to the agent' },
      thread_id: {
        ...threadId,
        description: 'The thread to continue, from an earlier result; without it, a new thread begins',
      },
    },
    ['message'],
  ),
} as const

/** The structured result of a tool. */
export const toolOutput = rowOf({
  text: { type: 'string', description: "The agent's answer, or the reason why there is none yet" },
  thread_id: { ...threadId, description: 'The thread of the message, for the next one' },
} as const)

/** The id of a call; null if it could not be read. */
const callId = { type: ['string', 'number', 'null'], examples: [1] } as const

/** A message of JSON-RPC 2.0; the protocol defines the fields of each. */
export const jsonRpcMessage = {
  title: 'JsonRpcMessage',
  examples: [{ jsonrpc: '2.0', id: 1, result: { tools: [] } }],
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: callId,
    method: { type: 'string', examples: ['tools/call'] },
    params: { type: 'object', additionalProperties: true },
    result: { type: 'object', additionalProperties: true },
    error: { type: 'object', additionalProperties: true },
  },
  required: ['jsonrpc'],
} as const

/** A refusal by the protocol, whose `code` is a number, or by this API. */
export const refusal = {
  title: 'McpRefusal',
  examples: [{ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Not Acceptable' } }],
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: callId,
    error: {
      type: 'object',
      properties: {
        code: { type: ['integer', 'string'] },
        message: { type: 'string', examples: ['Unsupported protocol version'] },
      },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
} as const
