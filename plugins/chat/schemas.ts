import { nullable, objectOf, rowOf } from '#kernel'
import { knowledgeBaseIds } from '#plugin-api'
import { pageQuery } from '#toolbox'
import { decision, pendingFields } from './approval-schemas.ts'

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const
const boolean = { type: 'boolean' } as const

export const path = {
  type: 'string',
  minLength: 1,
  maxLength: 1024,
  description: 'Relative to the workspace',
  examples: ['inbound/report.pdf'],
} as const
export const filename = { type: 'string', minLength: 1, maxLength: 255, examples: ['report.pdf'] } as const
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

const shownThreadId = { type: 'string', examples: threadId.examples } as const
const sessionKey = {
  type: 'string',
  description: 'Another name of the thread, for clients that keep one conversation',
  examples: ['ses_01KDVMF0000000000000000001'],
} as const
const messageId = { type: 'string', examples: ['msg_01KDVMF0000000000000000001'] } as const
const modelName = { type: 'string', examples: ['openai:gpt-5'] } as const

const pathThreadId = { type: 'string', description: 'The id of a thread of your own' } as const

/** The path of a thread. */
export const threadParams = rowOf({ thread_id: pathThreadId })

/** The path of a request of a paused turn. */
export const requestParams = rowOf({
  thread_id: pathThreadId,
  pending_id: { type: 'string', description: 'The `pending_id` of the pause' },
  index: { type: 'string', description: 'The position of the request among `action_requests`, from 0' },
})

const fileFields = { path, filename, media_type: mediaType } as const

const textBlock = {
  title: 'TextBlock',
  ...rowOf({ type: { const: 'text' }, text: { type: 'string', examples: ['Plan my week.'] } }),
} as const
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

const toolName = { type: 'string', examples: ['read_file'] } as const

/** A part of a message. */
export const block = {
  title: 'Block',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    textBlock,
    rowOf({ type: { const: 'thinking' }, thinking: string }),
    rowOf({ type: { const: 'tool_use' }, id: string, name: toolName, input: true }),
    rowOf({ type: { const: 'tool_result' }, id: string, name: toolName, output: string, is_error: boolean }),
    imageBlock,
    fileBlock,
  ],
} as const

export const usage = {
  title: 'Usage',
  ...rowOf(
    {
      input_tokens: { ...integer, examples: [812] },
      output_tokens: { ...integer, examples: [96] },
      total_tokens: { ...integer, examples: [908] },
      cached_input_tokens: {
        ...integer,
        description: 'Of the input tokens, those that the provider had in its cache',
        examples: [512],
      },
      reasoning_tokens: {
        ...integer,
        description: 'Of the output tokens, those for thoughts',
        examples: [32],
      },
    },
    ['cached_input_tokens', 'reasoning_tokens'],
  ),
} as const

const toolNames = {
  type: 'array',
  items: { type: 'string', pattern: '^[\\w-]{1,64}$' },
  maxItems: 64,
  description: 'Tools that need no approval in this thread',
  examples: [['write_file']],
} as const

/** Files that turns made. */
export const artifacts = {
  type: 'array',
  items: {
    title: 'Artifact',
    ...rowOf({
      ...fileFields,
      url: {
        ...string,
        description: 'The address of the file on this server',
        examples: ['/api/agents/01KDVMF00000000000000000AG/files/content?path=inbound%2Freport.pdf'],
      },
    }),
  },
} as const

