import { nullable, objectOf, pageQuery, rowOf } from '#plugin-api'

const seconds = { type: 'integer', description: 'Unix seconds', examples: [1_893_456_000] } as const
const count = { type: 'integer', minimum: 0 } as const

const baseId = { type: 'string', examples: ['kb_01KDVMF0000000000000000001'] } as const
const documentId = { type: 'string', examples: ['doc_01KDVMF0000000000000000001'] } as const
const filename = { type: 'string', examples: ['handbook.pdf'] } as const
const path = {
  type: 'string',
  description: 'Unique within the knowledge base',
  examples: ['staff/handbook.pdf'],
} as const

/** The ids of knowledge bases that a search, a turn or an agent uses. */
const baseIds = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 64 },
  maxItems: 50,
  uniqueItems: true,
  examples: [['kb_01KDVMF0000000000000000001']],
} as const

const settings = {
  name: { type: 'string', minLength: 1, maxLength: 100, pattern: '\\S', examples: ['Staff handbook'] },
  description: {
    type: ['string', 'null'],
    maxLength: 2000,
    description: 'What it is about; models read it to decide if they search it',
    examples: ['Rules for travel, holidays and expenses'],
  },
  is_shared: { type: 'boolean', description: 'True if it is shared with everybody', examples: [false] },
  is_default: { type: 'boolean', description: 'True if your new threads use it', examples: [false] },
} as const

/** The settings of a new knowledge base. */
export const newBase = objectOf(settings, ['name'])

/** The changes of a knowledge base. */
export const baseChanges = { ...objectOf(settings), minProperties: 1 } as const

/** A knowledge base as the API shows it. */
export const baseRow = {
  title: 'KnowledgeBase',
  ...rowOf({
    id: baseId,
    ...settings,
    owner: { type: 'string', description: 'Username', examples: ['ada'] },
    is_owner: { type: 'boolean', description: 'True if it belongs to the caller' },
    can_edit: { type: 'boolean', description: 'True if the caller may change it and its documents' },
    is_default: {
      type: 'boolean',
      description: 'True if it belongs to the caller, and their new threads use it',
      examples: [false],
    },
    documents: { ...count, examples: [12] },
    chunks: { ...count, description: 'Passages that can be found', examples: [840] },
    searchable: { ...count, description: 'Documents that can be found', examples: [12] },
    bytes: { ...count, description: 'Of the documents as they were uploaded', examples: [1_048_576] },
    status: {
      title: 'KnowledgeBaseStatus',
      enum: ['empty', 'indexing', 'ready', 'failed'],
      description: '`failed` if no document could be read',
      examples: ['ready'],
    },
    is_rebuilding: {
      type: 'boolean',
      description:
        'True while a lost index is rebuilt from the documents; missing documents do not appear in search',
      examples: [false],
    },
    embedding_model: {
      ...nullable({ type: 'string' }),
      description: 'The embedding model that is used in addition to words; null for words only',
      examples: ['openai:text-embedding-3-small'],
    },
    created_at: seconds,
    updated_at: seconds,
  }),
} as const

/** A list of knowledge bases. */
export const baseRows = { type: 'array', items: baseRow } as const

/** The state of a document. */
const documentStatus = {
  title: 'KnowledgeDocumentStatus',
  enum: ['queued', 'parsing', 'indexing', 'ready', 'failed'],
  examples: ['ready'],
} as const

const documentError = {
  title: 'KnowledgeDocumentError',
  ...rowOf({
    code: { type: 'string', examples: ['DOCUMENT_ENCRYPTED'] },
    message: { type: 'string', examples: ['The document is protected by a password.'] },
  }),
} as const

const refetchDays = {
  type: ['integer', 'null'],
  minimum: 1,
  maximum: 365,
  description: 'The days after which the address is fetched again; null for never',
  examples: [7],
} as const

/** A document as the API shows it. */
export const documentRow = {
  title: 'KnowledgeDocument',
  ...rowOf(
    {
      id: documentId,
      path,
      filename,
      media_type: { type: 'string', examples: ['application/pdf'] },
      size: { ...count, description: 'Bytes', examples: [52_428] },
      status: documentStatus,
      error: {
        ...documentError,
        description: 'The reason for which it failed, or waits for another attempt',
      },
      progress: { type: 'number', minimum: 0, maximum: 1, examples: [1] },
      chunks: { ...count, description: 'Passages that can be found', examples: [70] },
      pages: { ...count, description: 'Pages or slides, for formats that have them', examples: [24] },
      url: {
        type: 'string',
        description: 'The address that it was fetched from',
        examples: ['https://example.com/handbook'],
      },
      refetch_days: refetchDays,
      refetch_error: {
        ...documentError,
        description: 'The reason for which it was not fetched again; the former content stays',
      },
      fetched_at: { ...seconds, description: 'The last time that the address was read, in Unix seconds' },
      created_at: seconds,
      updated_at: seconds,
    },
    ['error', 'pages', 'url', 'refetch_days', 'refetch_error', 'fetched_at'],
  ),
} as const

/** A list of documents. */
export const documentRows = { type: 'array', items: documentRow } as const

/** The query of the list of documents. */
export const documentQuery = objectOf({
  ...pageQuery,
  status: { ...documentStatus, description: 'Only documents with this status' },
})

