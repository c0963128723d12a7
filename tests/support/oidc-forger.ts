import { createPublicKey } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import jwt from 'jsonwebtoken'
import { CLIENT } from './oidc-client.ts'
import { signingKey } from './oidc-keys.ts'
import type { Browser, Start } from './sso-browser.ts'

/** Changes to the ID token that the issuer would sign. */
export interface Forgery {
  claims?: Record<string, unknown>
  algorithm?: jwt.Algorithm
  key?: jwt.Secret
}

/** A request that reached the issuer. */
interface SeenRequest {
  path: string
  headers: Record<string, unknown>
  form: Record<string, string>
}

/** An issuer without pages, whose answers a test can falsify. */
interface OidcForger {
  url: string
  seen: SeenRequest[]
  /** Changes to the discovery document. */
  metadata: Record<string, unknown>
  /** Answers by path that replace the right ones. */
  answers: Record<string, { status: number; body?: unknown; headers?: Record<string, string> }>
  /** Paths whose requests are never answered. */
  silent: string[]
  /** Resolves when the client of such a request has closed it. */
  left(): Promise<void>
  /** The nonce of the next ID token, and the changes to it. */
  nonce: string
  forgery: Forgery
  /** The claims at the userinfo endpoint; without them there is no such endpoint. */
  userinfo: Record<string, unknown> | undefined
  /** Undoes every change. */
  reset(): void
  close(): Promise<void>
}

const KEY_ID = 'test'

/** Starts an issuer that issues a token for any code. */
export async function startOidcForger(): Promise<OidcForger> {
  const departures = new EventEmitter()
  const http = createServer((request, response) => {
    const respond = async () => {
      const path = request.url!.split('?')[0]!
      const form = Object.fromEntries(new URLSearchParams(await text(request)))
      forger.seen.push({ path, headers: request.headers, form })
      if (forger.silent.includes(path)) return void response.once('close', () => departures.emit('left'))
      const { status, body, headers } = forger.answers[path] ?? answerTo(path)
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}))
    }
    void respond()
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`

  const makeToken = ({ claims, algorithm = 'RS256', key = signingKey }: Forgery) => {
    const now = Math.floor(Date.now() / 1000)
    const right = { iss: url, sub: 'ada', aud: CLIENT.id, iat: now, exp: now + 300, nonce: forger.nonce }
    const header = { alg: algorithm, ...(algorithm === 'RS256' && { kid: KEY_ID }) }
    // An undefined claim is left out.
    const all: object = JSON.parse(JSON.stringify({ ...right, ...claims }))
    return jwt.sign(all, key, { algorithm, header })
  }

  const answerTo = (path: string): (typeof forger.answers)[string] => {
    if (path === '/.well-known/openid-configuration') return { status: 200, body: discovery() }
    if (path === '/jwks') return { status: 200, body: { keys: [publicKey()] } }
    if (path === '/token')
      return {
        status: 200,
        body: { access_token: 'an-access-token', token_type: 'Bearer', id_token: makeToken(forger.forgery) },
      }
    if (path === '/userinfo') return { status: 200, body: forger.userinfo }
    return { status: 404 }
  }

  const discovery = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    ...(forger.userinfo && { userinfo_endpoint: `${url}/userinfo` }),
    ...forger.metadata,
  })

  const right = () => ({
    seen: [],
    metadata: {},
    answers: {},
    silent: [],
    nonce: '',
    forgery: {},
    userinfo: undefined,
  })

  const forger: OidcForger = {
    url,
    ...right(),
    async left() {
      await once(departures, 'left')
    },
    reset: () => void Object.assign(forger, right()),
    async close() {
      http.close()
      http.closeAllConnections()
    },
  }
  return forger
}

const publicKey = () => ({
  ...createPublicKey(signingKey).export({ format: 'jwk' }),
  kid: KEY_ID,
  use: 'sig',
  alg: 'RS256',
})

/** Signs in with a token of the forger; returns the page of the console that the callback redirects to. */
export async function comeFrom(
  forger: OidcForger,
  browser: Browser,
  {
    parameters = {},
    start = {},
    ...forgery
  }: Forgery & { parameters?: Record<string, string>; start?: Start } = {},
): Promise<URL> {
  const { status, body } = await browser.start(start)
  if (status !== 200) throw new Error(`the start answered ${status} ${JSON.stringify(body)}`)
  const { searchParams } = new URL(body.authorization_url)
  Object.assign(forger, { nonce: searchParams.get('nonce'), forgery })
  const callback = new URL(searchParams.get('redirect_uri')!)
  const query = { code: 'a-code', state: body.state, session_state: 'x', scope: 'openid', ...parameters }
  for (const [name, value] of Object.entries(query)) callback.searchParams.set(name, value)
  return browser.comeBack(callback.href)
}

/** Signs a user with these claims in; returns the tokens. */
export async function signInAs(forger: OidcForger, browser: Browser, claims: Record<string, unknown>) {
  const page = await comeFrom(forger, browser, { claims })
  const { status, body } = await browser.exchange(page)
  if (status !== 200) throw new Error(`${page} and then ${status}`)
  return body
}
