import { ConnectorFailure, InsufficientScope } from '../connections/failure.ts'
import type { Credentials, CredentialsKey } from './credentials.ts'
import { parseHttpUrl } from './oauth-request.ts'

/** The parts of a refusal that say for what to sign in, and where the server describes its authorization servers. */
export interface Challenge {
  scope?: string
  resource_metadata_url?: string
}

/** An account lacks credentials: headers with these names, or a sign-in if there are no names. */
export class MissingCredentials extends ConnectorFailure {
  readonly fields: readonly string[] | undefined
  /** The refusal of the server, if it was asked. */
  readonly challenge: Challenge | undefined

  constructor({ fields, challenge }: { fields?: readonly string[]; challenge?: Challenge } = {}) {
    super(
      'unauthorized',
      fields ? 'Credentials of your own are needed for this connector.' : 'You must sign in first.',
    )
    this.fields = fields
    this.challenge = challenge
  }
}

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
  const signIn = await credentials.findScopes(key)
  if (!signIn) return failure
  const askedScope = joinScopes(...signIn.scopes)
  const wantedScope = joinScopes(askedScope, failure.scope)
  if (!wantedScope || wantedScope === askedScope || wantedScope.length > MAX_SCOPE_CHARS) return failure
  await credentials.want(key, signIn.revision, wantedScope)
  return new MissingCredentials()
}

/** One challenge of a header `WWW-Authenticate`. */
interface HeaderChallenge {
  /** In lower case. */
  scheme: string
  /** By name in lower case. */
  parameters: Map<string, string>
}

// A parameter, or the name of a scheme; a value may be quoted with marks that RFC 9110 does not have.
const PART = /([\w!#$%&*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|'([^']*)'|([^\s,;]*)))?[\s,;]*/g

/** Reads all challenges of a header. */
function readChallenges(header: string): HeaderChallenge[] {
  const challenges: HeaderChallenge[] = []
  for (const [, name = '', quoted, single, plain] of header.matchAll(PART)) {
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? single ?? plain
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() })
    else challenges.at(-1)?.parameters.set(name.toLowerCase(), value)
  }
  return challenges
}
