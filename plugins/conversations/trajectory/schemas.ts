import {
  costRow,
  localeName,
  nullable,
  objectOf,
  pageQuery,
  reasoningLevel,
  rowOf,
  type TypeOf,
} from '#plugin-api'
import type { FrameType } from '../chat/ledger/ledger-event.ts'

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const
const seq = { type: 'integer', minimum: 1, maximum: 999_999_999_999 } as const
const milliseconds = { type: 'integer', minimum: 0, maximum: 999_999_999_999 } as const
const anything = { type: 'object', additionalProperties: true } as const

const thread_id = { type: 'string', description: 'The id of your thread' } as const

/** The path of a thread. */
export const threadParams = rowOf({ thread_id })

/** The path of an event. */
export const eventParams = rowOf({
  thread_id,
  event_id: { type: 'string', description: 'The `event_id` of a row, such as `evt_12`' },
})

const type = {
  title: 'TrajectoryEventType',
  enum: [
    'turn_started',
    'content',
    'reasoning',
    'tool_call',
    'tool_progress',
    'tool_result',
    'attachment',
    'usage',
    'notice',
    'hitl_required',
    'hitl_resolved',
    'path_changed',
    'done',
    'error',
  ],
} as const satisfies { title: string; enum: readonly FrameType[] }

/** The fields of an event besides its frame; `answer` is the model's answer as JSON. */
const record = {
  input: {
    type: 'array',
    items: anything,
    maxItems: 64,
    description: 'The message that the turn answers',
    examples: [[{ type: 'text', text: 'Plan my week.' }]],
  },
  documents: {
    type: 'array',
    items: rowOf({ path: string, text: string }),
    maxItems: 64,
    description: 'The texts of attached documents, as the model sees them',
    examples: [[{ path: 'inbound/report.pdf', text: '[page 1]\nSales rose.' }]],
  },
  is_copied: {
    const: true,
    description: "Set if the message was copied or imported, and may be somebody else's",
  },
  after: {
    type: 'integer',
    minimum: 0,
    description:
      'The seq that a version continues from; without it, a turn continues from the event before it. Of `path_changed`, the end of the path',
    examples: [7],
  },
  model: {
    type: 'string',
    maxLength: 512,
    description: 'As `<provider>:<model>`',
    examples: ['openai:gpt-5'],
  },
  locale: localeName,
  whole_args: {
    type: 'object',
    additionalProperties: string,
    maxProperties: 16,
    description: 'Arguments that the frame shortens, as JSON by the position of the request',
    examples: [{ 0: '{"path":"notes/plan.md"}' }],
  },
  settings: {
    description: 'Settings of the model calls of the turn, if some were chosen',
    ...objectOf({
      temperature: { type: 'number' },
      top_p: { type: 'number' },
      max_output_tokens: integer,
      max_steps: { type: 'integer', minimum: 1, maximum: 100 },
      reasoning: reasoningLevel,
    }),
  },
  finish_reason: {
    title: 'CutReason',
    enum: ['length', 'filtered', 'refused', 'to_be_continued'],
    description: 'Set if the answer of the model is not complete',
  },

  first_token_ms: {
    ...nullable(milliseconds),
    description: 'Milliseconds until the first token of a model call',
    examples: [420],
  },
  ms: { ...milliseconds, description: 'Milliseconds that the call took', examples: [1830] },
} as const

const event_id = { ...string, description: 'Unique within the thread', examples: ['evt_12'] } as const
const shownSeq = { ...integer, description: 'The position in the thread', examples: [12] } as const
const turn_id = { ...string, examples: ['trn_01KDVMF0000000000000000001'] } as const
const ts = { type: 'integer', description: 'Unix seconds', examples: [1_767_225_600] } as const

/** One row of the list. */
export const eventRow = {
  title: 'TrajectoryEvent',
  examples: [
    {
      event_id: 'evt_12',
      seq: 12,
      turn_id: 'trn_01KDVMF0000000000000000001',
      type: 'tool_result',
      ts: 1_767_225_600,
      summary: 'read_file: # Plan',
      duration_ms: 4,
      tool_call_id: 'call_1',
    },
  ],
  ...rowOf(
    {
      event_id,
      seq: shownSeq,
      turn_id,
      type,
      ts,
      summary: { ...string, description: 'At most 200 characters in one line', examples: ['Plan my week.'] },
      duration_ms: { ...integer, description: 'Of a call of a model or a tool', examples: [1830] },
      tool_call_id: {
        ...string,
        description: 'The call of a tool that the event begins or ends',
        examples: ['call_1/2/call_7'],
      },
      parent_tool_call_id: {
        ...string,
        description: 'The call of `task` or `ask_agent` that delegated it',
        examples: ['call_1'],
      },
    },
    ['duration_ms', 'tool_call_id', 'parent_tool_call_id'],
  ),
} as const

/** GET …/trajectory. */
export const eventsPage = {
  title: 'TrajectoryPage',
  ...rowOf({
    events: { type: 'array', items: eventRow },
    has_more: {
      type: 'boolean',
      description:
        'True if more events follow in the direction of the bounds: older ones without `after_seq`',
    },
  }),
} as const