/** The sources that tools took their outputs from. */
export const sources = {
  type: 'array',
  items: {
    title: 'Source',
    ...rowOf(
      {
        id: string,
        title: { ...string, examples: ['Example Domain'] },
        url: { ...string, examples: ['https://example.com/'] },
        type: {
          enum: ['knowledge', 'resource'],
          description: 'Set for a passage of a knowledge base and for a resource of a connector',
        },
        number: { ...integer, description: 'The number by which the answer names it', examples: [1] },
        knowledge_base_id: { ...string, examples: ['kb_01KDVMF0000000000000000001'] },
        knowledge_base: { ...string, description: 'The name', examples: ['Staff handbook'] },
        document_id: { ...string, examples: ['doc_01KDVMF0000000000000000001'] },
        filename: { ...string, examples: ['handbook.pdf'] },
        locator: {
          title: 'SourceLocator',
          description: 'The place in the text of the document',
          ...rowOf(
            {
              start: { ...integer, examples: [1200] },
              end: { ...integer, examples: [3500] },
              page: { ...integer, description: 'The page or slide', examples: [3] },
              heading: { ...string, description: 'The path of headings', examples: ['Travel › Trains'] },
            },
            ['page', 'heading'],
          ),
        },
        text: {
          ...string,
          description: 'The beginning of the passage',
          examples: ['The company pays for second class.'],
        },
        connector: { ...string, description: 'The name of the connector', examples: ['tracker'] },
        uri: { ...string, description: 'The address of the resource', examples: ['issue://42'] },
      },
      [
        'url',
        'type',
        'number',
        'knowledge_base_id',
        'knowledge_base',
        'document_id',
        'filename',
        'locator',
        'text',
        'connector',
        'uri',
      ],
    ),
  },
} as const

const message = {
  title: 'Message',
  ...rowOf(
    {
      id: messageId,
      role: { title: 'MessageRole', enum: ['user', 'assistant', 'tool'] },
      content: { type: 'array', items: block, description: 'In the order in which it was written' },
      timestamp: { ...integer, description: 'Unix milliseconds', examples: [1_767_225_600_000] },
      turn_id: { ...string, examples: turnId.examples },
      status: {
        title: 'MessageStatus',
        enum: ['complete', 'streaming', 'stopped', 'failed'],
        description: '`streaming` while its turn writes it; `error` explains `failed`',
      },
      model: { ...modelName, description: 'The model that wrote the reply' },
      usage,
      artifacts: { ...artifacts, description: 'Files that the turn made' },
      sources: { ...sources, description: 'What tools of the turn took their outputs from' },
      error: {
        ...rowOf({
          code: { ...string, examples: ['MODEL_RATE_LIMITED'] },
          message: { ...string, examples: ['The provider limits requests. Try again in a moment.'] },
        }),
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
        queue_id: {
          ...string,
          description: 'The `turn_id` that the turn will have',
          examples: turnId.examples,
        },
        client_message_id: {
          ...string,
          description: 'The name that the client gave the message',
          examples: ['8f14e45f-ceea-467f-9575-1c5f3a2b7d10'],
        },
        text: {
          type: 'string',
          description: 'The first 8000 characters of the message',
          examples: ['Plan my week.'],
        },
        created_at: { type: 'integer', description: 'Unix seconds' },
      },
      ['client_message_id'],
    ),
  },
} as const

/** GET …/chat/hitl/:pending_id/threads/:thread_id/args/:index. */
export const requestArguments = {
  title: 'RequestArguments',
  ...rowOf({
    id: { ...string, description: 'The id of the tool call', examples: ['call_1'] },
    name: { ...string, description: 'The name of the tool', examples: ['write_file'] },
    args: {
      type: 'object',
      additionalProperties: true,
      examples: [{ path: 'notes/plan.md', content: '# Plan' }],
    },
  }),
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
      examples: ['apr_01KDVMF0000000000000000001'],
    },
    decisions: {
      type: 'array',
      items: decision,
      minItems: 1,
      maxItems: 16,
      description: 'One for each request, in their order',
      examples: [[{ type: 'approve' }]],
    },
  },
  ['pending_id'],
)

