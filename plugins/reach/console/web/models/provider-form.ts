import type { components } from '#client'
import { client } from '../server/client.ts'
import { ifMatch, send, sendTagged, settings } from '../server/send.ts'
import { findFreeName, listChanges } from '../ui/draft.ts'
import { pruneValues, type Schema, type Values } from '../ui/schema-form-schema.ts'

export type Provider = components['schemas']['Provider']
export type ProviderKind = components['schemas']['ProviderKind']
export type ProviderModel = components['schemas']['ProviderModel']

/** The values of the form of a provider. */
export interface ProviderValues {
  scope: Provider['scope']
  name: string
  base_url: string | null
  /** The key that was entered; an empty one keeps what is stored. */
  api_key?: string | undefined
  options: Values
  /** The models that agents can use; all that the provider lists if empty. */
  models: ProviderModel[]
  max_concurrency: number | null
  enabled: boolean
}

/** The values with which the form of a new provider begins. */
export const newValues = (
  { kind }: ProviderKind,
  scope: Provider['scope'],
  names: string[],
): ProviderValues => ({
  scope,
  name: findFreeName(kind, names),
  base_url: null,
  options: {},
  models: [],
  max_concurrency: null,
  enabled: true,
})

/** The values of a stored provider. */
export const valuesOf = (provider: Provider): ProviderValues => {
  const { scope, name, base_url, options, models, max_concurrency, enabled } = provider
  return { scope, name, base_url, options, models, max_concurrency, enabled }
}

const toBody = ({ kind, config_schema }: ProviderKind, { scope: _, ...values }: ProviderValues) => ({
  ...values,
  kind,
  options: settings(pruneValues(config_schema as Schema, values.options)),
})

/** Stores a new provider. */
export function createProvider(kind: ProviderKind, values: ProviderValues) {
  const body = toBody(kind, values)
  return send(
    values.scope === 'global'
      ? client.POST('/admin/providers', { body })
      : client.POST('/providers', { body }),
  )
}

/** Reads a provider with the tag of its version. */
export function readProvider({ id, scope }: Pick<Provider, 'id' | 'scope'>) {
  const params = { params: { path: { id } } }
  return sendTagged(
    scope === 'global' ? client.GET('/admin/providers/{id}', params) : client.GET('/providers/{id}', params),
  )
}

/** Stores what has changed of a provider. */
export function updateProvider(
  { id, scope }: Pick<Provider, 'id' | 'scope'>,
  base: ProviderValues,
  values: ProviderValues,
  { tag, kind }: { tag?: string | null; kind?: ProviderKind | undefined } = {},
) {
  const schema = (kind?.config_schema ?? {}) as Schema
  const { scope: _, options, ...changes } = listChanges(base, values)
  const body = { ...changes, ...(options && { options: settings(pruneValues(schema, options)) }) }
  const init = { params: { path: { id }, header: ifMatch(tag) }, body }
  return send(
    scope === 'global' ? client.PATCH('/admin/providers/{id}', init) : client.PATCH('/providers/{id}', init),
  )
}

/** Removes the adjustments that refusals have taught for the models of a provider. */
export function forgetLearned({ id, scope }: Provider, tag: string | null) {
  const init = { params: { path: { id }, header: ifMatch(tag) }, body: { learned: [] } }
  return sendTagged(
    scope === 'global' ? client.PATCH('/admin/providers/{id}', init) : client.PATCH('/providers/{id}', init),
  )
}

/** Deletes a provider. */
export function deleteProvider({ id, scope }: Provider) {
  const params = { params: { path: { id } } }
  return send<unknown>(
    scope === 'global'
      ? client.DELETE('/admin/providers/{id}', params)
      : client.DELETE('/providers/{id}', params),
  )
}

/** Tries values that need not be stored, and lists the models of the provider. */
export function probeProvider(kind: ProviderKind, values: ProviderValues) {
  const body = toBody(kind, { ...values, name: values.name || kind.kind })
  return send(
    values.scope === 'global'
      ? client.POST('/admin/providers/probe', { body })
      : client.POST('/providers/probe', { body }),
  )
}

/** Tries a provider with what is stored of it. */
export function testProvider({ id, scope }: Pick<Provider, 'id' | 'scope'>) {
  const init = { params: { path: { id } }, body: {} }
  return send(
    scope === 'global'
      ? client.POST('/admin/providers/{id}/test', init)
      : client.POST('/providers/{id}/test', init),
  )
}
