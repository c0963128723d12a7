import { type OAuthReply, type OAuthRequest, parseHttpUrl, readText, readTexts } from './oauth-request.ts'
import type { AuthorizationServer, Discovery } from './oauth-state.ts'
import { SignInFailure } from './sign-in-failure.ts'

/** The most authorization servers of a resource that are asked. */
const MAX_SERVERS = 5

/** Finds the authorization server of a server as RFC 9728 and RFC 8414 describe it. Throws SignInFailure. */
export async function discover(
  request: OAuthRequest,
  server: string,
  metadata_url: string | undefined,
): Promise<Discovery> {
  const described = await findResource(request, server, metadata_url)
  const { origin } = new URL(server)
  // Servers of before RFC 9728 are their own authorization servers.
  const issuers = described?.issuers ?? [`${origin}/`]
  const authorizationServer = await findFirstServer(request, issuers)
  return {
    authorizationServerMetadata: authorizationServer ?? createDefaultServer(issuers[0]!),
    ...(!authorizationServer && { is_assumed: true }),
    ...(described && { resource: described.resource }),
    ...(described?.scopes && { scopes: described.scopes }),
  }
}

/** Finds the metadata of the first of these issuers that has usable ones. Throws the first failure if none has. */
async function findFirstServer(
  request: OAuthRequest,
  issuers: readonly string[],
): Promise<AuthorizationServer | undefined> {
  const failures: unknown[] = []
  for (const issuer of issuers)
    try {
      const server = await findAuthorizationServer(request, issuer)
      if (server) return server
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw failures[0]
  return undefined
}

interface DescribedResource {
  resource: string
  issuers: string[] | undefined
  scopes: string[] | undefined
}

/** Finds the description of a protected resource; undefined if there is none that can be read. */
async function findResource(
  request: OAuthRequest,
  server: string,
  metadata_url: string | undefined,
): Promise<DescribedResource | undefined> {
  const { origin, pathname, search } = new URL(server)
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`
  const urls = [metadata_url, `${wellKnown}${withoutSlash(pathname)}${search}`, wellKnown]
  for (const url of new Set(urls.filter((each) => each !== undefined))) {
    const reply = await request(url)
    const described = isFine(reply) && readResource(reply.body!, server, url)
    if (described) return described
  }
  return undefined
}

/** Reads a description of the resource; throws SignInFailure if it describes another one. */
function readResource(
  body: Readonly<Record<string, unknown>>,
  server: string,
  url: string,
): DescribedResource | undefined {
  const issuers = readTexts(body.authorization_servers)
    ?.filter((text) => parseHttpUrl(text))
    .slice(0, MAX_SERVERS)
  const named = readText(body.resource)
  // The body describes nothing, such as the error of a gateway.
  if (!named && !issuers) return undefined
  const isOfServer = new URL(url).origin === new URL(server).origin
  const covers = named ? includes(parseHttpUrl(named), new URL(server)) : isOfServer
  if (!covers)
    throw new SignInFailure('metadata', `The protected resource ${named ?? ''} does not include ${server}.`)
  const resource = named ?? server
  return {
    resource,
    issuers: issuers?.length ? issuers : undefined,
    scopes: readTexts(body.scopes_supported),
  }
}

/** True if an address is, or is below, a resource. */
const includes = (resource: URL | undefined, server: URL) =>
  resource?.origin === server.origin &&
  resource.hash === '' &&
  (resource.search === '' || resource.search === server.search) &&
  `${withoutSlash(server.pathname)}/`.startsWith(`${withoutSlash(resource.pathname)}/`)

/** Finds the metadata of an authorization server; undefined if it publishes none. Throws SignInFailure. */
export async function findAuthorizationServer(
  request: OAuthRequest,
  issuer: string,
): Promise<AuthorizationServer | undefined> {
  let failure: SignInFailure | undefined
  for (const url of listMetadataUrls(issuer)) {
    const reply = await request(url)
    if (reply.status >= 500 || reply.status === 429)
      failure ??= new SignInFailure('unavailable', `HTTP ${reply.status} at ${url}`)
    if (!isFine(reply)) continue
    try {
      return readServer(reply.body!, issuer)
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error
      // The first words are about the place that comes first in the specification.
      failure ??= error
    }
  }
  if (failure) throw failure
  return undefined
}

/** Returns the legal addresses of the metadata, by RFC 8414 and by OpenID Connect Discovery. */
function listMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = withoutSlash(pathname)
  const names = ['oauth-authorization-server', 'openid-configuration']
  const inserted = names.map((name) => `${origin}/.well-known/${name}${path}`)
  return [...new Set([...inserted, `${origin}${path}/.well-known/openid-configuration`])]
}

/** Reads the metadata of an authorization server; optional parts that are unusable count as missing. */
function readServer(body: Readonly<Record<string, unknown>>, expected: string): AuthorizationServer {
  const refuse = (words: string) => new SignInFailure('metadata', words)
  const named = readText(body.issuer) ?? expected
  const isSame = isSameIssuer(named, expected)
  if (!isSame && !isTenantOf(named, expected))
    throw refuse(`The metadata of ${expected} name the issuer ${named}.`)
  const endpoint = (name: string) => {
    const text = readText(body[name])
    return text === undefined ? undefined : parseHttpUrl(text, expected)?.href
  }
  const demand = (name: string) => {
    const url = endpoint(name)
    if (url === undefined) throw refuse(`The metadata of ${expected} lack a usable ${name}.`)
    return url
  }
  const offers = (name: string, value: string) => {
    const values = readTexts(body[name])
    if (values && !values.includes(value))
      throw refuse(`The metadata of ${expected} lack ${value} in ${name}.`)
  }
  offers('response_types_supported', 'code')
  offers('code_challenge_methods_supported', 'S256')
  return {
    issuer: isSame ? named : expected,
    authorization_endpoint: demand('authorization_endpoint'),
    token_endpoint: demand('token_endpoint'),
    registration_endpoint: endpoint('registration_endpoint'),
    revocation_endpoint: endpoint('revocation_endpoint'),
    ...(body.require_pushed_authorization_requests === true && {
      pushed_authorization_request_endpoint: demand('pushed_authorization_request_endpoint'),
    }),
    token_endpoint_auth_methods_supported: readTexts(body.token_endpoint_auth_methods_supported),
    revocation_endpoint_auth_methods_supported: readTexts(body.revocation_endpoint_auth_methods_supported),
    scopes_supported: readTexts(body.scopes_supported),
    ...(body.authorization_response_iss_parameter_supported === true && {
      authorization_response_iss_parameter_supported: true,
    }),
  }
}

/** Returns the endpoints of a server without metadata, as the protocol of March 2025 has them. */
const createDefaultServer = (issuer: string): AuthorizationServer => ({
  issuer,
  authorization_endpoint: new URL('/authorize', issuer).href,
  token_endpoint: new URL('/token', issuer).href,
  registration_endpoint: new URL('/register', issuer).href,
})

/**
 * True if two texts name one issuer; they may differ in what an address may be written with, and a slash at the end.
 */
export function isSameIssuer(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => parseHttpUrl(text)?.href)
  return first !== undefined && second !== undefined && withoutSlash(first) === withoutSlash(second)
}

/** The part of an issuer of Entra that names a tenant: its id, or a template. */
const TENANT = /^(?:%7Btenantid%7D|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i

/**
 * True if metadata name their issuer by the id of a tenant, as Entra does in metadata for all tenants or for the domain
 * of one. The issuer is then known by the address at which they were found, so none can pass for another.
 */
function isTenantOf(named: string, expected: string): boolean {
  const [tenantUrl, url] = [named, expected].map((text) => parseHttpUrl(text))
  if (tenantUrl === undefined || url === undefined || tenantUrl.origin !== url.origin) return false
  const [tenant, ...path] = withoutSlash(tenantUrl.pathname).split('/').slice(1)
  const [, ...expectedPath] = withoutSlash(url.pathname).split('/').slice(1)
  return TENANT.test(tenant ?? '') && path.join('/') === expectedPath.join('/')
}

const withoutSlash = (text: string) => (text.endsWith('/') ? text.slice(0, -1) : text)
const isFine = ({ status, body }: OAuthReply) => status >= 200 && status < 300 && body !== undefined
