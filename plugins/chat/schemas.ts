import { nullable, objectOf, rowOf } from '#kernel'
import { pageQuery } from '#toolbox'
import { decision, pendingFields } from './approval-schemas.ts'

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const
const boolean = { type: 'boolean' } as const

export const path = { type: 'string', minLength: 1, maxLength: 1024 } as const
export const filename = { type: 'string', minLength: 1, maxLength: 255 } as const
export const mediaType = {
  type: 'string',
  pattern: '^[\\w.+-]+/[\\w.+-]+$',
  maxLength: 127,
  examples: ['application/pdf'],
} as const

export const threadId = {
  type: 'string',
  pattern: '^thr_\\w{1,64}$',
  examples: ['thr_01KDVMF0000000000000000001'],
} as const

export const turnId = {
  type: 'string',
  pattern: '^trn_\\w{1,64}$',
  examples: ['trn_01KDVMF0000000000000000001'],
} as const

const fileFields = { path, filename, media_type: mediaType } as const

const textBlock = { title: 'TextBlock', ...rowOf({ type: { const: 'text' }, text: string }) } as const
const imageBlock = { title: 'ImageBlock', ...rowOf({ type: { const: 'image' }, ...fileFields }) } as const
const fileBlock = { title: 'FileBlock', ...rowOf({ type: { const: 'file' }, ...fileFields }) } as const

/** A part of a user's message. */
export const inputBlock = {
  title: 'InputBlock',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [textBlock, imageBlock, fileBlock],
} as const

/** A part of a message. */
export const block = {
  title: 'Block',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    textBlock,
    rowOf({ type: { const: 'thinking' }, thinking: string }),
    rowOf({ type: { const: 'tool_use' }, id: string, name: string, input: true }),
    rowOf({ type: { const: 'tool_result' }, id: string, name: string, output: string, is_error: boolean }),
    imageBlock,
    fileBlock,
  ],
} as const

export const usage = {
  title: 'Usage',
  ...rowOf(
    {
      input_tokens: { type: 'integer', examples: [812] },
      output_tokens: { type: 'integer', examples: [64] },
      total_tokens: { type: 'integer', examples: [876] },
      cached_input_tokens: integer,
      reasoning_tokens: integer,
    },
    ['cached_input_tokens', 'reasoning_tokens'],
  ),
} as const

const toolNames = {
  type: 'array',
  items: { type: 'string', pattern: '^[\\w-]{1,64}$' },
  maxItems: 64,
  description: 'Tools that need no approval in this thread',
} as const

/** Files that turns made. */
export const artifacts = {
  type: 'array',
  items: {
    title: 'Artifact',
    ...rowOf({ ...fileFields, url: string }),
  },
} as const

/** The sources that tools took their outputs from. */
export const sources = {
  type: 'array',
  items: { title: 'Source', ...rowOf({ id: string, title: string, url: string }, ['url']) },
} as const

const message = {
  title: 'Message',
  ...rowOf(
    {
      id: string,
      role: { enum: ['user', 'assistant', 'tool'] },
      content: { type: 'array', items: block },
      timestamp: integer,
      turn_id: string,
      status: { enum: ['complete', 'streaming', 'stopped', 'failed'] },
      model: string,
      usage,
      artifacts,
      sources,
      error: {
        ...rowOf({ code: string, message: string }),
        description: 'The error of a failed turn',
      },
    },
    ['model', 'usage', 'artifacts', 'sources', 'error'],
  ),
} as const

/** The queued turns of a thread, the next one first. */
export const queuedTurns = {
  type: 'array',
  items: {
    title: 'QueuedTurn',
    ...rowOf(
      {
        queue_id: { type: 'string', examples: ['trn_01KAQ2VC77'] },
        client_message_id: string,
        text: {
          type: 'string',
          description: 'The first 8000 characters of the message',
          examples: ['And tomorrow?'],
        },
        created_at: { type: 'integer', description: 'Unix seconds', examples: [1_767_225_600] },
      },
      ['client_message_id'],
    ),
  },
} as const

/** GET …/chat/hitl/:pending_id/threads/:thread_id/args/:index. */
export const requestArguments = {
  title: 'RequestArguments',
  ...rowOf({ id: string, name: string, args: { type: 'object', additionalProperties: true } }),
} as const

/** POST …/chat/hitl/resume: one decision for each request, in their order. */
export const verdict = rowOf(
  {
    thread_id: threadId,
    pending_id: {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      description:
        'The approval that the decisions are for; they are refused if the turn waits for another one',
    },
    decisions: { type: 'array', items: decision, minItems: 1, maxItems: 16 },
  },
  ['pending_id'],
)

export const threadRow = {
  title: 'Thread',
  ...rowOf(
    {
      thread_id: string,
      title: nullable(string),
      pinned: boolean,
      session_key: string,
      channel_type: string,
      model: nullable(string),
      last_active: integer,
      created_at: integer,
      turn_active: boolean,
      unread: integer,
      artifacts,
      sources,
      allowed_tools: toolNames,
      forked_from: string,
    },
    ['forked_from'],
  ),
} as const

const threadTitle = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  examples: ['Plans for the summer'],
} as const

/** POST …/threads; a thread without a title is named after its first message. */
export const newThread = objectOf({ title: threadTitle })

export const threadCreated = {
  title: 'ThreadCreated',
  ...rowOf({ thread_id: string, session_key: string }),
} as const

export const threadChanges = {
  ...objectOf({
    title: threadTitle,
    pinned: boolean,
    model: nullable({ type: 'string', minLength: 3, maxLength: 256 } as const),
    allowed_tools: toolNames,
  }),
  minProperties: 1,
} as const

/** POST …/fork: the last reply of the fork, named in one of two ways. */
export const forkPlace = {
  ...objectOf({
    assistant_turns_from_end: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description: 'Counts replies, 1 is the latest',
      examples: [1],
    },
    message_id: { type: 'string', minLength: 1, maxLength: 128 },
  }),
  minProperties: 1,
  maxProperties: 1,
} as const

export const threadForked = rowOf({
  thread_id: string,
  session_key: string,
  source_thread_id: string,
  copied_messages: integer,
  title: nullable(string),
})

const offset = {
  type: 'integer',
  minimum: 0,
  default: 0,
  description: 'The number of rows to skip, after the cursor if one is set',
} as const

export const listQuery = objectOf({ ...pageQuery, offset })

export const historyQuery = objectOf({
  limit: { ...pageQuery.limit, default: 25 },
  offset,
  cursor: { type: 'string', pattern: '^\\d{1,12}$' },
})

export const historyPage = {
  title: 'History',
  ...rowOf({
    thread_id: string,
    messages: { type: 'array', items: message },
    has_more: boolean,
    limit: integer,
    offset: integer,
    next_cursor: nullable(string),
    turn_active: boolean,
    last_seq: integer,
    hitl_pending: nullable({
      title: 'PendingApproval',
      ...rowOf(pendingFields),
    } as const),
    queued: queuedTurns,
    artifacts,
    sources,
    history_status: { enum: ['ready', 'pending', 'queued', 'running', 'failed'] },
    history_loading: boolean,
    history_retry_after_ms: nullable(integer),
  }),
} as const
