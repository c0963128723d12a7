import { knowledgeBaseIds, nullable, objectOf, pageQuery, rowOf } from '#plugin-api'
import {
  artifacts,
  modelName,
  pathThreadId,
  sessionKey,
  shownThreadId,
  sources,
  threadId,
} from './message-schemas.ts'

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const
const boolean = { type: 'boolean' } as const

/** The path of a thread. */
export const threadParams = rowOf({ thread_id: pathThreadId })

/** The project of a thread. */
export const projectId = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'A project of yours, whose instructions and knowledge bases apply to the thread at each turn',
  examples: ['prj_01KDVMF0000000000000000001'],
} as const

const toolNames = {
  type: 'array',
  items: { type: 'string', pattern: '^[\\w-]{1,64}$' },
  maxItems: 64,
  description: 'Tools that need no approval in this thread',
  examples: [['write_file']],
} as const

/** POST …/compact */
export const compactedThread = {
  title: 'CompactedThread',
  ...rowOf({
    messages: { type: 'integer', description: 'The messages that the summary replaces', examples: [42] },
    summary: { type: 'string', examples: ['Ada wants a plan for the week that begins with the report.'] },
  }),
} as const

export const threadRow = {
  title: 'Thread',
  ...rowOf(
    {
      thread_id: shownThreadId,
      agent_id: { ...string, description: 'The agent', examples: ['assistant'] },
      title: {
        ...nullable(string),
        description: 'Null before the first message',
        examples: ['Plans for the week'],
      },
      pinned: { ...boolean, description: 'Pinned threads come first in the list' },
      archived: { ...boolean, description: 'Archived threads are in no list unless it asks for them' },
      project_id: {
        ...nullable(string),
        description: 'The project of the thread, if any',
        examples: [null],
      },
      session_key: sessionKey,
      channel_type: {
        ...string,
        description:
          '`web`, `api`, `schedule`, `trigger`, or the kind of the channel that the conversation came from',
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
export const newThread = objectOf({ title: threadTitle, project_id: projectId })

export const threadCreated = {
  title: 'ThreadCreated',
  ...rowOf({ thread_id: shownThreadId, session_key: sessionKey }),
} as const

export const threadChanges = {
  ...objectOf({
    title: threadTitle,
    pinned: { ...boolean, description: 'Pinned threads come first in the list', examples: [true] },
    archived: {
      ...boolean,
      description: 'Archived threads leave the lists; they stay readable, and search finds them',
      examples: [true],
    },
    project_id: {
      ...nullable(projectId),
      description: 'Puts the thread into a project of yours; null takes it out of its project',
    },
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

/** The number of rows to skip. */
export const offset = {
  type: 'integer',
  minimum: 0,
  default: 0,
  description: 'The number of rows to skip, after the cursor if one is set',
} as const

export const listQuery = objectOf({
  ...pageQuery,
  offset,
  archived: {
    ...boolean,
    default: false,
    description: 'True for the archived threads instead of the others',
  },
  project_id: { ...projectId, description: 'Only the threads of this project of yours' },
})
