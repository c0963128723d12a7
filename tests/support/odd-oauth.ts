import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A reply in place of the right one; `body` is sent as it is if it is a text. */
export interface OddReply {
  status?: number
  body?: unknown
  type?: string
  headers?: Record<string, string>
  /** Ends the connection in place of a reply. */
  isReset?: true
}

type Json = Record<string, unknown>
type Form = Record<string, string>

/** The deviations of one authorization server, or of the server whose tools it protects. */
export interface Oddity {
  /** The header of a refusal; null for none. */
  challenge?: (urls: OddUrls) => string | null
  /** Changes the description of the resource; a reply by path replaces it. */
  resource?: (right: Json, urls: OddUrls) => Json
  /** The paths at which the resource is described. */
  resourceAt?: readonly string[]
  /** The status of the others. */
  resourceOtherwise?: number
  /** The path of the issuer, such as `/tenant`. */
  path?: string
  metadata?: (right: Json, urls: OddUrls) => Json
  metadataAt?: readonly string[]
  metadataOtherwise?: OddReply
  metadataType?: string
  /** Refuses or changes a registration; undefined for the right reply. */
  register?: (client: Json, right: Json) => OddReply | undefined
  /** Replaces the right reply to a valid request for tokens. */
  token?: (right: Json, form: Form) => OddReply | undefined | Promise<OddReply | undefined>
  /** The path of the token endpoint, and the reply of `/token` if that is another one. */
  tokenAt?: string
  tokenOtherwise?: OddReply
  /** The way in which clients must authenticate. */
  auth?: 'none' | 'client_secret_basic' | 'client_secret_post'
  /** Replaces the replies of the server with the tool to valid tokens. */
  tool?: (token: string) => OddReply
  /** True if authorization requests must be pushed. */
  needsPush?: true | undefined
  /** True if the server refuses the parameter `resource`. */
  refusesResource?: true
  /** True if the endpoints of the server are at the origin of the resource. */
  isOlder?: true
  /** The characters of a code. */
  longCode?: number
}

interface OddUrls {
  resource: string
  issuer: string
}

interface Client {
  secret: string | undefined
  redirect_uris: string[]
}

/** The client that was registered by hand. */
export const ENTERED = { client_id: 'entered by hand', client_secret: 'a/secret+of=hand' }

/** A client without a secret that was registered by hand. */
export const ENTERED_PUBLIC = { client_id: 'entered-without-a-secret' }

