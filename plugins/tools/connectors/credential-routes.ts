import { AppError } from '#kernel'
import { route } from './manifest.ts'
import { connectorParams, newCredentials } from './schemas.ts'

const PATH = '/connectors/:id/credentials'

/** The routes of the credentials of accounts. */
export const credentialRoutes = [
  route({
    method: 'PUT',
    path: PATH,
    operation_id: 'putConnectorCredentials',
    summary: 'Enter credentials of your own',
    description:
      'Stores headers that are sent for the caller alone, with a connector that the caller sees or that an agent which the caller may open has. They are sent to the present origin of the connector only: once it leads elsewhere, they are missing. Turns of the caller that wait for them continue.',
    guard: 'user',
    params: connectorParams,
    body: newCredentials,
    response: { 204: null },
    errors: ['NOT_FOUND', 'CONNECTOR_SIGN_IN_UNAVAILABLE', 'CONNECTOR_MOVED'],
    audit: 'connector.credentials',
  }).handle(async ({ caller, params, body }, { usable, credentialAudiences, credentials, waitingTurns }) => {
    const { origin: expected, ...entered } = body
    const connector = await usable.find(caller, params.id)
    const audiences = credentialAudiences.of(connector)
    if (!audiences) throw new AppError('CONNECTOR_SIGN_IN_UNAVAILABLE')
    const { origin } = audiences
    if (expected !== undefined && expected !== origin) throw new AppError('CONNECTOR_MOVED', { origin })
    const key = { connector_id: connector._id, user_id: caller.id }
    await credentials.put(key, entered, origin)
    await waitingTurns.notice({ user_id: caller.id })
  }),

  route({
    method: 'DELETE',
    path: PATH,
    operation_id: 'deleteConnectorCredentials',
    summary: 'Delete your credentials',
    description:
      'Forgets the headers or the sign-in of the caller for this connector, which also ends at its server if that can revoke tokens, and closes its connection.',
    guard: 'user',
    params: connectorParams,
    response: { 204: null },
    errors: ['NOT_FOUND'],
    audit: 'connector.credentials_delete',
  }).handle(async ({ caller, params }, { usable, credentials, connectionPool, revocation }) => {
    const connector = await usable.find(caller, params.id)
    const connector_id = connector._id
    await revocation.end(connector, caller.id)
    await credentials.remove({ connector_id, user_id: caller.id })
    await connectionPool.drop(`${connector_id}:${caller.id}`)
  }),
]
