import { AppError, type Issue, objectOf, type Tool, type ToolContext, type TypeOf } from '#plugin-api'
import { previewTimes } from './due-times.ts'
import type { Cradle } from './manifest.ts'
import type { ScheduleDocument, TimeRule } from './types.ts'

/** The most schedules that a list shows. */
const MAX_LISTED = 50

const input = objectOf(
  {
    action: { enum: ['create', 'list', 'cancel'] },
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      pattern: '\\S',
      description: 'A short name, to create',
    },
    prompt: {
      type: 'string',
      minLength: 1,
      maxLength: 20_000,
      pattern: '\\S',
      description:
        'To create: the message that you will receive at each run, with everything that you need to know then.',
    },
    schedule: {
      description: 'To create: either cron with timezone, or every_seconds, or at.',
      ...objectOf({
        cron: {
          type: 'string',
          maxLength: 128,
          description: 'Minute, hour, day of month, month, day of week; `30 8 * * 1-5` is 8:30 on weekdays.',
        },
        timezone: { type: 'string', maxLength: 64, description: 'IANA name, such as Europe/Berlin.' },
        every_seconds: { type: 'integer', minimum: 60, maximum: 31_536_000 },
        at: {
          type: 'string',
          format: 'date-time',
          description: 'A single time, with its offset: 2027-01-31T18:00:00+01:00.',
        },
      }),
    },
    job_id: { type: 'string', maxLength: 64, description: 'To cancel: the id, from the list.' },
  },
  ['action'],
)

type Input = TypeOf<typeof input>
type Parts = Pick<Cradle, 'agents' | 'clock' | 'extensions' | 'runs' | 'schedules' | 'scheduler' | 'threads'>

/** Creates the tool with which a conversation makes schedules; `partsOf` returns the services when it is called. */
export const createScheduleTool = (partsOf: () => Parts): Tool => ({
  name: 'schedule',
  label: { en: 'Schedule a task', zh: '安排定时任务' },
  description: `Makes, lists and cancels schedules: prompts that you will receive at given times and carry out without anybody writing to you.
Use it when the user wants something done later or again and again ("every weekday at 8:30", "in two hours"). Ask for the time zone if you do not know it, and call it with action list first if you need to know the time it is now.
From a conversation on a messaging platform, the answers of the runs are sent to that conversation; otherwise the user finds them in threads. A run sees only its prompt: put into it what it needs.`,
  input_schema: input,
  disableable: true,
  top_level_only: true,
  needsApproval: ({ action }: Input) => action !== 'list',
  async execute(call: Input, context) {
    const parts = partsOf()
    switch (call.action) {
      case 'create':
        return create(call, context, parts)
      case 'cancel':
        return cancel(call, context, parts)
      default:
        return list(context, parts)
    }
  },
})

async function create(
  { name, prompt, schedule: toolSchedule }: Input,
  { agent_id, thread_id, user_id }: ToolContext,
  { clock, extensions, schedules, scheduler, threads }: Parts,
): Promise<string> {
  if (name === undefined || prompt === undefined || toolSchedule === undefined)
    throw new Error('name, prompt and schedule are needed to create a schedule')
  const owner = { user_id, agent_id }
  const [thread, destinations] = await Promise.all([
    threads.get(owner, thread_id),
    extensions['schedules.destinations'].ask({ agent_id, thread_id }),
  ])
  const destination = destinations.find((one) => one !== undefined)
  const deliver = destination
    ? { channel_id: destination.channel_id, conversation_id: destination.conversation_id }
    : null
  const { knowledge_base_ids = [] } = thread
  const settings = { name, prompt, enabled: true, thread: 'new', model: null, deliver } as const
  const scopes = thread.active_turn?.scopes ?? null
  const times = await inWords(async () => {
    const rule = toRule(toolSchedule)
    await schedules.create(owner, { ...settings, schedule: rule, knowledge_base_ids }, scopes)
    return previewTimes(rule, clock.seconds())
  })
  scheduler.wake()
  const delivery = deliver
    ? 'Its answers are sent to this conversation.'
    : 'Each run has a thread of its own.'
  return `The schedule "${name}" is created. It runs at ${times.map(formatTime).join(', ')}${times.length > 1 ? ' and so on' : ''}. ${delivery}`
}

async function list({ agent_id, user_id }: ToolContext, { clock, schedules }: Parts): Promise<string> {
  const { rows } = await schedules.list({ user_id, agent_id }, { limit: MAX_LISTED })
  const lines = rows.map(describe)
  return [
    `It is ${formatTime(clock.seconds())}.`,
    ...(lines.length > 0 ? lines : ['There are no schedules.']),
  ].join('\n')
}

async function cancel(
  { job_id }: Input,
  { agent_id, user_id }: ToolContext,
  { runs, schedules }: Parts,
): Promise<string> {
  if (job_id === undefined) throw new Error('job_id is needed to cancel a schedule')
  await inWords(() => schedules.remove({ user_id, agent_id }, job_id))
  await runs.removeAllOf({ schedule_id: job_id })
  return 'The schedule is cancelled.'
}

/** Returns the rule that a model has described; throws a sentence if it has not described exactly one. */
function toRule({ cron, timezone, every_seconds, at }: NonNullable<Input['schedule']>): TimeRule {
  const rules: TimeRule[] = [
    ...(cron === undefined ? [] : [{ cron, timezone: timezone ?? '' }]),
    ...(every_seconds === undefined ? [] : [{ every_seconds }]),
    ...(at === undefined ? [] : [{ at: Math.floor(Date.parse(at) / 1000) }]),
  ]
  if (rules.length !== 1) throw new Error('schedule needs either cron, every_seconds or at')
  if (cron !== undefined && timezone === undefined) throw new Error('cron needs a timezone')
  return rules[0]!
}

/** Runs an action, and throws its issues as a sentence for the model. */
async function inWords<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') throw error
    const issues = error.details.issues as Issue[]
    throw new Error(issues.map(({ path, message }) => `${path.slice(1)} ${message}`).join('; '), {
      cause: error,
    })
  }
}

const describe = ({
  _id,
  name,
  schedule,
  enabled,
  next_run_at,
  last_status,
  paused_reason,
}: ScheduleDocument) => {
  const next = next_run_at === null ? 'nothing is due' : `next at ${formatTime(next_run_at)}`
  const state = enabled ? next : `disabled${paused_reason === null ? '' : `: ${paused_reason}`}`
  return `${_id} "${name}" ${JSON.stringify(schedule)}, ${state}${last_status === null ? '' : `, last run ${last_status}`}`
}

const formatTime = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
