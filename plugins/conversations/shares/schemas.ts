import { nullable, objectOf, pageQuery, rowOf } from '#plugin-api'

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const
const boolean = { type: 'boolean' } as const
const time = { ...integer, description: 'Unix seconds', examples: [1_767_225_600] } as const

const SHARE_ID = 'q3vT0m1yXc9Zr5wL8bKfN2hPdE7uJgAs'

/** A share in a path. The id may be all that is needed to read the conversation, so audit rows leave it out. */
export const shareParams = rowOf({
  share_id: { ...string, writeOnly: true, description: 'The id of a shared conversation' },
})

/** A share that everybody with its id may read, and one of its files. */
export const fileParams = rowOf({
  ...shareParams.properties,
  file_id: { ...string, description: 'A file that a message of the conversation names' },
})

/** A thread to share. */
export const threadParams = rowOf({ thread_id: { ...string, description: 'The id of a thread of your own' } })

/** The people who may open a share. */
export const audience = {
  title: 'ShareAudience',
  enum: ['accounts', 'link'],
  description: '`accounts`: everybody with an account here; `link`: also people without one',
} as const

const includeSteps = {
  ...boolean,
  description:
    'True if the calls of tools and their results are included, except for calls whose results quote other conversations',
} as const

const expiresInDays = {
  ...integer,
  minimum: 1,
  maximum: 365,
  description: 'Without it, the share does not expire',
  examples: [30],
} as const

export const newShare = objectOf(
  { audience, expires_in_days: expiresInDays, include_steps: { ...includeSteps, default: false } },
  ['audience'],
)

export const shareChanges = objectOf({
  include_steps: includeSteps,
  expires_in_days: {
    ...nullable(expiresInDays),
    description: 'Counted from now; null for a share that does not expire',
  },
})

export const shareRow = {
  title: 'Share',
  ...rowOf({
    share_id: { ...string, examples: [SHARE_ID] },
    url: {
      ...string,
      description: 'The page for readers; begins with a slash if no public URL is configured',
      examples: [`https://agents.example.com/shared/${SHARE_ID}`],
    },
    audience,
    include_steps: includeSteps,
    title: {
      ...nullable(string),
      description: 'The title of the conversation when it was copied',
      examples: ['Plans for the week'],
    },
    thread_id: { ...string, examples: ['thr_01KDVMF0000000000000000001'] },
    agent_id: { ...string, examples: ['01KDVMF00000000000000000AG'] },
    created_at: time,
    updated_at: { ...time, description: 'When the conversation was copied, in Unix seconds' },
    expires_at: { ...nullable(integer), description: 'Unix seconds; null if it does not expire' },
    views: { ...integer, description: 'The number of times that others have opened it', examples: [3] },
  }),
} as const

export const listQuery = objectOf({
  ...pageQuery,
  thread_id: { ...string, maxLength: 128, description: 'Lists only the shares of this thread' },
})

export const shareSettings = {
  title: 'ShareSettings',
  ...rowOf({
    public: {
      ...boolean,
      description: 'True if people without an account can open shares with the audience `link`',
      examples: [false],
    },
  }),
} as const

const fileFields = {
  path: { ...string, description: 'The name of the file in the texts', examples: ['inbound/report.pdf'] },
  filename: { ...string, examples: ['report.pdf'] },
  media_type: { ...string, examples: ['application/pdf'] },
  size: { ...nullable(integer), description: 'In bytes; null if the file is not included' },
  url: {
    ...nullable(string),
    description: 'The address of the copy on this server; null if the file is not included',
    examples: [`/api/shared/${SHARE_ID}/files/fil_01KDVMF0000000000000000001`],
  },
} as const

const textBlock = {
  title: 'SharedText',
  ...rowOf({ type: { const: 'text' }, text: { ...string, examples: ['Plan my week.'] } }),
} as const

/** A part of a message of a share. */
export const sharedBlock = {
  title: 'SharedBlock',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    textBlock,
    rowOf({ type: { const: 'tool_use' }, id: string, name: string, input: true }),
    rowOf({ type: { const: 'tool_result' }, id: string, name: string, output: string, is_error: boolean }),
    { title: 'SharedImage', ...rowOf({ type: { const: 'image' }, ...fileFields }) },
    { title: 'SharedFile', ...rowOf({ type: { const: 'file' }, ...fileFields }) },
  ],
} as const

/** A source that a message of a share names; passages of documents are left out. */
export const sharedSource = {
  title: 'SharedSource',
  ...rowOf(
    {
      id: string,
      title: { ...string, examples: ['Example Domain'] },
      url: { ...string, examples: ['https://example.com/'] },
      number: { ...integer, description: 'The number by which the answer names it', examples: [1] },
    },
    ['url', 'number'],
  ),
} as const

/** A message of a share. */
export const sharedMessage = {
  title: 'SharedMessage',
  ...rowOf(
    {
      id: { ...string, examples: ['1'] },
      role: { title: 'MessageRole', enum: ['user', 'assistant', 'tool'] },
      content: { type: 'array', items: sharedBlock },
      timestamp: { ...integer, description: 'Unix milliseconds', examples: [1_767_225_600_000] },
      turn_id: { ...string, description: 'Common to a question and its answer', examples: ['1'] },
      status: { title: 'SharedMessageStatus', enum: ['complete', 'stopped'] },
      stop_reason: {
        title: 'StopReason',
        enum: ['end', 'length', 'filtered', 'refused', 'max_steps', 'stopped'],
        description: 'How the answer ended',
      },
      artifacts: {
        type: 'array',
        items: { title: 'SharedArtifact', ...rowOf(fileFields) },
        description: 'Files that the agent made',
      },
      sources: { type: 'array', items: sharedSource },
    },
    ['stop_reason', 'artifacts', 'sources'],
  ),
} as const

export const sharedConversation = {
  title: 'SharedConversation',
  ...rowOf({
    title: { ...nullable(string), examples: ['Plans for the week'] },
    agent_name: { ...string, examples: ['assistant'] },
    messages: { type: 'array', items: sharedMessage, description: 'Oldest first' },
    created_at: { ...time, description: 'When the conversation was copied, in Unix seconds' },
  }),
} as const

export const continuation = objectOf(
  {
    agent_id: {
      ...string,
      minLength: 1,
      maxLength: 128,
      description: 'The agent to continue with: its id, or the name of one of your own',
      examples: ['assistant'],
    },
  },
  ['agent_id'],
)

export const continuedThread = {
  title: 'ContinuedThread',
  ...rowOf({
    thread_id: { ...string, examples: ['thr_01KDVMF0000000000000000002'] },
    agent_id: { ...string, examples: ['01KDVMF00000000000000000AG'] },
    session_key: { ...string, examples: ['ses_01KDVMF0000000000000000002'] },
    title: nullable({ ...string, examples: ['Plans for the week'] }),
    created_at: time,
    last_active: time,
    files_left_out: {
      type: 'array',
      items: string,
      description: 'The names of files that could not be copied',
      examples: [[]],
    },
  }),
} as const

/** The content of a file. */
export const BINARY = { type: 'string', format: 'binary', description: 'The content of the file' } as const
