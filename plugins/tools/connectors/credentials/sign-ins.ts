import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '#plugin-api'
import { toFailure } from '../connections/failure.ts'
import { cutWords } from '../connections/server-words.ts'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument } from '../types.ts'
import { ignoreHidden } from '../usable.ts'
import { mayChange } from '../visibility.ts'
import { audiencesOf } from './audiences.ts'
import { assertClientIssuer, assertIssuers, beginAuthorization, redeemCode } from './authorization.ts'
import { type Challenge, joinScopes } from './challenge.ts'
import { withOAuthRequest } from './oauth-request.ts'
import type { OAuthState } from './oauth-state.ts'
import { isClientUnknown, isResourceRefusal, SignInFailure, type SignInFault } from './sign-in-failure.ts'

/** The time that a person has to sign in after asking for it, in seconds. */
const ATTEMPT_SECONDS = 600

/** A sign-in that is in progress; `_id` is the digest of its state. */
export interface SignInDocument {
  _id: string
  connector_id: string
  user_id: string
  /** The revision of the connector; after a change of its server the sign-in fails. */
  revision: number
  redirect_after: string
  /** JSON, sealed for the purpose `connector-sign-in:<_id>`. */
  sealed: string
  expires_at: number
  delete_at: Date
}

/** Returns the digest of a state, which is stored in its place. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

const purposeOf = (id: string) => `connector-sign-in:${id}`

/** The parameters with which a browser comes back from an authorization server. */
interface CallbackAnswer {
  state: string
  code: string | undefined
  /** The values of `iss`. */
  issuers: readonly string[]
  error: string | undefined
  description: string | undefined
}

/** The reason of a failed sign-in, for which the console has a sentence. */
export type SignInOutcome =
  | 'expired'
  | 'changed'
  | 'refused'
  | 'failed'
  | 'client'
  | 'resource'
  | 'unavailable'

