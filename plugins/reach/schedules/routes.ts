import {
  AppError,
  type Locale,
  makeTag,
  objectOf,
  pageQuery,
  pageReply,
  type Route,
  reply,
  replyWithTag,
  showManaged,
} from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import { previewTimes } from './due-times.ts'
import { type Cradle, route } from './manifest.ts'
import { assertChoices } from './run-starts.ts'
import { scheduleFields } from './schedules.ts'
import {
  listedScheduleRow,
  newSchedule,
  preview,
  previewRequest,
  runRow,
  scheduleChanges,
  scheduleParams,
  scheduleRow,
  startedRun,
} from './schemas.ts'
import type { Destination, RunDocument, ScheduleDocument } from './types.ts'

const PATH = '/agents/:id/cron'
/** The errors of what a schedule chooses for its runs. */
const CHOICE_ERRORS = ['PROVIDER_NOT_VISIBLE', 'KNOWLEDGE_BASE_NOT_FOUND', 'CONNECTOR_NOT_FOUND'] as const
const list = <const Items extends object>(items: Items) => ({ type: 'array', items }) as const

const toOwner = ({ caller, agent }: { caller: { id: string }; agent: { _id: string } }) => ({
  user_id: caller.id,
  agent_id: agent._id,
})

const scopesOf = ({ credential }: { credential?: { scopes: readonly string[] } }) =>
  credential?.scopes ?? null

const toListedRow = ({ _id: id, name, schedule, enabled, thread, model, ...fields }: ScheduleDocument) => {
  const { knowledge_base_ids = [], connector_ids = [] } = fields
  const { deliver, next_run_at, last_run_at, last_status, failures, paused_reason } = fields
  const { created_at, updated_at } = fields
  const settings = { id, name, schedule, enabled, thread, model, deliver, knowledge_base_ids, connector_ids }
  return {
    ...settings,
    next_run_at,
    last_run_at,
    last_status,
    failures,
    paused_reason,
    ...showManaged(fields),
    created_at,
    updated_at,
  }
}

const showSchedule = <const Status extends number>(status: Status, schedule: ScheduleDocument) =>
  replyWithTag(
    status,
    { ...toListedRow(schedule), prompt: schedule.prompt },
    makeTag(schedule, scheduleFields),
  )

const toRunRow = (
  { _id: id, due_at, started_at, ended_at, status, thread_id, turn_id, error }: RunDocument,
  locale: Locale,
  { describeError }: Pick<Cradle, 'describeError'>,
) => ({
  ...{ id, due_at, started_at, ended_at, status, thread_id, turn_id },
  ...(error && {
    error: { code: error.code, message: describeError(error.code, error.details, locale) ?? error.code },
  }),
})

