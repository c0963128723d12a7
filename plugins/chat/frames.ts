import { nullable, objectOf, rowOf } from '#kernel'
import { REASONING_LEVELS } from '#plugin-api'
import { decision, pendingFields } from './approval-schemas.ts'
import { inputBlock, queuedTurns, sources, threadId, turnId, usage } from './schemas.ts'

const string = { type: 'string' } as const
const seq = { type: 'integer', minimum: 0 } as const
/** A frame that belongs to a delegated task names the tool call that delegated it. */
const delegated = { parent_tool_call_id: string } as const
const position = { thread_id: string, turn_id: string, seq } as const

/** Adds the position of a frame in its thread to its fields. */
const ofTurn = <const Properties extends Record<string, unknown>, const Required extends readonly string[]>({
  properties,
  required,
}: {
  properties: Properties
  required: Required
}) =>
  ({
    type: 'object',
    properties: { ...position, ...properties },
    required: ['thread_id', 'turn_id', 'seq', ...required],
    additionalProperties: false,
  }) as const

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
  stop: rowOf({ thread_id: threadId }),
  unqueue: rowOf({ thread_id: threadId, queue_id: turnId }),
} as const

/** The fields of each frame of a turn besides `thread_id`, `turn_id` and `seq`, by type. */
export const turnFrameFields = {
  turn_started: objectOf({ message_id: string, client_message_id: string }, ['message_id']),
  content: rowOf({ message_id: string, content: string }),
  reasoning: rowOf({ message_id: string, content: string }),
  tool_call: rowOf({ ...delegated, message_id: string, tool_call_id: string, name: string, input: true }, [
    'parent_tool_call_id',
  ]),
  tool_result: rowOf(
    {
      ...delegated,
      message_id: string,
      tool_call_id: string,
      name: string,
      output: string,
      is_error: { type: 'boolean' },
      sources,
    },
    ['parent_tool_call_id', 'sources'],
  ),
  /** Progress of a running call; only subscribers see it, no message contains it. */
  tool_progress: rowOf({ ...delegated, tool_call_id: string, content: string }, ['parent_tool_call_id']),
  attachment: rowOf(
    {
      ...delegated,
      message_id: string,
      kind: { enum: ['image', 'video', 'audio', 'file'] },
      path: string,
      filename: string,
      media_type: string,
      url: nullable(string),
    },
    ['parent_tool_call_id'],
  ),
  /** A model call that belongs to no message has a `purpose` instead. */
  usage: objectOf(
    {
      ...delegated,
      message_id: string,
      call_id: string,
      purpose: { const: 'summary' },
      usage,
      model: string,
    },
    ['usage', 'model'],
  ),
  hitl_required: rowOf(pendingFields),
  /** `decisions` has one entry for each request, and none if the turn was stopped. */
  hitl_resolved: rowOf({
    pending_id: string,
    outcome: { enum: ['decided', 'expired', 'stopped'] },
    decisions: { type: 'array', items: decision },
  }),
  done: rowOf({
    message_id: nullable(string),
    usage,
    stop_reason: { enum: ['end', 'stopped', 'max_steps'] },
  }),
  /** `message_id` is that of the reply which shows the error. */
  error: rowOf(
    {
      message_id: string,
      code: string,
      message: string,
      details: { type: 'object', additionalProperties: true },
      request_id: string,
    },
    ['message_id'],
  ),
} as const

/** Frames that the server sends, by type. Those of a turn carry `thread_id`, `turn_id` and `seq`. */
export const sentFrames = {
  turn_started: ofTurn(turnFrameFields.turn_started),
  content: ofTurn(turnFrameFields.content),
  reasoning: ofTurn(turnFrameFields.reasoning),
  tool_call: ofTurn(turnFrameFields.tool_call),
  tool_result: ofTurn(turnFrameFields.tool_result),
  tool_progress: ofTurn(turnFrameFields.tool_progress),
  attachment: ofTurn(turnFrameFields.attachment),
  usage: ofTurn(turnFrameFields.usage),
  hitl_required: ofTurn(turnFrameFields.hitl_required),
  hitl_resolved: ofTurn(turnFrameFields.hitl_resolved),
  done: ofTurn(turnFrameFields.done),
  /** Also the answer to a frame that was refused, which belongs to no turn. */
  error: objectOf(
    { ...position, client_message_id: string, ...turnFrameFields.error.properties },
    turnFrameFields.error.required,
  ),
  turn_status: rowOf(
    {
      thread_id: string,
      active: { type: 'boolean' },
      turn_id: string,
      last_seq: seq,
      paused: { type: 'boolean' },
      queued: queuedTurns,
    },
    ['turn_id'],
  ),
  turn_queued: rowOf(
    {
      thread_id: string,
      client_message_id: string,
      queue_id: { type: 'string', description: 'The `turn_id` that the turn will have' },
      position: { type: 'integer', minimum: 1, description: '1 is the next' },
    },
    ['client_message_id'],
  ),
  unqueued: rowOf({ thread_id: string, queue_id: string }),
  pong: objectOf({}),
} as const

/** A frame of a turn, as a stream of events sends it. */
export const turnFrame = {
  title: 'TurnFrame',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: Object.keys(turnFrameFields).map((type) => {
    const { properties, required, ...frame } = sentFrames[type as keyof typeof turnFrameFields]
    return {
      ...frame,
      properties: { type: { const: type }, ...properties },
      required: ['type', ...required],
    }
  }),
} as const
