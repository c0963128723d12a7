import { costRow, rowOf } from '#plugin-api'

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

/** The id of a thread in answers, which is not checked. */
export const shownThreadId = { type: 'string', examples: threadId.examples } as const
export const sessionKey = {
  type: 'string',
  description: 'Another name of the thread, for clients that keep one conversation',
  examples: ['ses_01KDVMF0000000000000000001'],
} as const
const messageId = { type: 'string', examples: ['msg_01KDVMF0000000000000000001'] } as const
export const modelName = { type: 'string', examples: ['openai:gpt-5'] } as const

/** The id of a thread in a path. */
export const pathThreadId = { type: 'string', description: 'The id of your thread' } as const

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

/** Marks a call that the provider of the model has carried out itself. */
export const byProvider = {
  const: true,
  description: 'Set if the provider itself has carried out the call',
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
    rowOf({ type: { const: 'tool_use' }, id: string, name: toolName, input: true, by_provider: byProvider }, [
      'by_provider',
    ]),
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
        description: 'The input tokens that the provider read from its cache',
        examples: [512],
      },
      reasoning_tokens: {
        ...integer,
        description: 'The output tokens used for reasoning',
        examples: [32],
      },
      is_estimated: {
        ...boolean,
        description: 'True if the provider did not count all of the tokens',
        examples: [false],
      },
      cost: {
        ...costRow,
        description: 'What the calls with a known price cost; null if none has one',
      },
    },
    ['cached_input_tokens', 'reasoning_tokens', 'is_estimated', 'cost'],
  ),
} as const

/** The ways in which an answer ends, unless it fails. */
export const stopReason = {
  title: 'StopReason',
  enum: ['end', 'length', 'filtered', 'refused', 'max_steps', 'stopped'],
  description:
    '`length`: the limit of output cut the answer; `filtered`: the provider or a filter withheld or cut it; `refused`: the model refused',
} as const

/** The fields of a notice: something about an answer that the person should know. */
export const noticeFields = {
  code: { ...string, description: 'Decide by this', examples: ['MODEL_FALLBACK'] },
  message: {
    ...string,
    description: 'A sentence for people',
    examples: ['openai:gpt-5 did not answer, so demo:demo did.'],
  },
  details: {
    type: 'object',
    additionalProperties: true,
    description: 'For programs, such as the id of what a tool has stored',
    examples: [{ to: 'demo:demo' }],
  },
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
        published_at: {
          ...string,
          description: 'The date of the page: a day, or the words of a search engine, such as `3 days ago`',
          examples: ['2026-03-04'],
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
        'published_at',
        'connector',
        'uri',
      ],
    ),
  },
} as const

/** A message of a thread. */
export const message = {
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
      stop_reason: {
        ...stopReason,
        description: 'How the answer ended; only the last message of a turn has it',
      },
      notices: {
        type: 'array',
        items: { title: 'Notice', ...rowOf(noticeFields, ['details']) },
        description: 'What the person should know about the answer',
      },
      versions: {
        type: 'array',
        items: messageId,
        description:
          'The ids of the versions of the message, of which this is one, oldest first; only if there are several',
      },
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
    ['model', 'usage', 'stop_reason', 'notices', 'versions', 'artifacts', 'sources', 'error'],
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