export const threadRow = {
  title: 'Thread',
  ...rowOf(
    {
      thread_id: shownThreadId,
      title: {
        ...nullable(string),
        description: 'Null before the first message',
        examples: ['Plans for the week'],
      },
      pinned: { ...boolean, description: 'Pinned threads come first in the list' },
      session_key: sessionKey,
      channel_type: {
        ...string,
        description: '`web`, `api`, `schedule`, or the kind of the channel that the conversation came from',
        examples: ['web'],
      },
      model: {
        ...nullable(modelName),
        description: 'As `<provider>:<model>`; null for the model of the agent',
      },
      last_active: { ...integer, description: 'Unix seconds', examples: [1_767_225_600] },
      created_at: { ...integer, description: 'Unix seconds' },
      turn_active: {
        ...boolean,
        description: 'True while a turn runs or waits for a person',
        examples: [false],
      },
      unread: { ...integer, description: 'Replies that have not been read' },
      artifacts: { ...artifacts, description: 'Files that turns made' },
      sources: { ...sources, description: 'What tools took their outputs from' },
      allowed_tools: toolNames,
      knowledge_base_ids: knowledgeBaseIds,
      forked_from: {
        ...string,
        description: 'The thread that this one continues',
        examples: threadId.examples,
      },
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
  ...rowOf({ thread_id: shownThreadId, session_key: sessionKey }),
} as const

export const threadChanges = {
  ...objectOf({
    title: threadTitle,
    pinned: { ...boolean, description: 'Pinned threads come first in the list', examples: [true] },
    model: {
      ...nullable({ type: 'string', minLength: 3, maxLength: 256 } as const),
      description: 'As `<provider>:<model>`; null for the model of the agent',
      examples: ['openai:gpt-5'],
    },
    allowed_tools: toolNames,
    knowledge_base_ids: knowledgeBaseIds,
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
    message_id: { type: 'string', minLength: 1, maxLength: 128, description: 'The id of a reply' },
  }),
  minProperties: 1,
  maxProperties: 1,
} as const

export const threadForked = {
  title: 'ThreadForked',
  ...rowOf({
    thread_id: shownThreadId,
    session_key: sessionKey,
    source_thread_id: { ...string, examples: ['thr_01KDVMF0000000000000000002'] },
    copied_messages: {
      ...integer,
      description: 'The number of messages that the fork begins with',
      examples: [4],
    },
    title: nullable({ ...string, examples: ['Plans for the week'] }),
  }),
} as const

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
  cursor: {
    type: 'string',
    pattern: '^\\d{1,12}$',
    description: 'The `next_cursor` of the page before, which has newer messages',
  },
})

export const historyPage = {
  title: 'History',
  ...rowOf({
    thread_id: shownThreadId,
    messages: {
      type: 'array',
      items: message,
      examples: [
        [
          {
            id: 'msg_01KDVMF0000000000000000001',
            role: 'user',
            content: [{ type: 'text', text: 'Plan my week.' }],
            timestamp: 1_767_225_600_000,
            turn_id: turnId.examples[0],
            status: 'complete',
          },
          {
            id: 'msg_01KDVMF0000000000000000002',
            role: 'assistant',
            content: [{ type: 'text', text: 'Begin on Monday with the report.' }],
            timestamp: 1_767_225_602_000,
            turn_id: turnId.examples[0],
            status: 'complete',
            model: 'openai:gpt-5',
            usage: { input_tokens: 812, output_tokens: 96, total_tokens: 908 },
          },
        ],
      ],
    },
    has_more: { ...boolean, description: 'True if there are older messages', examples: [false] },
    limit: { ...integer, description: 'As requested, or the most that is allowed', examples: [25] },
    offset: { ...integer, description: 'As requested', examples: [0] },
    next_cursor: {
      ...nullable(string),
      description: 'The `cursor` of the page with older messages; null if there is none',
      examples: [null],
    },
    turn_active: {
      ...boolean,
      description: 'True while a turn runs or waits for a person',
      examples: [false],
    },
    last_seq: {
      ...integer,
      description: 'The position of the last event in this page; subscribe after it',
      examples: [57],
    },
    hitl_pending: {
      ...nullable({
        title: 'PendingApproval',
        ...rowOf(pendingFields),
      } as const),
      description: 'The requests of a turn that waits for a person; null if none waits',
      examples: [null],
    },
    queued: { ...queuedTurns, examples: [[]] },
    artifacts: { ...artifacts, description: 'Files that turns of the thread made' },
    sources: { ...sources, description: 'What tools took their outputs from' },
    history_status: {
      title: 'HistoryStatus',
      enum: ['ready', 'pending', 'queued', 'running', 'failed'],
      description: 'The state of the history, which must be rebuilt after an import',
    },
    history_loading: {
      ...boolean,
      description: 'True if messages are missing because the history is being rebuilt',
      examples: [false],
    },
    history_retry_after_ms: {
      ...nullable(integer),
      description: 'Milliseconds until it is worth asking again; null if nothing is loading',
      examples: [null],
    },
  }),
} as const
