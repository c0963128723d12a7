import { nullable, objectOf, pageQuery, rowOf } from '#plugin-api'
import { pendingFields } from './approval-schemas.ts'
import { artifacts, message, queuedTurns, shownThreadId, sources, turnId } from './message-schemas.ts'
import { offset } from './thread-schemas.ts'

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const
const boolean = { type: 'boolean' } as const

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
    summary: {
      ...nullable({
        title: 'ThreadSummary',
        ...rowOf({
          text: { ...string, examples: ['Ada wants a plan for the week that begins with the report.'] },
          message_id: {
            ...string,
            description: 'The last message that it sums up',
            examples: ['msg_01KDVMF0000000000000000002'],
          },
          made_at: { ...integer, description: 'Unix seconds', examples: [1_767_225_600] },
        }),
      } as const),
      description: 'What models receive instead of the older messages; null if they receive all of them',
      examples: [null],
    },
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
