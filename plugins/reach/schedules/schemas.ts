import { connectorIds, knowledgeBaseIds, managedRow, nullable, objectOf, rowOf } from '#plugin-api'

/** The most characters of a prompt. */
const MAX_PROMPT = 20_000
/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799

const seconds = { type: 'integer', minimum: 0, description: 'Unix seconds' } as const
const timezone = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'The IANA name of a time zone',
  examples: ['Europe/Berlin'],
} as const

/** The times at which a schedule runs. */
export const timeRule = {
  title: 'TimeRule',
  description:
    'A cron expression of five fields with a time zone, an interval, or a single time. A time of day that daylight saving skips runs at the first time after the gap, and one that comes twice runs the first time; expressions with `*` or `/` in the minutes or hours follow elapsed time instead',
  examples: [{ cron: '30 8 * * 1-5', timezone: 'Europe/Berlin' }],
  oneOf: [
    {
      title: 'CronRule',
      ...objectOf(
        {
          cron: {
            type: 'string',
            minLength: 1,
            maxLength: 128,
            description:
              'Minute, hour, day of the month, month, day of the week; `L`, `#`, `W`, names, `@daily` and ranges that wrap round, such as `FRI-MON`, are understood',
            examples: ['30 8 * * 1-5'],
          },
          timezone,
        },
        ['cron', 'timezone'],
      ),
    },
    {
      title: 'IntervalRule',
      ...objectOf(
        {
          every_seconds: {
            type: 'integer',
            minimum: 60,
            maximum: 31_536_000,
            description: 'Counted from the creation of the schedule or the last change of this rule',
            examples: [3600],
          },
        },
        ['every_seconds'],
      ),
    },
    {
      title: 'OnceRule',
      ...objectOf(
        {
          at: {
            type: 'integer',
            minimum: 0,
            maximum: LAST_SECOND,
            description: 'Unix seconds, in the future',
            examples: [1_893_456_000],
          },
        },
        ['at'],
      ),
    },
  ],
} as const

/** A conversation to which answers are delivered. */
export const deliver = {
  title: 'Destination',
  ...objectOf(
    {
      channel_id: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
        description: 'The id of a channel of the agent',
        examples: ['chn_01KDVMF0000000000000000001'],
      },
      conversation_id: {
        type: 'string',
        minLength: 1,
        maxLength: 512,
        description: 'The id of the conversation on the platform',
        examples: ['84210013'],
      },
    },
    ['channel_id', 'conversation_id'],
  ),
} as const

/** The state of a run. */
export const runStatus = {
  title: 'RunStatus',
  enum: ['running', 'waiting', 'succeeded', 'failed', 'skipped'],
  description: '`waiting` for the decision of a person; `skipped` was never started',
  examples: ['succeeded'],
} as const

/** The reason for which the server itself has disabled a schedule. */
export const pausedReason = {
  title: 'PausedReason',
  enum: ['TOO_MANY_FAILURES', 'CHANNEL_REMOVED'],
  description:
    'Five due runs in a row have failed, or the conversation that answers are delivered to is gone',
  examples: ['TOO_MANY_FAILURES'],
} as const

const name = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  examples: ['Morning plan'],
} as const
const prompt = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_PROMPT,
  pattern: '\\S',
  description: 'The message that the agent receives at each run',
  examples: ['Read plan.md and tell me the three most important items of today.'],
} as const
const enabled = { type: 'boolean', description: 'False while nothing runs', examples: [true] } as const
const thread = {
  title: 'RunThread',
  enum: ['new', 'same'],
  description: 'A thread for each run, or one in which all runs continue',
  examples: ['new'],
} as const
const model = {
  ...nullable({ type: 'string', minLength: 3, maxLength: 256 } as const),
  description: 'As `<provider>:<model>`; null for the model of the agent',
  examples: ['openai:gpt-5'],
} as const
const delivered = {
  ...nullable(deliver),
  description:
    'The conversation of a channel to which answers are delivered. Only for the owner of the agent, who also needs the permission `channels`',
} as const

