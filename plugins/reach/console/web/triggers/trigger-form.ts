import type { components } from '#client'
import { client } from '../server/client.ts'
import { lacks } from '../server/failure.ts'
import { ifMatch, refresh, send, sendTagged } from '../server/send.ts'
import { listChanges } from '../ui/draft.ts'

export type Trigger = components['schemas']['Trigger']
export type Scheme = components['schemas']['TriggerScheme']

/** The ways to verify requests in the order of the form. */
export const SCHEMES: Scheme[] = ['token', 'github', 'stripe', 'standard']

/** The values of the form of a trigger. */
export interface TriggerValues extends Pick<Trigger, 'name' | 'prompt' | 'thread' | 'model'> {
  scheme: Scheme
  /** A secret that the other service has made; undefined for one of this server, or the stored one. */
  secret: string | undefined
}

/** A trigger and its secret, which is not shown again. */
export type TriggerWithSecret = Trigger & { secret: string }

/** The first values of the form of a new trigger. */
export const newValues: TriggerValues = {
  name: '',
  prompt: '',
  thread: 'new',
  model: null,
  scheme: 'token',
  secret: undefined,
}

/** The values of a stored trigger. */
export const valuesOf = ({ name, prompt, thread, model, verify: { scheme } }: Trigger): TriggerValues => ({
  name,
  prompt,
  thread,
  model,
  scheme,
  secret: undefined,
})

/** Returns the whole address of a trigger: without a public address, that of this page. */
export const addressOf = ({ url }: Pick<Trigger, 'url'>) => new URL(url, location.origin).href

const pathOf = (agent: string, { id: trigger_id }: Pick<Trigger, 'id'>) => ({
  path: { id: agent, trigger_id },
})
const readAgain = () => refresh('/agents/{id}/triggers', '/auth/me')

const toBody = ({ scheme, secret, ...values }: TriggerValues) => ({
  ...values,
  verify: { scheme, ...(secret && { secret }) },
})

function assertComplete({ name, prompt }: TriggerValues): void {
  const missing = [...(name.trim() === '' ? ['/name'] : []), ...(prompt.trim() === '' ? ['/prompt'] : [])]
  if (missing.length > 0) throw lacks(missing)
}

/** Stores a new trigger; throws the failure of a form that lacks something. */
export async function createTrigger(agent: string, values: TriggerValues): Promise<TriggerWithSecret> {
  assertComplete(values)
  const params = { path: { id: agent } }
  const created = await send(client.POST('/agents/{id}/triggers', { params, body: toBody(values) }))
  await readAgain()
  return { ...created, secret: created.secret ?? values.secret! }
}

/** Reads a trigger with the tag of its version. */
export const readTrigger = (agent: string, trigger: Trigger) =>
  sendTagged(client.GET('/agents/{id}/triggers/{trigger_id}', { params: pathOf(agent, trigger) }))

/** Stores what has changed of a trigger. */
export async function updateTrigger(
  agent: string,
  trigger: Trigger,
  { base, values, tag }: { base: TriggerValues; values: TriggerValues; tag: string | null },
): Promise<void> {
  assertComplete(values)
  const params = { ...pathOf(agent, trigger), header: ifMatch(tag) }
  const body = listChanges(toBody(base), toBody(values))
  await send(client.PATCH('/agents/{id}/triggers/{trigger_id}', { params, body }))
  await readAgain()
}

/** Switches a trigger on or off. */
export const enableTrigger = (agent: string, trigger: Trigger, enabled: boolean) =>
  send(
    client.PATCH('/agents/{id}/triggers/{trigger_id}', {
      params: pathOf(agent, trigger),
      body: { enabled },
    }),
  ).finally(readAgain)

/** Deletes a trigger with its list of requests. */
export const deleteTrigger = (agent: string, trigger: Trigger) =>
  send<unknown>(
    client.DELETE('/agents/{id}/triggers/{trigger_id}', { params: pathOf(agent, trigger) }),
  ).finally(readAgain)

/** Makes a new secret; returns it. */
export const replaceSecret = async (agent: string, trigger: Trigger): Promise<string> =>
  (await send(client.POST('/agents/{id}/triggers/{trigger_id}/secret', { params: pathOf(agent, trigger) })))
    .secret
