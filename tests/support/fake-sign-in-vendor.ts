import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request that the platform received; `body` is its parsed JSON, or undefined. */
export interface VendorCall {
  /** Method and path. */
  call: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Record<string, unknown> | undefined
}

/** An answer of the platform; a text body is sent unchanged. */
export interface VendorReply {
  status?: number
  body: unknown
}

/** A temporary fault of the platform: a wrong answer, or none at all. */
export type Fault = VendorReply | 'silence'

/** The sign-in that a code was issued for. */
interface Grant {
  person: Record<string, unknown>
  client_id: string
  redirect_uri: string
  /** The code challenge of PKCE. */
  challenge: string | null
  /** True if the company of the user was requested. */
  with_company: boolean
}

/** The arguments of the rules of a platform. */
interface VendorDesk {
  app: { client_id: string; client_secret: string; agent_id: string }
  /** The registered redirect URIs. */
  redirect_uris: Set<string>
  /** Issues a code, and redeems it once, within five minutes. */
  issueCode(grant: Grant): string
  redeemCode(code: unknown): Grant | undefined
  /** Issues a token, and returns what it is valid for. */
  issueToken<Meaning>(meaning: Meaning): string
  meaningOf(token: unknown): unknown
}

/** The pages and calls of a platform, by method and path; a page returns the address that it redirects to. */
interface VendorRules {
  page(call: VendorCall, desk: VendorDesk, person: Record<string, unknown> | null): URL | undefined
  page_path: string
  calls: Record<string, (call: VendorCall, desk: VendorDesk) => VendorReply>
}

const CODE_LIFE = 5 * 60_000

/**
 * Starts a platform that users sign in with. Its login page redirects back at once: for `visitor`, or for a user who
 * refuses if that is null. A request that breaks the platform's rules gets a page that reports this.
 */
export async function createFakeSignInVendor({ page, page_path, calls }: VendorRules) {
  const events = new EventEmitter()
  const codes = new Map<string, Grant & { until: number }>()
  const tokens = new Map<string, unknown>()
  const faults = new Map<string, Fault>()
  const seen: VendorCall[] = []
  const issued: string[] = []
  let late = 0

  const issue = (prefix: string) => {
    const secret = `${prefix}-${randomUUID()}`
    issued.push(secret)
    return secret
  }

  const desk: VendorDesk = {
    app: {
      client_id: `app-${randomUUID()}`,
      client_secret: `secret of ${randomUUID()}+/=&`,
      agent_id: '1000002',
    },
    redirect_uris: new Set(),
    issueCode(grant) {
      const code = issue('code')
      codes.set(code, { ...grant, until: Date.now() + CODE_LIFE })
      return code
    },
    redeemCode(code) {
      const grant = codes.get(String(code))
      codes.delete(String(code))
      return grant && Date.now() + late < grant.until ? grant : undefined
    },
    issueToken(meaning) {
      const token = issue('token')
      tokens.set(token, meaning)
      return token
    },
    meaningOf: (token) => tokens.get(String(token)),
  }

  const state = { visitor: null as Record<string, unknown> | null }

  const answer = (response: ServerResponse, { status = 200, body }: VendorReply) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://fake')
    const raw = await text(request)
    const name = `${request.method} ${pathname}`
    const isJson = request.headers['content-type']?.startsWith('application/json')
    const call: VendorCall = {
      call: name,
      query: searchParams,
      headers: request.headers,
      body: isJson ? JSON.parse(raw) : undefined,
    }
    if (name === `GET ${page_path}`) {
      const back = page(call, desk, state.visitor)
      if (back) return void response.writeHead(302, { location: back.href }).end()
      return void response
        .writeHead(400, { 'content-type': 'text/html' })
        .end('This app cannot be signed in to.')
    }
    seen.push(call)
    const key = [...faults.keys()].find((part) => name.includes(part))
    const fault = key === undefined ? undefined : faults.get(key)
    if (fault === 'silence') {
      response.on('close', () => events.emit('abandoned', name))
      events.emit('silence', name)
      return
    }
    const handle = Object.entries(calls).find(([path]) => new RegExp(`^${path}$`).test(name))?.[1]
    answer(response, fault ?? handle?.(call, desk) ?? { status: 404, body: 'no such call' })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    app: desk.app,
    redirect_uris: desk.redirect_uris,
    /** `visitor` is the next user of the login page. */
    state,
    /** Every call of the API, in order. */
    seen,
    /** Every code and token that was issued. */
    issued,
    /** Emits `silence` with a call that is not answered, and `abandoned` when the client has closed it. */
    events,
    /** Breaks the calls whose name has this part, until `heal`. */
    break: (part: string, fault: Fault) => void faults.set(part, fault),
    heal() {
      faults.clear()
      late = 0
    },
    /** Ages every code by this time. */
    age: (milliseconds: number) => {
      late += milliseconds
    },
    /** Changes the secret of the app, which also invalidates every token. */
    changeSecret(secret: string) {
      desk.app.client_secret = secret
      tokens.clear()
    },
    /** Invalidates every token. */
    revokeTokens: () => tokens.clear(),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A platform that users sign in with. */
export type FakeSignInVendor = Awaited<ReturnType<typeof createFakeSignInVendor>>

/** Returns an address with these parameters added to its query. */
export function addressWith(base: string, query: Record<string, string>): URL {
  const url = new URL(base)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}
