import type { components } from '#client'
import { client } from '../server/client.ts'
import { ifMatch, send, sendTagged, settings } from '../server/send.ts'
import { mergePatch } from '../ui/draft.ts'
import { assertComplete, pruneValues, type Schema, type Values } from '../ui/schema-form-schema.ts'

export type Channel = components['schemas']['Channel']
export type ChannelKind = components['schemas']['ChannelKind']

/** The values of the form of a channel; stored secrets are masks. */
export interface ChannelValues {
  name: string
  config: Values
  enabled: boolean
}

/** The values of a stored channel. */
export const valuesOf = ({ name, config, enabled }: Channel): ChannelValues => ({ name, config, enabled })

/** The values with which the form of a new channel begins. */
export function newValues({ label }: ChannelKind, names: string[], config: Values = {}): ChannelValues {
  let name = label
  for (let number = 2; names.includes(name); number++) name = `${label} ${number}`
  return { name, config, enabled: true }
}

/** Stores a new channel. */
export async function createChannel(
  agentId: string,
  { kind, config_schema }: ChannelKind,
  values: ChannelValues,
) {
  assertComplete(config_schema as Schema, values.config)
  const config = settings(pruneValues(config_schema as Schema, values.config))
  return send(
    client.POST('/agents/{id}/channels', {
      params: { path: { id: agentId } },
      body: { ...values, kind, name: values.name.trim(), config },
    }),
  )
}

/** Reads a channel with the tag of its version. */
export const readChannel = ({ id: cid, agent_id: id }: Channel) =>
  sendTagged(client.GET('/agents/{id}/channels/{cid}', { params: { path: { id, cid } } }))

/** Stores what has changed of a channel. */
export async function updateChannel(
  { id: cid, agent_id: id }: Channel,
  base: ChannelValues,
  values: ChannelValues,
  { tag, kind }: { tag?: string | null; kind?: ChannelKind | undefined } = {},
) {
  const schema = (kind?.config_schema ?? {}) as Schema
  assertComplete(schema, values.config)
  const config = mergePatch(base.config, pruneValues(schema, values.config))
  const body = {
    ...(values.name !== base.name && { name: values.name.trim() }),
    ...(values.enabled !== base.enabled && { enabled: values.enabled }),
    ...(Object.keys(config).length > 0 && { config: settings(config) }),
  }
  const params = { path: { id, cid }, header: ifMatch(tag) }
  return send(client.PATCH('/agents/{id}/channels/{cid}', { params, body }))
}

/** Deletes a channel. */
export const deleteChannel = ({ id: cid, agent_id: id }: Channel) =>
  send<unknown>(client.DELETE('/agents/{id}/channels/{cid}', { params: { path: { id, cid } } }))

/** Checks settings that need not be stored; masks mean the secrets of the channel. */
export function probeChannel(agentId: string, kind: ChannelKind, config: Values, stored?: Channel) {
  const body = {
    kind: kind.kind,
    config: settings(pruneValues(kind.config_schema as Schema, config)),
    ...(stored && { channel_id: stored.id }),
  }
  return send(client.POST('/agents/{id}/channels/probe', { params: { path: { id: agentId } }, body }))
}
