import { nullable, objectOf } from '#kernel'
import { REASONING_LEVELS } from '#plugin-api'
import { decision, pendingFields } from './approval-schemas.ts'
import { inputBlock, queuedTurns, sources, threadId, turnId, usage } from './schemas.ts'

const string = { type: 'string' } as const
const seq = { type: 'integer', minimum: 0 } as const
const ofTurn = { thread_id: string, turn_id: string, seq } as const
/** Frames of what the agent delegated name the tool call by which it did. */
const delegated = { ...ofTurn, parent_tool_call_id: string } as const
const everyTurnField = ['thread_id', 'turn_id', 'seq'] as const

/** Frames that a client sends, by type. */
export const receivedFrames = {
  user_turn: {
    ...objectOf({
      thread_id: threadId,
      session_key: { type: 'string', minLength: 1, maxLength: 128 },
      text: { type: 'string', pattern: '\\S' },
      content: { type: 'array', items: inputBlock, minItems: 1, maxItems: 64 },
      client_message_id: { type: 'string', minLength: 1, maxLength: 128 },
      model: { type: 'string', minLength: 3, maxLength: 256 },
      reasoning: { enum: REASONING_LEVELS },
    }),
    oneOf: [{ required: ['text'] }, { required: ['content'] }],
  },
  ping: objectOf({}),
  subscribe: objectOf({ thread_id: threadId, after_seq: seq }, ['thread_id']),
  stop: objectOf({ thread_id: threadId }, ['thread_id']),
  unqueue: objectOf({ thread_id: threadId, queue_id: turnId }, ['thread_id', 'queue_id']),
} as const

/** Frames that the server sends, by type. Those of a turn carry `thread_id`, `turn_id` and `seq`. */
export const sentFrames = {
  turn_started: objectOf({ ...ofTurn, message_id: string, client_message_id: string }, [
    ...everyTurnField,
    'message_id',
  ]),
  content: objectOf({ ...ofTurn, message_id: string, content: string }, [
    ...everyTurnField,
    'message_id',
    'content',
  ]),
  reasoning: objectOf({ ...ofTurn, message_id: string, content: string }, [...everyTurnField, 'content']),
  tool_call: objectOf({ ...delegated, message_id: string, tool_call_id: string, name: string, input: true }, [
    ...everyTurnField,
    'tool_call_id',
    'name',
    'input',
  ]),
  tool_result: objectOf(
    {
      ...delegated,
      message_id: string,
      tool_call_id: string,
      name: string,
      output: string,
      is_error: { type: 'boolean' },
      sources,
    },
    [...everyTurnField, 'tool_call_id', 'name', 'output', 'is_error'],
  ),
  tool_progress: objectOf({ ...delegated, tool_call_id: string, content: string }, [
    ...everyTurnField,
    'tool_call_id',
    'content',
  ]),
  attachment: objectOf(
    {
      ...delegated,
      message_id: string,
      kind: { enum: ['image', 'video', 'audio', 'file'] },
      path: string,
      filename: string,
      media_type: string,
      url: nullable(string),
    },
    [...everyTurnField, 'kind', 'path', 'filename', 'media_type', 'url'],
  ),
  usage: objectOf(
    { ...delegated, message_id: string, call_id: string, purpose: string, usage, model: string },
    [...everyTurnField, 'usage', 'model'],
  ),
  hitl_required: objectOf({ ...ofTurn, ...pendingFields }, [
    ...everyTurnField,
    'pending_id',
    'action_requests',
    'review_configs',
    'expires_at',
  ]),
  hitl_resolved: objectOf(
    {
      ...ofTurn,
      pending_id: string,
      outcome: { enum: ['decided', 'expired', 'stopped'] },
      decisions: { type: 'array', items: decision },
    },
    [...everyTurnField, 'pending_id', 'outcome', 'decisions'],
  ),
  done: objectOf(
    {
      ...ofTurn,
      message_id: nullable(string),
      usage,
      stop_reason: { enum: ['end', 'stopped', 'max_steps'] },
    },
    [...everyTurnField, 'message_id', 'usage', 'stop_reason'],
  ),
  error: objectOf(
    {
      ...ofTurn,
      message_id: string,
      client_message_id: string,
      code: string,
      message: string,
      details: { type: 'object' },
      request_id: string,
    },
    ['code', 'message', 'details', 'request_id'],
  ),
  turn_status: objectOf(
    {
      thread_id: string,
      active: { type: 'boolean' },
      turn_id: string,
      last_seq: seq,
      paused: { type: 'boolean' },
      queued: queuedTurns,
    },
    ['thread_id', 'active', 'last_seq', 'paused', 'queued'],
  ),
  turn_queued: objectOf(
    {
      thread_id: string,
      client_message_id: string,
      queue_id: { type: 'string', description: 'The `turn_id` that the turn will have' },
      position: { type: 'integer', minimum: 1, description: '1 is the next' },
    },
    ['thread_id', 'queue_id', 'position'],
  ),
  unqueued: objectOf({ thread_id: string, queue_id: string }, ['thread_id', 'queue_id']),
  pong: objectOf({}),
} as const

const { turn_status, turn_queued, unqueued, pong, ...turnFrames } = sentFrames

/** A frame of a turn, as a stream of events sends it. */
export const turnFrame = {
  title: 'TurnFrame',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: Object.entries(turnFrames).map(([type, frame]) => ({
    ...frame,
    properties: { type: { const: type }, ...frame.properties },
    required: ['type', ...frame.required],
  })),
} as const