const BEGIN_ERRORS = {
  unavailable: 'CONNECTOR_SIGN_IN_UNREACHABLE',
  metadata: 'CONNECTOR_SIGN_IN_METADATA',
  registration: 'CONNECTOR_SIGN_IN_REGISTRATION',
  client: 'CONNECTOR_SIGN_IN_FAILED',
  resource: 'CONNECTOR_SIGN_IN_FAILED',
  issuer: 'CONNECTOR_SIGN_IN_FAILED',
  refused: 'CONNECTOR_SIGN_IN_FAILED',
} as const satisfies Record<SignInFault, string>

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
  usable,
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
      const earlier = await credentials.find({ connector_id: connector._id, user_id }, audiences)
      // The page of a service that has forgotten the client does not lead back here.
      const isRepeated =
        (await connector_sign_ins.countDocuments({ connector_id: connector._id, user_id })) > 0
      // A client is registered for the scopes of its first sign-in; further ones need another.
      const isKept = earlier?.oauth?.client && earlier.wanted_scope === undefined && !isRepeated
      const scope = joinScopes(target.oauth_scope ?? challenge.scope, earlier?.wanted_scope)
      const parts = {
        redirect_uri,
        state,
        challenge,
        scope,
        client: isKept ? earlier.oauth!.client : undefined,
        client_issuer: issuerOfClient(connector),
        now: clock.seconds(),
      }
      const { url, kept: attemptState } = await withOAuthRequest({ fetch, seconds }, (request) =>
        beginAuthorization(request, target, parts),
      ).catch((error) => {
        throw toSignInError(error)
      })
      const _id = digest(state)
      const expires_at = clock.seconds() + (isOfTurn ? chat.approval_seconds : ATTEMPT_SECONDS)
      await connector_sign_ins.insertOne({
        _id,
        connector_id: connector._id,
        user_id,
        revision: connector.revision,
        redirect_after,
        sealed: secrets.seal(JSON.stringify(attemptState), purposeOf(_id)),
        expires_at,
        delete_at: new Date(expires_at * 1000),
      })
      return { authorization_url: url.href, state }
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
      issuers,
      error,
      description = '',
    }: CallbackAnswer): Promise<{ user_id: string; redirect_after: string } | { reason: SignInOutcome }> {
      const attempt = await connector_sign_ins.findOneAndDelete({ _id: digest(state) })
      if (!attempt || attempt.expires_at <= clock.seconds()) return { reason: 'expired' }
      const { connector_id, user_id, revision, redirect_after } = attempt
      const [connector, user] = await Promise.all([
        connectors.findOne({ _id: connector_id, revision }),
        users.find(user_id),
      ])
      if (!connector || !user?.enabled) return { reason: 'changed' }
      const viewer = { id: user_id, role: user.role, groups: user.group_ids }
      if (!(await usable.find(viewer, connector_id).catch(ignoreHidden))) return { reason: 'changed' }
      const attemptState = JSON.parse(secrets.open(attempt.sealed, purposeOf(attempt._id))) as OAuthState
      const { target, audiences, redirect_uri, fetch } = serverOf(connector)
      const key = { connector_id, user_id }
      let oauth: OAuthState
      try {
        if (error !== undefined) {
          assertIssuers(attemptState.discovery!.authorizationServerMetadata, issuers)
          throw toRefusal(error, description)
        }
        if (code === undefined) return { reason: 'failed' }
        assertClientIssuer(attemptState.discovery!.authorizationServerMetadata, issuerOfClient(connector))
        oauth = await withOAuthRequest({ fetch, seconds }, (request) =>
          redeemCode(request, target, { kept: attemptState, code, issuers, redirect_uri }),
        )
      } catch (thrown) {
        const words = cutWords(toFailure(thrown).message)
        log.info({ error: thrown, words, connector: connector_id }, 'a sign-in to a connector failed')
        // The next sign-in registers another client.
        if (isClientUnknown(thrown) && !target.client) await credentials.remove(key)
        return { reason: toOutcome(thrown, error !== undefined) }
      }
      await credentials.put(key, { oauth }, audiences.resource)
      if (target.client?.client_secret !== undefined && issuerOfClient(connector) === undefined) {
        const { issuer } = attemptState.discovery!.authorizationServerMetadata
        const $set = { client_issuer: { issuer, revision } }
        await connectors.updateOne({ _id: connector_id, revision }, { $set })
      }
      const isFirst = connector.owner_id === null && !connector.tools_stamp
      if (isFirst || mayChange(connector, viewer)) await checks.check(connector, viewer)
      return { user_id, redirect_after }
    },

    removeAllOf: (filter: { user_id?: string; connector_id?: string }) =>
      connector_sign_ins.deleteMany(filter),
  }
}

/** Returns how the server refused the last request without credentials, unless its settings have changed since. */
const challengeOf = ({ challenge, revision }: ConnectorDocument): Challenge =>
  challenge?.revision === revision ? challenge : {}

/**
 * Returns the issuer to which the secret of an entered client has been sent; undefined after a change of the settings.
 */
const issuerOfClient = ({ client_issuer, revision }: ConnectorDocument): string | undefined =>
  client_issuer?.revision === revision ? client_issuer.issuer : undefined

/** Returns the error of a sign-in that could not begin, with a sentence for its fault. */
function toSignInError(error: unknown): AppError {
  const failure = toFailure(error)
  const fault = failure instanceof SignInFailure ? failure.fault : 'unavailable'
  const detail = failure instanceof SignInFailure ? failure.detail : failure.message
  return new AppError(BEGIN_ERRORS[fault], { reason: fault, detail }, { cause: error })
}

/** Returns the failure that an error in a callback means. */
function toRefusal(code: string, description: string): SignInFailure {
  const isOfClient = code === 'unauthorized_client' || code === 'invalid_client'
  const fault = isResourceRefusal(code, description) ? 'resource' : isOfClient ? 'client' : 'refused'
  return new SignInFailure(fault, `${code} ${description}`, { code })
}

function toOutcome(error: unknown, isAnsweredByError: boolean): SignInOutcome {
  const failure = toFailure(error)
  if (!(failure instanceof SignInFailure)) return failure.reason === 'unknown' ? 'failed' : 'unavailable'
  const { fault } = failure
  if (fault === 'client' || fault === 'resource' || fault === 'unavailable') return fault
  return isAnsweredByError && fault === 'refused' ? 'refused' : 'failed'
}