/** A web address to be added as a document. */
export const newAddress = objectOf(
  {
    url: {
      type: 'string',
      format: 'url',
      // Refuses user information here, before the body is logged.
      pattern: '^https?://[^\\s/?#@\\\\]+([/?#]|$)',
      maxLength: 2000,
      description: 'The address of a page or a file',
      examples: ['https://example.com/handbook'],
    },
    refetch_days: {
      ...refetchDays,
      description: `${refetchDays.description}. If it is missing, an address that was added before keeps its own`,
    },
  },
  ['url'],
)

/** The changes of a document. */
export const documentChanges = objectOf({ refetch_days: refetchDays }, ['refetch_days'])

const placeFields = {
  start: {
    ...count,
    description: 'The first character, counted in the text as it was read',
    examples: [1200],
  },
  end: { ...count, description: 'The character after the last one', examples: [3500] },
  page: { type: 'integer', minimum: 1, description: 'The page or slide', examples: [3] },
  heading: {
    type: 'string',
    description: 'The path of headings, joined by ` › `',
    examples: ['Travel › Expenses'],
  },
} as const

/** The text of a document, with its places. */
export const documentText = {
  title: 'KnowledgeDocumentText',
  ...rowOf({
    text: { type: 'string', examples: ['Travel\n\nBook early.'] },
    places: {
      type: 'array',
      items: { title: 'KnowledgeDocumentPlace', ...rowOf(placeFields, ['page', 'heading']) },
    },
  }),
} as const

/** A place in a document. */
const locator = {
  title: 'KnowledgeLocator',
  description:
    'The place in the passage that fits the question best; it is on one page and below one path of headings',
  ...rowOf(placeFields, ['page', 'heading']),
} as const

/** The body of a search. */
export const searchBody = objectOf(
  {
    query: {
      type: 'string',
      minLength: 1,
      maxLength: 2000,
      pattern: '\\S',
      examples: ['Who pays for the train?'],
    },
    knowledge_base_ids: { ...baseIds, description: 'Every base that you may read, if it is missing' },
    limit: { type: 'integer', minimum: 1, maximum: 50, default: 10, description: 'The most passages' },
  },
  ['query'],
)

/** The passages that a search has found. */
export const searchHits = {
  type: 'array',
  items: {
    title: 'KnowledgePassage',
    ...rowOf({
      knowledge_base_id: baseId,
      document_id: documentId,
      filename,
      path,
      locator,
      text: {
        type: 'string',
        description: 'The whole passage, which may have several places',
        examples: ['The company pays for second class.'],
      },
      text_start: {
        ...count,
        description: 'The first character of the passage, counted as in `locator`',
        examples: [1000],
      },
      score: {
        type: 'number',
        description: 'Higher is better; comparable within one answer only',
        examples: [0.031],
      },
    }),
  },
} as const

/** An event for the followers of a base. */
export const documentEvent = {
  title: 'KnowledgeEvent',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    {
      title: 'KnowledgeDocumentChanged',
      ...rowOf({ type: { type: 'string', const: 'document.changed' }, document: documentRow }),
    },
    {
      title: 'KnowledgeDocumentDeleted',
      ...rowOf({ type: { type: 'string', const: 'document.deleted' }, id: documentId }),
    },
  ],
} as const

/** The path parameters of a base. */
export const baseParams = {
  type: 'object',
  properties: { id: { ...baseId, description: 'The id of a knowledge base' } },
  required: ['id'],
} as const

/** The path parameters of a document. */
export const documentParams = {
  type: 'object',
  properties: {
    ...baseParams.properties,
    doc_id: { ...documentId, description: 'The id of a document' },
  },
  required: ['id', 'doc_id'],
} as const

const embeddingModel = {
  type: ['string', 'null'],
  minLength: 3,
  maxLength: 512,
  description: 'As `<provider>:<model>`, of a provider of the server; null for words alone',
  examples: ['openai:text-embedding-3-small'],
} as const

const sizes = {
  chunk_tokens: {
    type: 'integer',
    minimum: 100,
    maximum: 4000,
    description: 'The size of a passage; it may exceed it by a third',
    examples: [600],
  },
  chunk_overlap: {
    type: 'integer',
    minimum: 0,
    maximum: 1000,
    description:
      'The tokens of the end of a passage that the next one repeats; less than half of `chunk_tokens`',
    examples: [60],
  },
} as const

const prefixes = {
  question_prefix: {
    type: 'string',
    maxLength: 1000,
    description: 'The text that the embedding model expects in front of a question; empty if it expects none',
    examples: ['query: '],
  },
  passage_prefix: {
    type: 'string',
    maxLength: 1000,
    description: 'The text that the embedding model expects in front of a passage; empty if it expects none',
    examples: ['passage: '],
  },
} as const

/** The settings of all knowledge bases as a client writes them. */
export const settingsBody = objectOf({ embedding_model: embeddingModel, ...prefixes, ...sizes }, [
  'embedding_model',
])

/** The settings of all knowledge bases as the API shows them. */
export const settingsRow = {
  title: 'KnowledgeSettings',
  ...rowOf({
    embedding_model: embeddingModel,
    ...prefixes,
    ...sizes,
    is_rebuilding: {
      type: 'boolean',
      description: 'True while a new index is made with these settings and the former one answers',
      examples: [false],
    },
  }),
} as const
