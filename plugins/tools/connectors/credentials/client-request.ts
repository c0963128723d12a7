import type { OAuthReply, OAuthRequest } from './oauth-request.ts'
import type { OAuthClient } from './oauth-state.ts'
import { SignInFailure } from './sign-in-failure.ts'

type ClientMethod = 'client_secret_basic' | 'client_secret_post' | 'none'

/** The form of a request; fields that are undefined are left out. */
export type OAuthForm = Readonly<Record<string, string | undefined>>

/** The fields of forms that nobody may read. */
const SECRET_FIELDS = ['code', 'code_verifier', 'refresh_token', 'token']

interface ClientRequest {
  client: OAuthClient
  /** The ways to authenticate that the endpoint offers; undefined if its server names none. */
  methods: readonly string[] | undefined
  form: OAuthForm
}

/**
 * Sends a form with the credentials of a client, and returns the result of `read`, which receives the reply and the
 * secrets that were sent. Throws SignInFailure, also for an address without encryption.
 */
export async function askAsClient<Value>(
  request: OAuthRequest,
  endpoint: string,
  { client, methods, form }: ClientRequest,
  read: (reply: OAuthReply, secrets: readonly string[]) => Value,
): Promise<Value> {
  const url = new URL(endpoint)
  if (url.protocol !== 'https:' && !isLoopback(url))
    throw new SignInFailure('metadata', `Secrets are not sent without encryption, as at ${url.origin}.`)
  const secrets = [client.client_secret, ...SECRET_FIELDS.map((name) => form[name])].filter(
    (secret) => secret !== undefined,
  )
  const ask = async (method: ClientMethod) =>
    read(await request(url.href, { method: 'POST', ...authenticate(client, method, form) }), secrets)
  const [method, other] = chooseMethods(methods, client)
  try {
    return await ask(method)
  } catch (error) {
    const isClientRefused = error instanceof SignInFailure && error.fault === 'client'
    if (!isClientRefused || !other) throw error
    return ask(other)
  }
}

/** Returns the headers and the body of a request with the credentials of a client. */
function authenticate(
  { client_id, client_secret = '' }: OAuthClient,
  method: ClientMethod,
  form: OAuthForm,
): { headers: Record<string, string>; body: string } {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value)
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  if (method === 'client_secret_basic') {
    const pair = `${encode(client_id)}:${encode(client_secret)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  } else body.set('client_id', client_id)
  if (method === 'client_secret_post') body.set('client_secret', client_secret)
  return { headers, body: body.toString() }
}

/** Returns the ways to authenticate a client: the right one, and one to try after it if the server names none. */
function chooseMethods(
  methods: readonly string[] | undefined,
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
