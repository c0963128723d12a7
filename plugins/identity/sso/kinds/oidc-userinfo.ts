import type { Configuration } from 'openid-client'
import { withDeadline } from '#plugin-api'
import { SignInFailure } from '../sign-in-kind.ts'
import { isRecord } from './answers.ts'
import { explainOidcError } from './oidc-failure.ts'
import type { createOidcFetch } from './oidc-requests.ts'

type OidcFetch = ReturnType<typeof createOidcFetch>

/** The time for userinfo, without which a sign-in often succeeds, in milliseconds. */
const USERINFO_MS = 5000

/** The algorithms with which userinfo may be signed: those that the published keys of an issuer can prove. */
const SIGNATURES = /^(?:RS|PS|ES)(?:256|384|512)$|^Ed25519$|^EdDSA$/
const DEFAULT_SIGNATURES = ['RS256', 'PS256', 'ES256']

/** Returns the algorithms of signed userinfo that are accepted from an issuer. */
export function listUserinfoSignatures(offered: unknown): string[] {
  if (!Array.isArray(offered) || offered.length === 0) return DEFAULT_SIGNATURES
  return offered.filter((name) => typeof name === 'string' && SIGNATURES.test(name))
}

/** The claims of the userinfo endpoint, or the failure to read them, without which the ID token may suffice. */
type Userinfo = { claims: Record<string, unknown> } | { failure: SignInFailure }

/**
 * Reads the claims of the userinfo endpoint. Throws SignInFailure for an answer that is forged, encrypted or about
 * somebody else.
 */
export async function readUserinfo(
  config: Configuration,
  { access_token, subject }: { access_token: string; subject: string },
  { createFetch, signal }: { createFetch(signal: AbortSignal): OidcFetch; signal: AbortSignal },
): Promise<Userinfo> {
  const library = await import('openid-client')
  try {
    const claims = await withDeadline(USERINFO_MS, [signal], (signal) => {
      config[library.customFetch] = readAnyType(
        createFetch(signal),
        config.serverMetadata().userinfo_endpoint!,
      )
      return library.fetchUserInfo(config, access_token, subject)
    })
    return { claims }
  } catch (error) {
    signal.throwIfAborted()
    const failure = explainOidcError(error, 'userinfo')
    if (failure.reason !== 'exchange') throw failure
    return { failure }
  }
}

const PARTS_OF_SIGNED = 3
const PARTS_OF_ENCRYPTED = 5

/** Returns a `fetch` that names the type of userinfo by its content, because issuers send it with other ones. */
function readAnyType(fetch: OidcFetch, userinfo_endpoint: string): OidcFetch {
  return async (address, init) => {
    const answer = await fetch(address, init)
    if (answer.status !== 200 || new URL(address).href !== new URL(userinfo_endpoint).href) return answer
    const content = (await answer.text()).trim()
    const type = findType(content)
    return new Response(content, { status: 200, headers: { 'content-type': type } })
  }
}

function findType(content: string): string {
  const parts = /^[\w.-]+$/.test(content) ? content.split('.').length : 0
  if (parts === PARTS_OF_ENCRYPTED)
    throw new SignInFailure(
      'misconfigured',
      'The userinfo is encrypted, which is not supported. Turn its encryption off at the issuer.',
    )
  if (parts === PARTS_OF_SIGNED) return 'application/jwt'
  if (typeof readObject(content)?.sub === 'string') return 'application/json'
  throw new SignInFailure('exchange', 'The userinfo is not an object with the claim sub.')
}

function readObject(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(content)
    return isRecord(value) ? value : undefined
  } catch {
    // A page in place of an object is described by the caller.
    return undefined
  }
}
