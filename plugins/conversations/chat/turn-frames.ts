import { nullable, objectOf, rowOf } from '#plugin-api'
import { decision, pendingFields } from './approval-schemas.ts'
import { byProvider, noticeFields, sources, stopReason, usage } from './message-schemas.ts'

const string = { type: 'string' } as const
/** The position of a frame. */
export const seq = {
  type: 'integer',
  minimum: 0,
  description: 'The position in the thread; rises by one with each frame of a turn',
  examples: [7],
} as const
/** Returns the schema of a text. */
export const text = (description: string, example: string) =>
  ({ type: 'string', description, examples: [example] }) as const

export const thread = text('The thread', 'thr_01KAQ2V8M3')
const messageId = text('The stored message that shows the frame', 'msg_01KAQ2VBX9')
const callId = text('The call; a result has the id of its call', 'call_1')
export const clientMessageId = text('The name that the client gave to the message', '6f0d2c9e')
/** A frame that belongs to a delegated task names the tool call that delegated it. */
const delegated = {
  parent_tool_call_id: {
    type: 'string',
    description: 'The call of `task` or `ask_agent` that the frame belongs to',
  },
} as const

/** The fields of each frame of a turn besides `thread_id`, `turn_id` and `seq`, by type. */
export const turnFrameFields = {
  turn_started: objectOf(
    {
      message_id: messageId,
      client_message_id: clientMessageId,
      after_message_id: {
        ...nullable(string),
        description:
          'The message that the turn continues from, after which readers drop what followed; null at the start of a thread. For a new version of an answer, it is the message that it answers, like `message_id`',
        examples: [null],
      },
    },
    ['message_id'],
  ),
  content: rowOf({ message_id: messageId, content: text('Text to append', 'It is ') }),
  reasoning: rowOf({ message_id: messageId, content: text('Text to append', 'The user asks about Oslo.') }),
  tool_call: rowOf(
    {
      ...delegated,
      message_id: messageId,
      tool_call_id: callId,
      name: text('The tool', 'web_fetch'),
      input: { description: 'The arguments of the call', examples: [{ url: 'https://example.com/oslo' }] },
      by_provider: byProvider,
    },
    ['parent_tool_call_id', 'by_provider'],
  ),
  tool_result: rowOf(
    {
      ...delegated,
      message_id: messageId,
      tool_call_id: callId,
      name: text('The tool', 'web_fetch'),
      output: text('What the model reads as result', 'Oslo: 4 °C, light rain'),
      is_error: { type: 'boolean', description: 'True if the call failed' },
      sources,
    },
    ['parent_tool_call_id', 'sources'],
  ),
  tool_progress: rowOf(
    { ...delegated, tool_call_id: callId, content: text('The progress so far', 'Reading 3 of 12 files') },
    ['parent_tool_call_id'],
  ),
  attachment: rowOf(
    {
      ...delegated,
      message_id: messageId,
      kind: { enum: ['image', 'video', 'audio', 'file'], examples: ['file'] },
      path: text("The path in the agent's workspace", 'reports/oslo.pdf'),
      filename: text('The name to save it under', 'oslo.pdf'),
      media_type: text('The media type', 'application/pdf'),
      url: {
        ...nullable(string),
        description: 'The address of the file below the server; null if it cannot be read over the API',
        examples: ['/api/agents/assistant/files/content?path=reports%2Foslo.pdf'],
      },
    },
    ['parent_tool_call_id'],
  ),
  usage: objectOf(
    {
      ...delegated,
      message_id: string,
      call_id: { type: 'string', description: 'The call of the model' },
      purpose: {
        const: 'summary',
        description: 'Set instead of `message_id` if the call belongs to no message',
      },
      usage,
      model: text('The model, `<provider>:<model>`', 'demo:demo'),
    },
    ['usage', 'model'],
  ),
  notice: rowOf({ message_id: messageId, ...noticeFields }, ['details']),
  hitl_required: rowOf(pendingFields),
  hitl_resolved: rowOf({
    pending_id: text('The pause that ended', '01KAQ2VD11'),
    outcome: { title: 'ApprovalOutcome', enum: ['decided', 'expired', 'stopped'] },
    decisions: {
      type: 'array',
      items: decision,
      description: 'One for each request; empty if the turn was stopped',
    },
  }),
  path_changed: rowOf({
    message_id: text('The message that the path now leads through', 'msg_01KAQ2VBX9'),
  }),
  done: rowOf(
    {
      message_id: {
        ...nullable(string),
        description: 'The stored reply; null if there is none',
        examples: ['msg_01KAQ2VBX9'],
      },
      usage,
      stop_reason: stopReason,
      sources: { ...sources, description: 'The sources of the answer' },
    },
    ['sources'],
  ),
  /** `message_id` is that of the reply which shows the error. */
  error: rowOf(
    {
      message_id: { type: 'string', description: 'The reply that shows the error' },
      code: text('Decide by this', 'THREAD_BUSY'),
      message: text('A sentence for people', '8 turns of this thread are already queued.'),
      details: { type: 'object', additionalProperties: true, examples: [{ waiting: 8 }] },
      request_id: text('Quote this in reports', '01KAQ2VE40'),
    },
    ['message_id'],
  ),
} as const
