import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request as the platform got it; `body` is what its JSON says, undefined where there is none. */
export interface VendorCall {
  /** Method and path. */
  call: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Record<string, unknown> | undefined
}

/** What the platform answers; a body that is a text goes out as it is. */
export interface VendorReply {
  status?: number
  body: unknown
}

/** What is wrong with a platform for a while: an answer of its own, or none at all. */
export type Fault = VendorReply | 'silence'

/** What a code stands for. */
export interface Grant {
  person: Record<string, unknown>
  client_id: string
  redirect_uri: string
  /** Of PKCE. */
  challenge: string | null
  /** Whether the company of the person was asked for. */
  with_company: boolean
}

/** What a platform's rules are made with. */
export interface VendorDesk {
  app: { client_id: string; client_secret: string; agent_id: string }
  /** The addresses that people may be sent back to. */
  redirect_uris: Set<string>
  /** Makes a code, and redeems it: once and within five minutes. */
  issueCode(grant: Grant): string
  redeemCode(code: unknown): Grant | undefined
  /** Makes a token, and says for what it is good. */
  issueToken<Meaning>(meaning: Meaning): string
  meaningOf(token: unknown): unknown
}

/** A platform's pages and calls, by method and path; a page gives the address that the browser is sent to. */
export interface VendorRules {
  page(call: VendorCall, desk: VendorDesk, person: Record<string, unknown> | null): URL | undefined
  page_path: string
  calls: Record<string, (call: VendorCall, desk: VendorDesk) => VendorReply>
}

const CODE_LIFE = 5 * 60_000

/**
 * Starts a platform that people sign in with. Its login page sends whoever comes straight back: as `visitor`, or as
 * somebody who refuses where that is null; a request that breaks its rules gets a page that says so and leads nowhere.
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
    /** `visitor` is who comes to the login page. */
    state,
    /** Every call of the API, in order. */
    seen,
    /** Every code and token that was given out. */
    issued,
    /** `silence` is emitted with a call that is not answered, `abandoned` once nobody waits for it any more. */
    events,
    /** Breaks the calls whose name has this part, until `heal`. */
    break: (part: string, fault: Fault) => void faults.set(part, fault),
    heal() {
      faults.clear()
      late = 0
    },
    /** Lets this time go by for every code. */
    age: (milliseconds: number) => {
      late += milliseconds
    },
    /** Gives the app another secret, with which every token is useless too. */
    changeSecret(secret: string) {
      desk.app.client_secret = secret
      tokens.clear()
    },
    /** Makes every token useless. */
    revokeTokens: () => tokens.clear(),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A platform that people sign in with. */
export type FakeSignInVendor = Awaited<ReturnType<typeof createFakeSignInVendor>>

/** The address of a page with these added to its query. */
export function addressWith(base: string, query: Record<string, string>): URL {
  const url = new URL(base)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}
