import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { SearchResult } from '../search-engine.ts'

/** A request to a search engine, as it arrived. */
export interface SearchRequest {
  method: string
  /** Without its query. */
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  /** Parsed JSON, if there is any. */
  // biome-ignore lint/suspicious/noExplicitAny: each vendor's body has another form
  body: any
}

/** The meaning of a request; what the engine is not told is missing. */
export interface ReadSearch {
  text: string
  count?: number
  freshness?: string
}

/** The protocol of a search engine. */
export interface SearchWire {
  /** Returns settings of the engine that lead to a fake at this address. */
  settings(url: string): Record<string, unknown>
  /** Reads a request as the engine does; throws for one that the engine would refuse. */
  read(request: SearchRequest): ReadSearch
  /** Returns the answer of the engine with these results; its body is sent as JSON. */
  answer(results: readonly SearchResult[]): { status?: number; body: unknown }
}

/** A running fake of a search engine. */
export interface FakeSearchEngine {
  url: string
  requests: SearchRequest[]
  /** The requests that the engine does not refuse, by their meaning. */
  searches: ReadSearch[]
  /** The error of the last request that the engine refuses. */
  refusal: unknown
  /** The pages that it finds. */
  pages: readonly SearchResult[]
  /** Answers all requests in place of the protocol while it is set. */
  serve: RequestListener | undefined
  close(): Promise<void>
}

/** Starts a fake of a search engine on loopback. */
export async function startFakeSearchEngine(wire: SearchWire): Promise<FakeSearchEngine> {
  const server = createServer(async (incoming, response) => {
    const text = (await buffer(incoming)).toString()
    const { pathname: path, searchParams } = new URL(incoming.url!, 'http://localhost')
    const { method = '', headers } = incoming
    const query = Object.fromEntries(searchParams)
    const request = { method, path, query, headers, body: text === '' ? undefined : JSON.parse(text) }
    fake.requests.push(request)
    if (fake.serve) return fake.serve(incoming, response)
    let reply: ReturnType<SearchWire['answer']>
    try {
      fake.searches.push(wire.read(request))
      reply = wire.answer(fake.pages)
    } catch (error) {
      fake.refusal = error
      reply = { status: 400, body: { error: (error as Error).message } }
    }
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply.body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const fake: FakeSearchEngine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    searches: [],
    refusal: undefined,
    pages: [],
    serve: undefined,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return fake
}
