import type { components } from '#client'
import { client } from '../server/client.ts'
import { lacks } from '../server/failure.ts'
import { ifMatch, send, sendTagged } from '../server/send.ts'
import { listChanges } from '../ui/draft.ts'
import { newRule, type RuleValues, readRule, writeRule } from './rule.ts'

export type Schedule = components['schemas']['Schedule']
export type ListedSchedule = components['schemas']['ListedSchedule'] & { agent_id: string }
export type Example = components['schemas']['ExampleSchedule']
export type Destination = components['schemas']['Destination']

/** The values of the form of a schedule. */
export interface ScheduleValues
  extends Pick<
    Schedule,
    'name' | 'prompt' | 'thread' | 'model' | 'deliver' | 'knowledge_base_ids' | 'connector_ids'
  > {
  rule: RuleValues
}

/** The first values of the form of a new schedule: empty, or the values of an example. */
export const newValues = ({ name = '', prompt = '', schedule }: Partial<Example> = {}): ScheduleValues => ({
  name,
  prompt,
  rule: schedule ? readRule(schedule) : newRule(),
  thread: 'new',
  model: null,
  deliver: null,
  knowledge_base_ids: [],
  connector_ids: [],
})

/** The values of a stored schedule. */
export const valuesOf = ({
  name,
  prompt,
  schedule,
  thread,
  model,
  deliver,
  knowledge_base_ids,
  connector_ids,
}: Schedule): ScheduleValues => ({
  name,
  prompt,
  rule: readRule(schedule),
  thread,
  model,
  deliver,
  knowledge_base_ids,
  connector_ids,
})

const toBody = ({ rule, name, prompt, ...values }: ScheduleValues) => ({
  ...values,
  name: name.trim() || nameFrom(prompt),
  prompt: prompt.trim(),
  schedule: writeRule(rule),
})

const pathOf = ({ agent_id: id, id: job_id }: Pick<ListedSchedule, 'agent_id' | 'id'>) => ({ id, job_id })

const MAX_NAME = 60

/** Returns the first sentence of a task as the name of its schedule. */
export function nameFrom(prompt: string): string {
  const [line = ''] = prompt.trim().split('\n')
  const sentence = /^.+?(?:[.!?](?=\s|$)|[。！？])/.exec(line)?.[0] ?? line
  const characters = [...sentence.replace(/[.。]$/, '')]
  return characters.length > MAX_NAME
    ? `${characters
        .slice(0, MAX_NAME - 1)
        .join('')
        .trimEnd()}…`
    : characters.join('')
}

/** Throws the failure of a form if a field that is required is empty. */
function assertComplete({ prompt, deliver }: ScheduleValues): void {
  const missing = [
    ...(prompt.trim() === '' ? ['/prompt'] : []),
    ...(deliver?.conversation_id === '' ? ['/deliver'] : []),
  ]
  if (missing.length > 0) throw lacks(missing)
}

/** Stores a new schedule; throws the failure of a form that lacks something. */
export async function createSchedule(agentId: string, values: ScheduleValues) {
  assertComplete(values)
  return send(client.POST('/agents/{id}/cron', { params: { path: { id: agentId } }, body: toBody(values) }))
}

/** Reads a schedule with the tag of its version. */
export const readSchedule = (schedule: ListedSchedule) =>
  sendTagged(client.GET('/agents/{id}/cron/{job_id}', { params: { path: pathOf(schedule) } }))

/** Stores what has changed of a schedule. An unchanged rule is not sent, as its intervals would count anew. */
export async function updateSchedule(
  schedule: ListedSchedule,
  base: ScheduleValues,
  values: ScheduleValues,
  tag: string | null,
) {
  assertComplete(values)
  const body = listChanges(toBody(base), toBody(values))
  const params = { path: pathOf(schedule), header: ifMatch(tag) }
  return send(client.PATCH('/agents/{id}/cron/{job_id}', { params, body }))
}

/** Pauses a schedule, or lets it run again. */
export const enableSchedule = (schedule: ListedSchedule, enabled: boolean) =>
  send(client.PATCH('/agents/{id}/cron/{job_id}', { params: { path: pathOf(schedule) }, body: { enabled } }))

/** Starts a run at once. */
export const runSchedule = (schedule: ListedSchedule) =>
  send(client.POST('/agents/{id}/cron/{job_id}/run-now', { params: { path: pathOf(schedule) } }))

/** Deletes a schedule with its list of runs. */
export const deleteSchedule = (schedule: ListedSchedule) =>
  send<unknown>(client.DELETE('/agents/{id}/cron/{job_id}', { params: { path: pathOf(schedule) } }))