/** The routes of schedules. */
export const scheduleRoutes: Route<Cradle>[] = [
  route({
    method: 'GET',
    path: PATH,
    operation_id: 'listSchedules',
    summary: 'List your schedules with an agent',
    description:
      'Lists the schedules of the caller, newest first, without their prompts. The owner of a shared agent does not see those of its guests.',
    guard: 'agent',
    query: objectOf(pageQuery),
    response: { 200: list(listedScheduleRow) },
  }).handle(async (request, { schedules }) => {
    const { rows, next } = await schedules.list(toOwner(request), request.query)
    return pageReply(request.query, { rows: rows.map(toListedRow), next })
  }),

  route({
    method: 'POST',
    path: PATH,
    operation_id: 'createSchedule',
    summary: 'Create a schedule',
    description:
      'Has the agent carry out a prompt at given times, in the name of the account: within its quota and with its permissions. A call that needs approval waits in the thread of the run. A schedule created with an API key runs with the scopes of the key.',
    guard: 'agent',
    body: newSchedule,
    response: { 201: scheduleRow },
    errors: ['LIMIT_REACHED', 'FORBIDDEN', ...CHOICE_ERRORS],
    audit: { action: 'schedule.create', target: 'id' },
  }).handle(async (request, cradle) => {
    const { caller, agent, body } = request
    if (body.deliver) await assertDestination(caller, agent, body.deliver, cradle)
    await assertChoices(caller, agent, body, cradle)
    const schedule = await cradle.schedules.create(toOwner(request), body, scopesOf(caller))
    cradle.scheduler.wake()
    return showSchedule(201, schedule)
  }),

  route({
    method: 'POST',
    path: `${PATH}/preview`,
    operation_id: 'previewSchedule',
    summary: 'Show the next times of a rule',
    description: 'Returns the next five times at which a schedule with this rule would run; stores nothing.',
    guard: 'agent',
    body: previewRequest,
    response: { 200: preview },
    audit: { none: 'It computes times and stores nothing.' },
  }).handle(({ body }, { clock }) => ({ times: previewTimes(body.schedule, clock.seconds()) })),

  route({
    method: 'GET',
    path: `${PATH}/:job_id`,
    operation_id: 'getSchedule',
    summary: 'Get a schedule',
    description: 'Returns the schedule with its prompt, its next time and the state of its newest run.',
    guard: 'agent',
    params: scheduleParams,
    response: { 200: scheduleRow },
    errors: ['NOT_FOUND'],
    etag: true,
  }).handle(async (request, { schedules }) =>
    showSchedule(200, await schedules.get(toOwner(request), request.params.job_id)),
  ),

  route({
    method: 'PATCH',
    path: `${PATH}/:job_id`,
    operation_id: 'updateSchedule',
    summary: 'Change a schedule',
    description:
      'Changes the given fields and forgets its failures. A changed rule applies immediately, and its intervals count from now. What an API key changes runs with the scopes of the key from then on.',
    guard: 'agent',
    params: scheduleParams,
    body: scheduleChanges,
    response: { 200: scheduleRow },
    errors: ['NOT_FOUND', 'FORBIDDEN', ...CHOICE_ERRORS],
    audit: 'schedule.update',
    etag: true,
  }).handle(async (request, cradle) => {
    const { caller, agent, params, body } = request
    if (body.deliver) await assertDestination(caller, agent, body.deliver, cradle)
    await assertChoices(caller, agent, body, cradle)
    const how = { scopes: scopesOf(caller), request }
    const schedule = await cradle.schedules.update(toOwner(request), params.job_id, body, how)
    cradle.scheduler.wake()
    return showSchedule(200, schedule)
  }),

  route({
    method: 'DELETE',
    path: `${PATH}/:job_id`,
    operation_id: 'deleteSchedule',
    summary: 'Delete a schedule',
    description:
      'Deletes the schedule with its list of runs. Their threads stay, and a run that has not ended continues there.',
    guard: 'agent',
    params: scheduleParams,
    response: { 204: null },
    errors: ['NOT_FOUND'],
    audit: 'schedule.delete',
  }).handle(async (request, { schedules, runs }) => {
    const schedule_id = request.params.job_id
    const { name } = await schedules.remove(toOwner(request), schedule_id)
    request.note({ name })
    await runs.removeAllOf({ schedule_id })
  }),

  route({
    method: 'POST',
    path: `${PATH}/:job_id/run-now`,
    operation_id: 'runSchedule',
    summary: 'Run a schedule now',
    description:
      'Starts a run immediately, even of a disabled schedule; its due times stay the same. A failure of this run does not count. The turn can be followed like any other in its thread.',
    guard: 'agent',
    params: scheduleParams,
    response: { 202: startedRun },
    errors: [
      'NOT_FOUND',
      'AGENT_NOT_RUNNING',
      'SCHEDULE_RUNNING',
      'LIMIT_REACHED',
      'THREAD_BUSY',
      'TOO_MANY_TURNS',
      'KNOWLEDGE_BASE_NOT_FOUND',
      'CONNECTOR_NOT_FOUND',
    ],
    audit: 'schedule.run',
  }).handle(async (request, { schedules, execution }) =>
    reply(202, await execution.runNow(await schedules.get(toOwner(request), request.params.job_id))),
  ),

  route({
    method: 'GET',
    path: `${PATH}/:job_id/runs`,
    operation_id: 'listScheduleRuns',
    summary: 'List the runs of a schedule',
    description:
      'Lists the newest hundred runs, newest first, and notes of due times that were skipped, with the reason.',
    guard: 'agent',
    params: scheduleParams,
    query: objectOf(pageQuery),
    response: { 200: list(runRow) },
    errors: ['NOT_FOUND'],
  }).handle(async (request, cradle) => {
    const { params, query, locale } = request
    const { _id } = await cradle.schedules.get(toOwner(request), params.job_id)
    const { rows, next } = await cradle.runs.list(_id, query)
    return pageReply(query, { rows: rows.map((run) => toRunRow(run, locale, cradle)), next })
  }),
]

/** The permission that opens the channels of one's own agents. */
const PERMISSION = 'channels'

/** Throws FORBIDDEN, and VALIDATION_FAILED if the conversation does not exist, unless this caller may use it. */
async function assertDestination(
  { id, role, permissions }: Pick<AuthCaller, 'id' | 'role' | 'permissions'>,
  agent: Pick<AgentDocument, '_id' | 'owner_id'>,
  destination: Destination,
  { extensions }: Pick<Cradle, 'extensions'>,
): Promise<void> {
  // Conversations belong to the account of the agent's owner, also if others may change the channel.
  if (agent.owner_id !== id) throw new AppError('FORBIDDEN')
  if (role !== 'admin' && !permissions.includes(PERMISSION))
    throw new AppError('FORBIDDEN', { permission: PERMISSION })
  const matches = await extensions['schedules.destinations'].ask({ agent_id: agent._id, ...destination })
  if (matches.some((one) => one !== undefined)) return
  const issue = {
    path: '/deliver',
    rule: 'conversation',
    message: 'is not a known conversation of the agent',
  }
  throw new AppError('VALIDATION_FAILED', { issues: [issue] })
}