/** Starts a server with a tool and its authorization server, which check each request strictly and reply oddly. */
export async function startOddOAuth(redirect_uri: string) {
  const listen = async () => {
    const http = createServer((request, response) => void answer(request, response))
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    return { http, origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }
  }
  const [resource, server] = await Promise.all([listen(), listen()])
  const clients = new Map<string, Client>()
  const codes = new Map<string, { client_id: string; challenge: string; resource: string | null }>()
  const access = new Set<string>()
  const pushed = new Map<string, URLSearchParams>()
  const refresh = new Map<string, string>()
  const origin = () => (odd.now.isOlder ? resource.origin : server.origin)
  const urls = (): OddUrls => ({
    resource: `${resource.origin}/mcp`,
    issuer: `${origin()}${odd.now.path ?? ''}`,
  })

  const odd = {
    now: {} as Oddity,
    url: `${resource.origin}/mcp`,
    issuer: server.origin,
    /** The faults of the clients of this server. */
    faults: [] as string[],
    requests: [] as { path: string; form: Form }[],
    /** The tokens that were issued, in the order of their requests' ends. */
    issued: [] as { access_token: string; refresh_token: string }[],
    /** The tokens that were sent to the server with the tool. */
    sent: [] as string[],
    of: (path: string) => odd.requests.filter((request) => request.path === path),
    /** Begins a case. */
    reset(oddity: Oddity) {
      Object.assign(odd, { now: oddity, faults: [], requests: [], issued: [], sent: [] })
      for (const stored of [clients, codes, access, refresh]) stored.clear()
      clients.set(ENTERED.client_id, { secret: ENTERED.client_secret, redirect_uris: [redirect_uri] })
      clients.set(ENTERED_PUBLIC.client_id, { secret: undefined, redirect_uris: [redirect_uri] })
    },
    /** Signs a person in who was sent to an address; returns the parameters of the callback. */
    authorize(address: string): Record<string, string> {
      const { searchParams, origin: at, pathname } = new URL(address)
      const asked = pushed.get(searchParams.get('request_uri') ?? '') ?? searchParams
      const refuse = (words: string) => odd.faults.push(words)
      if (at !== origin() || pathname !== '/authorize') refuse(`authorization at ${address}`)
      const client = clients.get(asked.get('client_id') ?? '')
      if (!client) refuse('unknown client')
      if (!client?.redirect_uris.includes(asked.get('redirect_uri') ?? '')) refuse('unknown redirect_uri')
      if (asked.get('response_type') !== 'code') refuse('response_type')
      if (asked.get('code_challenge_method') !== 'S256') refuse('code_challenge_method')
      if (odd.now.needsPush && asked === searchParams) refuse('a request that was not pushed')
      if (odd.now.refusesResource && asked.has('resource')) refuse('resource')
      const code = randomUUID().padEnd(odd.now.longCode ?? 0, 'x')
      codes.set(code, {
        client_id: asked.get('client_id')!,
        challenge: asked.get('code_challenge')!,
        resource: asked.get('resource'),
      })
      return { code, state: asked.get('state')! }
    },
    /** Ends all access tokens. */
    expire: () => access.clear(),
    /** Ends all refresh tokens. */
    revoke: () => refresh.clear(),
    forgetClients: () => clients.clear(),
    async close() {
      for (const { http } of [resource, server]) {
        http.close()
        http.closeAllConnections()
      }
    },
  }

  const send = (
    response: ServerResponse,
    { status = 200, body, type, headers, isReset }: OddReply,
  ): undefined => {
    if (isReset) {
      response.destroy()
      return
    }
    response.writeHead(status, { 'content-type': type ?? 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}))
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, resource.origin)
    const at = request.headers.host === new URL(resource.origin).host ? resource.origin : server.origin
    const content = await text(request)
    const isToken = pathname === (odd.now.tokenAt ?? '/token')
    const form = isToken ? Object.fromEntries(new URLSearchParams(content)) : {}
    odd.requests.push({ path: pathname, form })
    if (at === resource.origin && pathname === '/mcp') return answerTool(request, response, content)
    if (at === resource.origin && pathname.startsWith('/.well-known/oauth-protected-resource'))
      return send(response, describeResource(pathname))
    if (at !== origin()) return send(response, { status: 404 })
    if (pathname.includes('/.well-known/')) return send(response, describeServer(pathname))
    if (pathname === '/register') return send(response, register(JSON.parse(content) as Json))
    if (isToken) return send(response, await issue(form, request.headers.authorization))
    if (pathname === '/par') return send(response, push(new URLSearchParams(content)))
    send(response, odd.now.tokenOtherwise ?? { status: 404 })
  }

  function answerTool(request: IncomingMessage, response: ServerResponse, content: string) {
    const { now } = odd
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    odd.sent.push(token)
    if (now.tool && access.has(token)) return send(response, now.tool(token))
    if (!access.has(token)) {
      const right = `Bearer resource_metadata="${resource.origin}/.well-known/oauth-protected-resource/mcp"`
      const challenge = now.challenge ? now.challenge(urls()) : right
      const headers: Record<string, string> = challenge === null ? {} : { 'www-authenticate': challenge }
      return send(response, { status: 401, headers })
    }
    if (request.method !== 'POST') return send(response, { status: 405 })
    const { id, method } = JSON.parse(content) as { id?: number; method: string }
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'odd', version: '1' },
      },
      'tools/list': { tools: [{ name: 'look', inputSchema: { type: 'object' } }] },
    }
    if (id === undefined) return send(response, { status: 202, body: '' })
    const result = results[method]
    const error = { code: -32601, message: 'unknown method' }
    send(response, { body: { jsonrpc: '2.0', id, ...(result ? { result } : { error }) } })
  }

  function describeResource(path: string): OddReply {
    const { now } = odd
    const name = '/.well-known/oauth-protected-resource'
    if (now.isOlder || !(now.resourceAt ?? [name, `${name}/mcp`]).includes(path))
      return { status: now.resourceOtherwise ?? 404, body: 'nothing here', type: 'text/plain' }
    const right = { resource: urls().resource, authorization_servers: [urls().issuer] }
    return { body: now.resource ? now.resource(right, urls()) : right }
  }

  function describeServer(path: string): OddReply {
    const { now } = odd
    const right = {
      issuer: urls().issuer,
      authorization_endpoint: `${origin()}/authorize`,
      token_endpoint: `${origin()}${now.tokenAt ?? '/token'}`,
      registration_endpoint: `${origin()}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      ...(now.needsPush && {
        pushed_authorization_request_endpoint: `${origin()}/par`,
        require_pushed_authorization_requests: true,
      }),
      token_endpoint_auth_methods_supported: [now.auth ?? 'none'],
    }
    const places = now.metadataAt ?? [`/.well-known/oauth-authorization-server${now.path ?? ''}`]
    if (!places.includes(path)) return now.metadataOtherwise ?? { status: 404 }
    const body = now.metadata ? now.metadata(right, urls()) : right
    return { body, ...(now.metadataType && { type: now.metadataType }) }
  }

  function register(metadata: Json): OddReply {
    const { now } = odd
    const uris = metadata.redirect_uris as string[]
    if (uris?.length !== 1 || uris[0] !== redirect_uri) odd.faults.push('redirect_uris')
    const right = { client_id: randomUUID(), ...metadata, client_id_issued_at: 1 }
    const reply = now.register?.(metadata, right) ?? { status: 201, body: right }
    const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {})
    const { client_id, client_secret } = (body.startsWith('{') ? JSON.parse(body) : {}) as Form
    if (client_id !== undefined)
      clients.set(String(client_id), { secret: client_secret || undefined, redirect_uris: uris })
    return reply
  }

  function push(form: URLSearchParams): OddReply {
    const request_uri = `urn:ietf:params:oauth:request_uri:${randomUUID()}`
    const { secret } = clients.get(form.get('client_id') ?? '') ?? { secret: null }
    if (secret !== (form.get('client_secret') ?? undefined))
      return { status: 401, body: { error: 'invalid_client' } }
    pushed.set(request_uri, form)
    return { status: 201, body: { request_uri, expires_in: 60 } }
  }

  async function issue(form: Form, authorization: string | undefined): Promise<OddReply> {
    const { now } = odd
    const refuse = (status: number, error: string) => ({ status, body: { error } })
    const basic = Buffer.from(authorization?.replace('Basic ', '') ?? '', 'base64')
      .toString()
      .split(':')
    const [id, secret] = authorization
      ? basic.map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
      : [form.client_id, form.client_secret]
    const client = clients.get(id ?? '')
    const way = authorization ? 'client_secret_basic' : secret ? 'client_secret_post' : 'none'
    if (!client || client.secret !== secret) return refuse(401, 'invalid_client')
    if (now.auth && way !== now.auth) return refuse(401, 'invalid_client')
    if (now.refusesResource && form.resource !== undefined) return refuse(400, 'invalid_target')
    if (form.grant_type === 'refresh_token') {
      if (refresh.get(form.refresh_token ?? '') !== id) return refuse(400, 'invalid_grant')
      return grant(id!, form, () => refresh.delete(form.refresh_token!))
    }
    const code = codes.get(form.code ?? '')
    const digest = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url')
    const isRight =
      form.grant_type === 'authorization_code' &&
      code?.client_id === id &&
      code?.challenge === digest &&
      code?.resource === (form.resource ?? null) &&
      form.redirect_uri === redirect_uri
    if (!isRight) return refuse(400, 'invalid_grant')
    return grant(id!, form, () => codes.delete(form.code!))
  }

  async function grant(client_id: string, form: Form, spend: () => void): Promise<OddReply> {
    const [access_token, refresh_token] = [randomUUID(), randomUUID()]
    const right = { access_token, token_type: 'Bearer', expires_in: 3600, refresh_token }
    const reply = (await odd.now.token?.(right, form)) ?? { body: right }
    const isGranted = (reply.status ?? 200) < 300 && JSON.stringify(reply).includes(access_token)
    if (!isGranted) return reply
    access.add(access_token)
    odd.issued.push({ access_token, refresh_token })
    // A server that sends no other refresh token keeps the old one.
    if (JSON.stringify(reply).includes(refresh_token)) {
      spend()
      refresh.set(refresh_token, client_id)
    }
    return reply
  }

  odd.reset({})
  return odd
}
