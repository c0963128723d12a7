import { type OAuthReply, type OAuthRequest, readText, readTexts } from './oauth-request.ts'
import type { AuthorizationServer, OAuthClient, OAuthTokens } from './oauth-state.ts'
import { isResourceRefusal, SignInFailure } from './sign-in-failure.ts'

type ClientMethod = 'client_secret_basic' | 'client_secret_post' | 'none'

/** Token types whose requests need a proof that is not made here. */
const PROOF_TYPES = ['dpop', 'mac', 'pop']

/** The form of a grant; fields that are undefined are left out. */
type Grant = Readonly<Record<string, string | undefined>>

/** Requests tokens with a grant. Throws SignInFailure, whose code is that of OAuth if the server refused the grant. */
export async function requestTokens(
  request: OAuthRequest,
  server: AuthorizationServer,
  client: OAuthClient,
  grant: Grant,
): Promise<OAuthTokens> {
  const [method, other] = chooseMethods(server, client)
  try {
    return await sendGrant(request, server.token_endpoint, { client, method, grant })
  } catch (error) {
    const isClientRefused = error instanceof SignInFailure && error.fault === 'client'
    if (!isClientRefused || !other) throw error
    return sendGrant(request, server.token_endpoint, { client, method: other, grant })
  }
}

async function sendGrant(
  request: OAuthRequest,
  token_endpoint: string,
  { client, method, grant }: { client: OAuthClient; method: ClientMethod; grant: Grant },
): Promise<OAuthTokens> {
  const url = new URL(token_endpoint)
  if (url.protocol !== 'https:' && !isLoopback(url))
    throw new SignInFailure('metadata', `Tokens are not requested without encryption, as at ${url.origin}.`)
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(grant)) if (value !== undefined) form.set(name, value)
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  const { client_id, client_secret = '' } = client
  if (method === 'client_secret_basic') {
    const pair = `${encode(client_id)}:${encode(client_secret)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  } else form.set('client_id', client_id)
  if (method === 'client_secret_post') form.set('client_secret', client_secret)
  return readTokens(await request(url.href, { method: 'POST', headers, body: form.toString() }))
}

/** Returns the ways to authenticate a client: the right one, and one to try after it if the server names none. */
function chooseMethods(
  { token_endpoint_auth_methods_supported: methods }: AuthorizationServer,
  { client_secret, token_endpoint_auth_method: registered }: OAuthClient,
): [ClientMethod, ClientMethod?] {
  if (client_secret === undefined) return ['none']
  const ways = ['client_secret_basic', 'client_secret_post'] as const
  const isOffered = (way: ClientMethod) => !methods || methods.includes(way)
  const agreed = [...ways, 'none' as const].find((way) => way === registered && isOffered(way))
  if (agreed) return [agreed]
  const [way = 'client_secret_post', other] = ways.filter(isOffered)
  return [way, ...(methods || !other ? [] : [other])] as [ClientMethod, ClientMethod?]
}

/** Encodes an id or a secret as RFC 6749 (2.3.1) demands it. */
const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')

const isLoopback = ({ hostname }: URL) =>
  ['localhost', '127.0.0.1', '[::1]'].includes(hostname) || hostname.endsWith('.localhost')

function readTokens(reply: OAuthReply): OAuthTokens {
  const { status, body } = reply
  const access_token = readText(body?.access_token)
  if (status < 200 || status >= 300 || !body || access_token === undefined)
    throw readRefusal(reply, 'refused')
  const type = readText(body.token_type)?.toLowerCase()
  if (type !== undefined && PROOF_TYPES.includes(type))
    throw new SignInFailure('metadata', `Tokens of the type ${type} are not supported.`)
  const refresh_token = readText(body.refresh_token)
  const scope = readTexts(body.scope)?.join(' ')
  return {
    access_token,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(scope !== undefined && { scope }),
  }
}

/** Errors of a server that has a moment's trouble. */
const PASSING = ['server_error', 'temporarily_unavailable', 'slow_down']

/** Returns the failure that a reply without what was asked for means; `otherwise` is the fault of a plain refusal. */
export function readRefusal(
  { status, body }: OAuthReply,
  otherwise: 'refused' | 'registration',
): SignInFailure {
  const { error, error_description, message } = body ?? {}
  // Some servers have an object in place of the code.
  const inner = Object(error) as Record<string, unknown>
  const code = readText(error) ?? readText(inner.code) ?? readText(inner.status)
  const description = readText(error_description) ?? readText(inner.message) ?? readText(message) ?? ''
  const words = [code, description].filter(Boolean).join(': ') || `HTTP ${status}`
  const options = { ...(code !== undefined && { code }) }
  if (isResourceRefusal(code, description)) return new SignInFailure('resource', words, options)
  const isOfClient = ['invalid_client', 'unauthorized_client'].includes(code ?? '')
  if (isOfClient || (status === 401 && code === undefined))
    return new SignInFailure(otherwise === 'refused' ? 'client' : otherwise, words, options)
  if (code === 'invalid_grant') return new SignInFailure('refused', words, options)
  const isPassing = status >= 500 || [408, 425, 429].includes(status) || PASSING.includes(code ?? '')
  const isUnreadable = status < 400 && code === undefined
  return new SignInFailure(isPassing || isUnreadable ? 'unavailable' : otherwise, words, options)
}
