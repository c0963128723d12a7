import { nullable, objectOf, pageQuery, rowOf } from '#plugin-api'

const string = { type: 'string' } as const

const time = (description: string) =>
  ({
    ...string,
    maxLength: 40,
    pattern:
      '^(\\d{1,12}|\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)?)?)$',
    description,
  }) as const

/** GET /search. */
export const searchQuery = objectOf(
  {
    q: {
      ...string,
      minLength: 1,
      maxLength: 256,
      description:
        'Words, all of which a result has, in any order; a phrase in quotation marks is found as it is. Upper case and accents do not matter, and a word of three letters or more also finds words that begin with it.',
      examples: ['quarterly figures'],
    },
    agent_id: { ...string, maxLength: 128, description: 'Only conversations with this agent' },
    project_id: { ...string, maxLength: 128, description: 'Only conversations of this project' },
    from: time(
      'Only messages from this time on: Unix seconds or an ISO date; a date without a time zone is in UTC',
    ),
    to: time('Only messages up to this time; of a date without a time, until the end of the day'),
    ...pageQuery,
  },
  ['q'],
)

/** One result. */
export const searchRow = {
  title: 'SearchResult',
  ...rowOf({
    thread_id: { ...string, description: 'The conversation', examples: ['thr_01KDVMF0000000000000000002'] },
    agent_id: { ...string, description: 'Its agent', examples: ['assistant'] },
    agent_name: { ...string, description: 'The name of the agent', examples: ['Assistant'] },
    title: {
      ...nullable(string),
      description: 'The title of the conversation',
      examples: ['Plans for the week'],
    },
    message_id: {
      ...nullable(string),
      description: 'The message; null if the title was found',
      examples: ['msg_01KDVMF0000000000000000003'],
    },
    role: {
      ...nullable({ ...string, enum: ['user', 'assistant'] } as const),
      description: 'Who wrote the message; null for a title',
      examples: ['assistant'],
    },
    timestamp: {
      type: 'integer',
      description:
        'The time of the message, or of the last activity of the conversation, in Unix milliseconds',
      examples: [1_767_225_600_000],
    },
    snippet: {
      type: 'array',
      description:
        'The part of the text that was found, in pieces; of an answer, its words without marks of Markdown',
      items: rowOf({
        text: { ...string, examples: ['figures'] },
        match: { type: 'boolean', description: 'True if the query has these words', examples: [true] },
      }),
    },
  }),
} as const
