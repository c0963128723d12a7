import { type ConnectorFailure, InsufficientScope } from '../connections/failure.ts'
import { readChallenges } from './challenge-header.ts'
import type { Credentials, CredentialsKey } from './credentials.ts'
import { parseHttpUrl } from './http-url.ts'
import { type Challenge, MissingCredentials } from './missing-credentials.ts'

const MAX_SCOPE_CHARS = 1024

/** Reads the header `WWW-Authenticate` of a refusal. */
export function readChallenge({ headers, url }: Response): Challenge {
  const challenges = readChallenges(headers.get('www-authenticate') ?? '')
  const find = (name: string) =>
    challenges
      .filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
      .map(({ parameters }) => parameters.get(name)?.trim())
      .find(Boolean)
  const scope = find('scope')
  const address = find('resource_metadata')
  const metadata = address === undefined ? undefined : parseHttpUrl(address, url)
  return {
    ...(scope && scope.length <= MAX_SCOPE_CHARS && { scope }),
    ...(metadata && { resource_metadata_url: metadata.href }),
  }
}

/** Returns the distinct scopes of these lists, in their order; undefined if there are none. */
export function joinScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const scopes = lists.flatMap((list) => list?.split(' ').filter(Boolean) ?? [])
  return [...new Set(scopes)].join(' ') || undefined
}

/**
 * Returns MissingCredentials in place of a refusal that a sign-in for further scopes may lift, and notes these scopes.
 * Scopes that the account has asked for before are not asked for again.
 */
export async function toMissing(
  failure: ConnectorFailure,
  key: CredentialsKey,
  credentials: Credentials,
): Promise<ConnectorFailure> {
  if (!(failure instanceof InsufficientScope)) return failure
  const known = await credentials.findScopes(key)
  if (!known) return failure
  const before = joinScopes(...known.scopes)
  const wanted = joinScopes(before, failure.scope)
  if (!wanted || wanted === before || wanted.length > MAX_SCOPE_CHARS) return failure
  await credentials.want(key, known.revision, wanted)
  return new MissingCredentials()
}
