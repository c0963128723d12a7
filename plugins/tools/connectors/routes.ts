import { makeTag, objectOf, pageQuery, pageReply, replyWithTag, rowOf } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { ProbeResult } from './checks.ts'
import { connectorFields } from './connectors.ts'
import { type Cradle, route } from './manifest.ts'
import {
  agentConnectors,
  connectorChanges,
  connectorParams,
  connectorRow,
  kindRow,
  newConnector,
  probeRequest,
  probeResult,
} from './schemas.ts'
import type { ConnectorDocument } from './types.ts'

const PATH = '/connectors'
const permitted = ['permission', 'connectors'] as const
const list = <const Items extends object>(items: Items) => ({ type: 'array', items }) as const

const showOne = async <const Status extends number>(
  status: Status,
  connector: ConnectorDocument,
  caller: AuthCaller,
  { connectors }: Cradle,
) => {
  const [row] = await connectors.show([connector], caller)
  return replyWithTag(status, row!, makeTag(connector, connectorFields))
}

const toProbeReply = (result: ProbeResult) =>
  result.ok
    ? {
        ok: true,
        tools: result.tools.map(({ name, title, description, read_only, destructive }) => ({
          name,
          title,
          description,
          read_only,
          destructive,
        })),
        left_out: result.left_out,
      }
    : result

