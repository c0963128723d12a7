import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { ifMatch, send, sendTagged, settings } from '../server/send.ts'
import { findFreeName, mergePatch } from '../ui/draft.ts'
import { assertComplete, pruneValues, type Schema, type Values } from '../ui/schema-form-schema.ts'

export type Connector = components['schemas']['Connector']
export type ConnectorKind = components['schemas']['ConnectorKind']
export type ConnectorTool = components['schemas']['ConnectorTool']

/** The values of the form of a connector; stored secrets are masks. */
export type ConnectorValues = Pick<Connector, 'name' | 'scope' | 'is_default'> & { config: Values }

/** The longest beginning of a name that leaves room for a number. */
const MAX_NAME = 28

/** The values with which the form of a new connector begins. */
export const newValues = ({ kind }: ConnectorKind, names: string[]): ConnectorValues => ({
  name: findFreeName(kind.slice(0, MAX_NAME), names),
  scope: 'user',
  config: {},
  is_default: false,
})

/** The values of a stored connector. */
export const valuesOf = ({ name, scope, config, is_default }: Connector): ConnectorValues => ({
  name,
  scope,
  config,
  is_default,
})

/** Stores a new connector, whose server is asked for its tools. */
export function createConnector({ kind, config_schema }: ConnectorKind, values: ConnectorValues) {
  const schema = config_schema as Schema
  assertComplete(schema, values.config)
  const config = settings(pruneValues(schema, values.config))
  return send(client.POST('/connectors', { body: { ...values, name: values.name.trim(), kind, config } }))
}

/** Reads a connector with the tag of its version. */
export const readConnector = (id: string) =>
  sendTagged(client.GET('/connectors/{id}', { params: { path: { id } } }))

/** Stores what has changed of a connector. */
export function updateConnector(
  { id }: Connector,
  base: ConnectorValues,
  values: ConnectorValues,
  { tag, kind }: { tag: string | null; kind: ConnectorKind | undefined },
) {
  const schema = (kind?.config_schema ?? {}) as Schema
  assertComplete(schema, values.config)
  const config = mergePatch(base.config, pruneValues(schema, values.config))
  const body = {
    ...(values.name !== base.name && { name: values.name.trim() }),
    ...(values.is_default !== base.is_default && { is_default: values.is_default }),
    ...(Object.keys(config).length > 0 && { config: settings(config) }),
  }
  return send(client.PATCH('/connectors/{id}', { params: { path: { id }, header: ifMatch(tag) }, body }))
}

/** Notes that tools which are new or have changed were looked at, so that agents may call them. */
export function allowTools({ id }: Connector, names: string[], tag: string | null) {
  const tools = Object.fromEntries(names.map((name) => [name, { seen: true as const }]))
  return send(
    client.PATCH('/connectors/{id}', { params: { path: { id }, header: ifMatch(tag) }, body: { tools } }),
  )
}

/** Asks the server of settings that need not be stored which tools it has, and says so in words. */
export async function checkConnector(
  { kind, config_schema, auth }: ConnectorKind,
  values: Values,
  stored?: Connector,
) {
  const config = settings(pruneValues(config_schema as Schema, values))
  const body = { kind, config, ...(stored && { connector_id: stored.id }) }
  const {
    ok,
    tools = [],
    reason = 'unknown',
    detail,
  } = await send(client.POST('/connectors/probe', { body }))
  if (ok) return { isOk: true, text: t('connectors.check_ok', { count: tools.length }) }
  if (reason === 'unauthorized' && auth === 'oauth')
    return { isOk: true, text: t('connectors.check_sign_in') }
  return { isOk: false, text: t(`connectors.reason_${reason}`), detail }
}

/** True if an account must sign in before the connector can be used. */
export const needsSignIn = ({ auth, status, can_edit, has_credentials }: Connector) =>
  auth === 'oauth' && status === 'unauthorized' && (can_edit || !has_credentials)

/** Describes in a sentence why the last check failed, or that it left out tools; `error` has the server's words. */
export function describeCheck(connector: Connector): string {
  const { status, reason } = connector
  if (status === 'ready') return t('connectors.left_out')
  if (needsSignIn(connector)) return t('connectors.sign_in_needed')
  return t(`connectors.reason_${reason ?? 'unknown'}`)
}