/** The fields of a schedule that clients set. */
const settings = {
  ...{ name, prompt, schedule: timeRule, enabled, thread, model, deliver: delivered },
  knowledge_base_ids: {
    ...knowledgeBaseIds,
    description: 'Knowledge bases that its runs search in addition to those of the agent',
  },
  connector_ids: {
    ...connectorIds,
    description: 'Connectors whose tools its runs can use, in addition to those of the agent',
  },
} as const

/** The body of POST /agents/:id/cron. */
export const newSchedule = {
  title: 'NewSchedule',
  ...objectOf(
    { ...settings, enabled: { ...enabled, default: true }, thread: { ...thread, default: 'new' } },
    ['name', 'prompt', 'schedule'],
  ),
} as const

/** The body of PATCH /agents/:id/cron/:job_id. */
export const scheduleChanges = {
  title: 'ScheduleChanges',
  ...objectOf(settings),
  minProperties: 1,
} as const

/** The body of POST /agents/:id/cron/preview. */
export const previewRequest = {
  title: 'SchedulePreview',
  ...objectOf({ schedule: timeRule }, ['schedule']),
} as const

/** The reply to it. */
export const preview = {
  title: 'DueTimes',
  ...rowOf({
    times: {
      type: 'array',
      items: seconds,
      description: 'The next five times, in Unix seconds; fewer if there are fewer',
      examples: [[1_893_456_000]],
    },
  }),
} as const

/** The path of a schedule. */
export const scheduleParams = rowOf({
  job_id: { type: 'string', description: 'The id of your schedule' },
})

const { prompt: _, ...listedSettings } = settings

const listed = {
  id: { type: 'string', examples: ['job_01KDVMF0000000000000000001'] },
  ...listedSettings,
  next_run_at: nullable({ ...seconds, description: 'Unix seconds; null if nothing is due' }),
  last_run_at: nullable({ ...seconds, description: 'Unix seconds; null before the first run' }),
  last_status: { ...nullable(runStatus), description: 'The state of the newest run; null before it' },
  failures: {
    type: 'integer',
    minimum: 0,
    description: 'The due runs that have failed since the last success or change; the fifth disables it',
    examples: [0],
  },
  paused_reason: {
    ...nullable(pausedReason),
    description: 'Set if the server itself has disabled it; enabling it again clears it',
    examples: [null],
  },
  ...managedRow,
  created_at: seconds,
  updated_at: seconds,
} as const

/** A schedule in a list. */
export const listedScheduleRow = { title: 'ListedSchedule', ...rowOf(listed) } as const

/** A schedule. */
export const scheduleRow = { title: 'Schedule', ...rowOf({ ...listed, prompt }) } as const

const threadId = {
  ...nullable({ type: 'string' } as const),
  description: 'Null if it was skipped',
  examples: ['thr_01KDVMF0000000000000000001'],
} as const
const turnId = {
  ...nullable({ type: 'string' } as const),
  description: 'Null if no turn has started',
  examples: ['trn_01KDVMF0000000000000000001'],
} as const

/** A run in the list of runs. */
export const runRow = {
  title: 'ScheduleRun',
  ...rowOf(
    {
      id: { type: 'string', examples: ['job_01KDVMF0000000000000000001:1893456000'] },
      due_at: nullable({ ...seconds, description: 'Unix seconds; null if a person started it' }),
      started_at: { ...seconds, description: 'Unix seconds; if it was skipped, the time of this note' },
      ended_at: nullable({ ...seconds, description: 'Unix seconds; null until it has ended' }),
      status: runStatus,
      thread_id: threadId,
      turn_id: turnId,
      error: {
        title: 'RunError',
        description: 'The reason why it failed or was skipped',
        ...rowOf({
          code: { type: 'string', examples: ['AGENT_NOT_RUNNING'] },
          message: { type: 'string', examples: ['The agent is not running.'] },
        }),
      },
    },
    ['error'],
  ),
} as const

/** The reply to POST …/run-now. */
export const startedRun = {
  title: 'StartedRun',
  ...rowOf({
    thread_id: { type: 'string', examples: ['thr_01KDVMF0000000000000000001'] },
    turn_id: { type: 'string', examples: ['trn_01KDVMF0000000000000000001'] },
  }),
} as const