/** GET …/trajectory/events/:event_id. */
export const wholeEvent = {
  title: 'WholeTrajectoryEvent',
  examples: [
    {
      event_id: 'evt_1',
      seq: 1,
      turn_id: 'trn_01KDVMF0000000000000000001',
      type: 'turn_started',
      ts: 1_767_225_600,
      frame: { message_id: 'msg_01KDVMF0000000000000000001' },
      input: [{ type: 'text', text: 'Plan my week.' }],
      model: 'openai:gpt-5',
      locale: 'en',
    },
  ],
  ...objectOf(
    {
      event_id,
      seq: shownSeq,
      turn_id,
      type,
      ts,
      frame: {
        ...anything,
        description: 'The fields of the frame of this type',
        examples: [{ message_id: 'msg_01KDVMF0000000000000000001' }],
      },
      ...record,
      answer: true,
    },
    ['event_id', 'seq', 'turn_id', 'type', 'ts', 'frame'],
  ),
} as const

const quantiles = {
  title: 'Quantiles',
  ...rowOf({
    p50: { ...nullable(integer), description: 'The median; null without a call', examples: [420] },
    p95: { ...nullable(integer), description: 'The 95th percentile', examples: [910] },
  }),
} as const

/**
 * GET …/trajectory/metrics. Times are milliseconds. The time spent waiting for a person is counted in `waiting_ms`
 * only; `first_token_ms` is the time from the start of a turn to the first token of its first model call.
 */
export const metrics = {
  title: 'TrajectoryMetrics',
  ...rowOf({
    turns: { ...integer, examples: [4] },
    model_calls: { ...integer, examples: [7] },
    tool_calls: {
      type: 'object',
      additionalProperties: rowOf({ count: integer, errors: integer, ms: integer }),
      description: 'By the name of the tool',
      examples: [{ read_file: { count: 3, errors: 0, ms: 12 } }],
    },
    tokens: {
      type: 'object',
      additionalProperties: integer,
      description: 'By the names of the fields of `Usage`',
      examples: [{ input_tokens: 812, output_tokens: 96, total_tokens: 908 }],
    },
    cost: {
      ...costRow,
      description: 'What the model calls with a known price cost; null if none has one',
    },
    time: {
      description: 'Milliseconds',
      ...rowOf({
        total_ms: { ...integer, examples: [9150] },
        model_ms: { ...integer, examples: [8020] },
        tool_ms: { ...integer, examples: [1130] },
        waiting_ms: { ...integer, description: 'Waiting for a person', examples: [0] },
        first_token_ms: {
          ...quantiles,
          description: 'From the start of a turn to the first token of its first model call',
        },
      }),
    },
  }),
} as const

const bound = <const Description extends string>(description: Description) =>
  ({ type: 'integer', minimum: 0, maximum: 999_999_999_999, description }) as const

/** The query of the list. */
export const listQuery = objectOf({
  limit: pageQuery.limit,
  before_seq: bound('Only events before this `seq`'),
  after_seq: bound('Only events after this `seq`, the first ones of them'),
  type: { ...type, description: 'Only events of this type' },
  turn_id: { type: 'string', maxLength: 128, description: 'Only events of this turn' },
})

/** The query of the stream. */
export const streamQuery = objectOf({
  after_seq: bound('Begins after this `seq`; by default with the next event that happens'),
})

/** The query of the export. */
export const exportQuery = objectOf({
  format: {
    title: 'TrajectoryFormat',
    enum: ['jsonl', 'json'],
    default: 'jsonl',
    description: '`jsonl`: a line for the thread and one for each event; `json`: one document',
  },
})

/** The first line of an exported trajectory. In the `json` format, the events are in its field `events`. */
export const exportHead = rowOf({
  format: { const: 'svc-trajectory' },
  version: { const: 1 },
  thread_id: { type: 'string', maxLength: 128 },
  title: nullable({ type: 'string', maxLength: 1000 }),
  /** Unix seconds. */
  created_at: { type: 'integer', minimum: 0, maximum: 253_402_300_799 },
  exported_at: { type: 'integer', minimum: 0, maximum: 253_402_300_799 },
  agent: rowOf({ name: { type: 'string', maxLength: 1000 } }),
})

export type ExportHead = TypeOf<typeof exportHead>

/** Every further line of an export: an event of the ledger, `ts` in Unix milliseconds. */
export const exportedEvent = objectOf(
  {
    seq,
    turn_id: { type: 'string', minLength: 1, maxLength: 128 },
    ts: { type: 'integer', minimum: 0, maximum: 253_402_300_799_000 },
    type,
    frame: anything,
    ...record,
    answer: { type: 'string' },
  },
  ['seq', 'turn_id', 'ts', 'type', 'frame'],
)

const event = { title: 'ExportedEvent', ...exportedEvent } as const

/** An export: one document with its events, or a line for its head and one for each event. */
export const trajectoryExport = {
  title: 'TrajectoryExport',
  anyOf: [
    {
      title: 'TrajectoryDocument',
      ...rowOf({ ...exportHead.properties, events: { type: 'array', items: event } }),
    },
    { title: 'TrajectoryHead', ...exportHead },
    event,
  ],
} as const
