import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '#kernel'
import { toFailure } from '../connections/failure.ts'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument } from '../types.ts'
import { audiencesOf } from './audiences.ts'
import { joinScopes } from './challenge.ts'
import type { Challenge } from './missing-credentials.ts'
import { createOAuthClient, type OAuthState } from './oauth-client.ts'
import { runAuth } from './run-auth.ts'

/** The time that a person has to sign in after asking for it, in seconds. */
const ATTEMPT_SECONDS = 600

/** A sign-in that is in progress; `_id` is the digest of its state. */
export interface SignInDocument {
  _id: string
  connector_id: string
  user_id: string
  /** The revision of the connector, whose server must not have changed meanwhile. */
  revision: number
  redirect_after: string
  /** JSON, sealed for the purpose `connector-sign-in:<_id>`. */
  sealed: string
  expires_at: number
  delete_at: Date
}

/** Returns the digest by which a state is stored. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

const purposeOf = (id: string) => `connector-sign-in:${id}`

/** Signs accounts in to servers. */
export type SignIns = ReturnType<typeof createSignIns>

/** Creates the service. */
export function createSignIns({
  chat,
  checks,
  clock,
  collections,
  config: { connect_seconds: seconds },
  connectorConfigs,
  connectorFetch,
  connectorKinds,
  credentials,
  log,
  redirectUri,
  secrets,
  users,
}: Cradle) {
  const { connector_sign_ins, connectors } = collections
  const serverOf = (connector: ConnectorDocument) => {
    const target = connectorKinds.get(connector.kind).target(connectorConfigs.open(connector))
    const audiences = audiencesOf(target)
    if (target.transport !== 'http' || !audiences || redirectUri === null)
      throw new AppError('CONNECTOR_SIGN_IN_UNAVAILABLE')
    return {
      target,
      audiences,
      redirect_uri: redirectUri,
      fetch: connector.is_trusted ? fetch : connectorFetch.fetch,
    }
  }

  return {
    /**
     * Returns the address on which an account signs in, and the state in it; one that a turn asks for works as long as
     * the turn waits. Throws CONNECTOR_SIGN_IN_FAILED.
     */
    async begin(
      connector: ConnectorDocument,
      user_id: string,
      {
        redirect_after = '/connectors',
        isOfTurn = false,
        challenge = challengeOf(connector),
      }: { redirect_after?: string; isOfTurn?: boolean; challenge?: Challenge } = {},
    ): Promise<{ authorization_url: string; state: string }> {
      const { target, audiences, redirect_uri, fetch } = serverOf(connector)
      const state = randomBytes(32).toString('base64url')
      const known = await credentials.find({ connector_id: connector._id, user_id }, audiences)
      // A client is registered for the scopes of its first sign-in; further ones need another.
      const isKept = known?.oauth?.client && known.wanted_scope === undefined
      const kept: OAuthState = isKept ? { client: known.oauth!.client } : {}
      const client = createOAuthClient(target, { redirect_uri, challenge: state, kept })
      try {
        await runAuth(client.provider, {
          serverUrl: target.url,
          resourceMetadataUrl: toUrl(challenge.resource_metadata_url),
          scope: joinScopes(target.oauth_scope ?? challenge.scope, known?.wanted_scope),
          fetch,
          seconds,
        })
      } catch (error) {
        throw new AppError('CONNECTOR_SIGN_IN_FAILED', { detail: toFailure(error).message }, { cause: error })
      }
      const location = client.location()
      if (!location || !/^https?:$/.test(location.protocol))
        throw new AppError('CONNECTOR_SIGN_IN_FAILED', { detail: 'The server has no page for a sign-in.' })
      const _id = digest(state)
      const expires_at = clock.seconds() + (isOfTurn ? chat.approval_seconds : ATTEMPT_SECONDS)
      await connector_sign_ins.insertOne({
        _id,
        connector_id: connector._id,
        user_id,
        revision: connector.revision,
        redirect_after,
        sealed: secrets.seal(JSON.stringify(client.state), purposeOf(_id)),
        expires_at,
        delete_at: new Date(expires_at * 1000),
      })
      return { authorization_url: location.href, state }
    },

    /** Returns the names in a sign-in, for the person to confirm; undefined if it does not exist or has expired. */
    async describe(state: string): Promise<{ connector: string; username: string } | undefined> {
      const attempt = await connector_sign_ins.findOne({ _id: digest(state) })
      if (!attempt || attempt.expires_at <= clock.seconds()) return undefined
      const [connector, user] = await Promise.all([
        connectors.findOne({ _id: attempt.connector_id }),
        users.find(attempt.user_id),
      ])
      return connector && user ? { connector: connector.name, username: user.username } : undefined
    },

    /**
     * Completes a sign-in with what the browser brought back; a state works once. Returns the account and the page to
     * show, or the reason of a failure.
     */
    async complete({
      state,
      code,
      iss,
    }: {
      state: string
      code: string | undefined
      iss: string | undefined
    }): Promise<{ user_id: string; redirect_after: string } | { reason: string }> {
      const attempt = await connector_sign_ins.findOneAndDelete({ _id: digest(state) })
      if (!attempt || attempt.expires_at <= clock.seconds()) return { reason: 'expired' }
      const { connector_id, user_id, revision, redirect_after } = attempt
      const [connector, user] = await Promise.all([
        connectors.findOne({ _id: connector_id, revision }),
        users.find(user_id),
      ])
      if (!connector || !user?.enabled) return { reason: 'changed' }
      if (code === undefined) return { reason: 'refused' }
      const kept = JSON.parse(secrets.open(attempt.sealed, purposeOf(attempt._id))) as OAuthState
      const { target, audiences, redirect_uri, fetch } = serverOf(connector)
      const client = createOAuthClient(target, { redirect_uri, kept })
      try {
        const options = { serverUrl: target.url, authorizationCode: code, iss, fetch, seconds }
        await runAuth(client.provider, options)
        if (!client.state.tokens) return { reason: 'failed' }
      } catch (error) {
        log.info({ error, connector: connector_id }, 'a sign-in to a connector failed')
        return { reason: 'failed' }
      }
      const { verifier: _, ...oauth } = client.state
      await credentials.put(
        { connector_id, user_id },
        { oauth },
        { audience: audiences.resource, isNew: true },
      )
      if (
        connector.owner_id === user_id ||
        (connector.owner_id === null && (user.role === 'admin' || !connector.tools_stamp))
      )
        await checks.check(connector, { id: user_id, role: user.role })
      return { user_id, redirect_after }
    },

    removeAllOf: (filter: { user_id?: string; connector_id?: string }) =>
      connector_sign_ins.deleteMany(filter),
  }
}

/** Returns how the server refused the last request without credentials, unless its settings have changed since. */
const challengeOf = ({ challenge, revision }: ConnectorDocument): Challenge =>
  challenge?.revision === revision ? challenge : {}

const toUrl = (text: string | undefined) => (text === undefined ? undefined : new URL(text))