/** The routes of connectors. */
export const connectorRoutes = [
  route({
    method: 'GET',
    path: `${PATH}/kinds`,
    operation_id: 'listConnectorKinds',
    summary: 'List the kinds of connectors',
    description:
      'Lists what connectors can lead to, with the JSON Schema of the `config` of each kind. Fields that a schema marks `writeOnly` are secrets.',
    guard: 'user',
    response: { 200: list(kindRow) },
  }).handle(({ locale }, { connectorKinds }) => connectorKinds.list(locale)),

  route({
    method: 'GET',
    path: PATH,
    operation_id: 'listConnectors',
    summary: 'List connectors',
    description:
      "Lists the caller's own connectors, then those that others share with them, then the global ones, each by name. Secrets are masked.",
    guard: 'user',
    query: objectOf(pageQuery),
    response: { 200: list(connectorRow) },
  }).handle(async ({ caller, query }, { connectors }) => {
    const { rows, next } = await connectors.list(caller, query)
    return pageReply(query, { rows: await connectors.show(rows, caller), next })
  }),

  route({
    method: 'POST',
    path: PATH,
    operation_id: 'createConnector',
    summary: 'Create a connector',
    description:
      'Stores a connector and asks its server which tools it has; `status` tells how that went. Global connectors and programs of the machine are for administrators.',
    guard: permitted,
    body: newConnector,
    response: { 201: connectorRow },
    errors: ['CONNECTOR_KIND_UNSUPPORTED', 'CONNECTOR_NAME_TAKEN', 'ADDRESS_NOT_ALLOWED', 'FORBIDDEN'],
    audit: { action: 'connector.create', target: 'id' },
  }).handle(async ({ caller, body }, { connectors, checks }) => {
    const connector = await connectors.create(caller, body)
    await checks.check(connector, caller)
    const [row] = await connectors.show([await connectors.find(caller, connector._id)], caller)
    return row!
  }),

  route({
    method: 'POST',
    path: `${PATH}/probe`,
    operation_id: 'probeConnector',
    summary: 'Test a connector before it is stored',
    description:
      'Asks the server of a `config` which tools it has. With `connector_id`, a masked secret means the one that is stored in this connector. A failed test is answered with 200 and `ok: false`.',
    guard: permitted,
    body: probeRequest,
    response: { 200: probeResult },
    errors: ['CONNECTOR_KIND_UNSUPPORTED', 'ADDRESS_NOT_ALLOWED', 'FORBIDDEN', 'NOT_FOUND'],
    audit: { none: 'It tests a server and stores nothing.' },
  }).handle(async ({ caller, body }, { connectors, checks }) =>
    toProbeReply(await checks.probe(await connectors.draft(caller, body), caller)),
  ),

  route({
    method: 'GET',
    path: `${PATH}/:id`,
    operation_id: 'getConnector',
    summary: 'Get a connector',
    description:
      'Returns the connector with its tools as the server listed them last. A mask that is sent back keeps the stored secret.',
    guard: 'user',
    params: connectorParams,
    response: { 200: connectorRow },
    errors: ['NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, params }, cradle) =>
    showOne(200, await cradle.connectors.find(caller, params.id), caller, cradle),
  ),

  route({
    method: 'PATCH',
    path: `${PATH}/:id`,
    operation_id: 'updateConnector',
    summary: 'Change a connector',
    description:
      'Changes the given fields of a connector that you own or may edit. `config` is merged into the stored one by RFC 7396, and the server is asked for its tools again. `tools` notes that new and changed tools have been looked at.',
    guard: permitted,
    params: connectorParams,
    body: connectorChanges,
    response: { 200: connectorRow },
    errors: [
      'NOT_FOUND',
      'FORBIDDEN',
      'CONNECTOR_NAME_TAKEN',
      'CONNECTOR_KIND_UNSUPPORTED',
      'ADDRESS_NOT_ALLOWED',
    ],
    etag: true,
    audit: 'connector.update',
  }).handle(async (request, cradle) => {
    const { caller, params, body } = request
    const { connectors, checks } = cradle
    const { connector, isNew } = await connectors.update(caller, params.id, body, request)
    if (isNew) await checks.check(connector, caller)
    return showOne(200, await connectors.find(caller, connector._id), caller, cradle)
  }),

  route({
    method: 'DELETE',
    path: `${PATH}/:id`,
    operation_id: 'deleteConnector',
    summary: 'Delete a connector',
    description:
      'Deletes the connector and the credentials of all accounts for it, revokes their tokens at its server, and closes its connections.',
    guard: permitted,
    params: connectorParams,
    response: { 204: null },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    audit: 'connector.delete',
  }).handle(async ({ caller, params, note }, { connectors }) => {
    note(await connectors.remove(caller, params.id))
  }),

  route({
    method: 'GET',
    path: `${PATH}/:id/log`,
    operation_id: 'getConnectorLog',
    summary: 'Get the log of a program',
    description:
      'Returns the end of what the program of a connector has written to its standard error, with secrets masked.',
    guard: permitted,
    params: connectorParams,
    response: { 200: rowOf({ log: { type: 'string', examples: ['listening on stdio'] } }) },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  }).handle(async ({ caller, params }, { connectors }) => {
    const { log = '' } = await connectors.findEditable(caller, params.id)
    return { log }
  }),

  route({
    method: 'POST',
    path: `${PATH}/:id/test`,
    operation_id: 'testConnector',
    summary: 'Test a connector',
    description:
      "Asks the server for its tools with the caller's credentials and stores the result. A failed test is answered with 200 and `ok: false`.",
    guard: permitted,
    params: connectorParams,
    response: { 200: probeResult },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONNECTOR_KIND_UNSUPPORTED'],
    audit: { none: 'It tests a server; what the server says about its tools is no change of a person.' },
  }).handle(async ({ caller, params }, { connectors, checks }) =>
    toProbeReply(await checks.check(await connectors.findEditable(caller, params.id), caller)),
  ),
]

const AGENT_PATH = '/agents/:id/connectors'

/** The routes of the connectors of agents. */
export const agentConnectorRoutes = [
  route({
    method: 'GET',
    path: AGENT_PATH,
    operation_id: 'getAgentConnectors',
    summary: 'List the connectors of an agent',
    description: 'Returns the connectors that lend the agent their tools, with the state of each tool.',
    guard: 'editor',
    response: { 200: agentConnectors },
  }).handle(({ agent }, { agentConnectors: settings }) => settings.show(agent)),

  route({
    method: 'PUT',
    path: AGENT_PATH,
    operation_id: 'replaceAgentConnectors',
    summary: 'Replace the connectors of an agent',
    description:
      'Chooses among the connectors that the owner of the agent sees. The tools that a connector has when it is added count as seen; those that come or change later are off until they are sent with `seen: true`.',
    guard: 'editor',
    body: agentConnectors,
    response: { 200: agentConnectors },
    errors: ['CONNECTOR_NOT_FOUND'],
    audit: 'agent.connectors',
  }).handle(async ({ agent, body }, { agentConnectors: settings }) => {
    await settings.replace(agent, body)
    return settings.show(agent)
  }),
]
