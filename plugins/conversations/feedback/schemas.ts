import { nullable, objectOf, pageQuery, rowOf } from '#plugin-api'

/** The reasons that a vote may name. */
export const REASONS = [
  'wrong',
  'incomplete',
  'off_topic',
  'outdated',
  'unclear',
  'too_long',
  'style',
  'unsafe',
  'other',
] as const

/** A reason of a vote. */
export type Reason = (typeof REASONS)[number]

const MAX_REASONS = 5
const MAX_COMMENT_CHARS = 2000

const time = { type: 'integer', description: 'Unix seconds', examples: [1_893_456_000] } as const
const text = { type: 'string' } as const
const messageId = { type: 'string', examples: ['msg_01KDVMF0000000000000000001'] } as const
const agentId = { type: 'string', examples: ['agt_01KDVMF0000000000000000001'] } as const
const value = {
  title: 'Thumb',
  enum: [1, -1],
  description: '1 is a thumb up, -1 a thumb down',
} as const
const reason = { title: 'FeedbackReason', enum: REASONS, examples: ['wrong'] } as const
const comment = {
  type: 'string',
  maxLength: MAX_COMMENT_CHARS,
  examples: ['It leaves out the taxes.'],
} as const
const reasons = { type: 'array', items: reason, examples: [['incomplete']] } as const

/** The path of a thread. */
export const threadParams = rowOf({
  thread_id: { ...text, description: 'The id of your thread' },
})

/** The path of the vote on an answer. */
export const answerParams = rowOf({
  ...threadParams.properties,
  message_id: { ...text, description: 'The id of an answer of the thread, on any of its versions' },
})

/** The body of a vote. */
export const newVote = objectOf(
  {
    value,
    reasons: {
      ...reasons,
      maxItems: MAX_REASONS,
      uniqueItems: true,
      description: 'Why; none by default',
    },
    comment: { ...nullable(comment), description: 'Anything else; blank counts as none' },
  },
  ['value'],
)

const vote = {
  value,
  reasons,
  comment: { ...nullable(text), examples: comment.examples },
} as const

/** A vote as its account sees it. */
export const ownVoteRow = {
  title: 'OwnFeedback',
  ...rowOf({ message_id: messageId, ...vote, created_at: time, updated_at: time }),
} as const

/** The query of the votes in a thread. */
export const ownVotesQuery = objectOf(pageQuery)

/** A vote as administrators see it. */
export const voteRow = {
  title: 'Feedback',
  ...rowOf({
    id: { type: 'string', examples: ['fbk_01KDVMF0000000000000000001'] },
    username: { ...text, examples: ['ada'] },
    agent_id: agentId,
    agent_name: { ...text, description: 'As it was called then', examples: ['assistant'] },
    model: { ...nullable(text), description: 'The model that wrote the answer', examples: ['openai:gpt-5'] },
    ...vote,
    question: {
      ...text,
      description: 'The text of the message as it was when the vote was given',
      examples: ['What is left of my salary?'],
    },
    answer: {
      ...text,
      description: 'The text of the answer as it was when the vote was given',
      examples: ['About 2,000 a month.'],
    },
    created_at: time,
    updated_at: { ...time, description: 'When the vote was last changed, in Unix seconds' },
  }),
} as const

const second = (description: string) => ({ type: 'integer', minimum: 0, description }) as const

/** The query of all votes. */
export const votesQuery = objectOf({
  format: {
    title: 'FeedbackFormat',
    enum: ['json', 'csv', 'jsonl'],
    default: 'json',
    description:
      '`json`: a page; `csv` and `jsonl`: a download of all votes that match, for spreadsheets and for programs',
  },
  value: {
    title: 'ThumbFilter',
    enum: ['1', '-1'],
    description: 'Only thumbs up, or only thumbs down',
  },
  agent_id: {
    type: 'string',
    maxLength: 64,
    description: 'Only answers of this agent',
    examples: agentId.examples,
  },
  from: second('Only votes that were first given at this time or later, in Unix seconds'),
  to: second('Only votes that were first given at this time or earlier, in Unix seconds'),
  ...pageQuery,
})
