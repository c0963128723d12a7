import { type OAuthRequest, readText } from './oauth-request.ts'
import type { AuthorizationServer, OAuthClient } from './oauth-state.ts'
import { SignInFailure } from './sign-in-failure.ts'
import { readRefusal } from './token-request.ts'

/** The statuses with which servers refuse what a client says about itself. */
const REFUSED_METADATA = [400, 422]

/** The fields of a registration. */
interface RegistrationParts {
  redirect_uri: string
  scope: string | undefined
}

/** Registers a client (RFC 7591), with less about it if the server refuses more. Throws SignInFailure. */
export async function registerClient(
  request: OAuthRequest,
  server: AuthorizationServer,
  parts: RegistrationParts,
): Promise<OAuthClient> {
  const { issuer, registration_endpoint } = server
  if (!registration_endpoint) throw new SignInFailure('registration')
  let failure: SignInFailure | undefined
  for (const metadata of listMetadata(server, parts)) {
    const { status, body } = await request(registration_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    })
    const client_id = readClientId(body?.client_id)
    if (status >= 200 && status < 300 && client_id !== undefined)
      return {
        client_id,
        ...readSecret(body!),
        issuer,
        redirect_uri: parts.redirect_uri,
      }
    const refusal = readRefusal({ status, body }, 'registration')
    if (refusal.fault === 'unavailable') throw refusal
    failure ??= refusal
    const isRefused = REFUSED_METADATA.includes(status) || (status < 300 && body?.error !== undefined)
    if (!isRefused) break
  }
  throw failure!
}

/** Returns the metadata of a client to try one after the other. */
function listMetadata(
  { token_endpoint_auth_methods_supported: methods }: AuthorizationServer,
  { redirect_uri, scope }: RegistrationParts,
): object[] {
  const secretMethod = methods?.find((method) => /^client_secret_(?:basic|post)$/.test(method))
  const method = methods?.includes('none') ? 'none' : (secretMethod ?? 'none')
  const otherMethod = method === 'none' ? (secretMethod ?? 'client_secret_post') : 'none'
  const base = {
    client_name: 'Agent Platform Service',
    redirect_uris: [redirect_uri],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
  }
  const { hostname } = new URL(redirect_uri)
  const isLoopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
  const codeOnly = { ...base, grant_types: ['authorization_code'] }
  return [
    {
      ...base,
      token_endpoint_auth_method: method,
      application_type: isLoopback ? 'native' : 'web',
      ...(scope !== undefined && { scope }),
    },
    { ...base, token_endpoint_auth_method: method },
    { ...base, token_endpoint_auth_method: otherMethod },
    { ...codeOnly, token_endpoint_auth_method: method },
    { ...codeOnly, token_endpoint_auth_method: otherMethod },
    { client_name: base.client_name, redirect_uris: base.redirect_uris },
  ]
}

const readClientId = (value: unknown) => readText(typeof value === 'number' ? String(value) : value)

function readSecret(
  body: Readonly<Record<string, unknown>>,
): Pick<OAuthClient, 'client_secret' | 'client_secret_expires_at' | 'token_endpoint_auth_method'> {
  const client_secret = readText(body.client_secret)
  const expires_at = Number(body.client_secret_expires_at)
  const method = readText(body.token_endpoint_auth_method)
  return {
    ...(client_secret !== undefined && { client_secret }),
    ...(expires_at > 0 && { client_secret_expires_at: expires_at }),
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  }
}
