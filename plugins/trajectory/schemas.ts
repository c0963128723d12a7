import { nullable, objectOf, rowOf, type TypeOf } from '#kernel'
import { REASONING_LEVELS } from '#plugin-api'
import { pageQuery } from '#toolbox'
import type { FrameType } from '../chat/ledger/ledger-event.ts'

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const
const seq = { type: 'integer', minimum: 1, maximum: 999_999_999_999 } as const
const milliseconds = { type: 'integer', minimum: 0, maximum: 999_999_999_999 } as const
const anything = { type: 'object', additionalProperties: true } as const

const type = {
  enum: [
    'turn_started',
    'content',
    'reasoning',
    'tool_call',
    'tool_progress',
    'tool_result',
    'attachment',
    'usage',
    'hitl_required',
    'hitl_resolved',
    'done',
    'error',
  ],
} as const satisfies { enum: readonly FrameType[] }

/** The fields of an event besides its frame; `answer` is the model's answer as JSON. */
const record = {
  input: { type: 'array', items: anything, maxItems: 64 },
  model: { type: 'string', maxLength: 512 },
  locale: { enum: ['en', 'zh'] },
  whole_args: { type: 'object', additionalProperties: string, maxProperties: 16 },
  settings: objectOf({
    temperature: { type: 'number' },
    top_p: { type: 'number' },
    max_output_tokens: integer,
    max_steps: { type: 'integer', minimum: 1, maximum: 100 },
    reasoning: { enum: REASONING_LEVELS },
  }),
  first_token_ms: nullable(milliseconds),
  ms: milliseconds,
} as const

/** One row of the list. */
export const eventRow = {
  title: 'TrajectoryEvent',
  ...rowOf(
    {
      event_id: string,
      seq: integer,
      turn_id: string,
      type,
      ts: { type: 'integer', description: 'Unix seconds' },
      summary: string,
      duration_ms: integer,
    },
    ['duration_ms'],
  ),
} as const

/** GET …/trajectory. */
export const eventsPage = {
  title: 'TrajectoryPage',
  ...rowOf({ events: { type: 'array', items: eventRow }, has_more: { type: 'boolean' } }),
} as const

/** GET …/trajectory/events/:event_id. */
export const wholeEvent = {
  title: 'WholeTrajectoryEvent',
  ...objectOf(
    {
      event_id: string,
      seq: integer,
      turn_id: string,
      type,
      ts: { type: 'integer', description: 'Unix seconds' },
      frame: anything,
      ...record,
      answer: true,
    },
    ['event_id', 'seq', 'turn_id', 'type', 'ts', 'frame'],
  ),
} as const

const quantiles = rowOf({ p50: nullable(integer), p95: nullable(integer) })

/**
 * GET …/trajectory/metrics. Times are milliseconds. The time spent waiting for a person is counted in `waiting_ms`
 * only; `first_token_ms` is the time from the start of a turn to the first token of its first model call.
 */
export const metrics = {
  title: 'TrajectoryMetrics',
  ...rowOf({
    turns: integer,
    model_calls: integer,
    tool_calls: {
      type: 'object',
      additionalProperties: rowOf({ count: integer, errors: integer, ms: integer }),
    },
    tokens: { type: 'object', additionalProperties: integer },
    time: rowOf({
      total_ms: integer,
      model_ms: integer,
      tool_ms: integer,
      waiting_ms: integer,
      first_token_ms: quantiles,
    }),
  }),
} as const

const bound = { type: 'integer', minimum: 0, maximum: 999_999_999_999 } as const

/** The query of the list. */
export const listQuery = objectOf({
  limit: pageQuery.limit,
  before_seq: bound,
  after_seq: bound,
  type,
  turn_id: { type: 'string', maxLength: 128 },
})

/** The query of the stream. */
export const streamQuery = objectOf({ after_seq: bound })

/** The query of the export. */
export const exportQuery = objectOf({ format: { enum: ['jsonl', 'json'], default: 'jsonl' } })

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
