import { nullable, objectOf } from '#kernel'
import { decision, inputBlock, pendingFields, sources } from '../chat/schemas.ts'

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const
const id = { type: 'string', minLength: 1, maxLength: 1024 } as const

/** What is added up is bounded, so that the sums stay numbers. */
const MOST = 1_000_000_000_000
const tokens = { type: 'integer', minimum: 0, maximum: MOST } as const
const usage = objectOf(
  {
    input_tokens: tokens,
    output_tokens: tokens,
    total_tokens: tokens,
    cached_input_tokens: tokens,
    reasoning_tokens: tokens,
  },
  ['input_tokens', 'output_tokens', 'total_tokens'],
)

const delegated = { message_id: id, parent_tool_call_id: id } as const
const said = objectOf({ message_id: id, content: string }, ['message_id', 'content'])

/** What the frame of an event may hold when it comes from elsewhere, by the event's type. */
export const frameSchemas = {
  turn_started: objectOf({ message_id: id, client_message_id: id }, ['message_id']),
  content: said,
  reasoning: said,
  tool_call: objectOf({ ...delegated, tool_call_id: id, name: string, input: true }, [
    'message_id',
    'tool_call_id',
    'name',
    'input',
  ]),
  tool_result: objectOf(
    { ...delegated, tool_call_id: id, name: string, output: string, is_error: boolean, sources },
    ['message_id', 'tool_call_id', 'name', 'output', 'is_error'],
  ),
  tool_progress: objectOf({ parent_tool_call_id: id, tool_call_id: id, content: string }, [
    'tool_call_id',
    'content',
  ]),
  attachment: objectOf(
    {
      ...delegated,
      kind: { enum: ['image', 'video', 'audio', 'file'] },
      path: { type: 'string', minLength: 1, maxLength: 1024 },
      filename: { type: 'string', minLength: 1, maxLength: 255 },
      media_type: { type: 'string', pattern: '^[\\w.+-]+/[\\w.+-]+$', maxLength: 127 },
      url: nullable({ type: 'string', maxLength: 4096 }),
    },
    ['message_id', 'kind', 'path', 'filename', 'media_type', 'url'],
  ),
  usage: objectOf({ ...delegated, call_id: id, purpose: { const: 'summary' }, usage, model: string }, [
    'usage',
    'model',
  ]),
  hitl_required: objectOf(pendingFields, ['pending_id', 'action_requests', 'review_configs', 'expires_at']),
  hitl_resolved: objectOf(
    {
      pending_id: id,
      outcome: { enum: ['decided', 'expired', 'stopped'] },
      decisions: { type: 'array', items: decision, maxItems: 16 },
    },
    ['pending_id', 'outcome', 'decisions'],
  ),
  done: objectOf(
    { message_id: nullable(id), usage, stop_reason: { enum: ['end', 'stopped', 'max_steps'] } },
    ['message_id', 'usage', 'stop_reason'],
  ),
  error: objectOf(
    {
      message_id: id,
      code: string,
      message: string,
      details: { type: 'object', additionalProperties: true },
      request_id: string,
    },
    ['code', 'message', 'details', 'request_id'],
  ),
} as const

/** How long things took, besides what an exported event must be anyway. */
export const spanSchema = {
  properties: { ms: { maximum: MOST }, first_token_ms: { maximum: MOST } },
} as const

/** What a user said, in `turn_started`. */
export const inputSchema = { type: 'array', items: inputBlock, maxItems: 64 } as const
