import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Test } from '../run/file-test.ts'
import { encodeEvent, plainAnswer, streamTypeOf, type Wire, wireOf } from './fixture-wires.ts'
import type { FixtureAnswer, StreamFixture } from './stream-fixtures.ts'

/** A call of a chat model as it arrived. */
export interface ModelRequest {
  wire: Wire
  /** The path below the fixture's own prefix. */
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: each protocol's body has another form
  body: any
}

/** The upstream of one fixture. */
export interface FixtureUpstream {
  base_url: string
  /** All calls of chat models so far. */
  requests: readonly ModelRequest[]
  /** Sets the answers of the following requests; the last one answers every further request. */
  answer(answers: readonly FixtureAnswer[]): void
  /** Answers every following request with a plain text. */
  answerPlainly(text: string): void
}

interface Desk extends FixtureUpstream {
  serve(path: string, method: string, body: unknown, response: ServerResponse): Promise<void>
}

/** Starts one server on loopback for the upstreams of all fixtures, which differ by the first segment of the path. */
export async function startUpstreams(
  t: Test,
): Promise<{ open(key: string, fixture: StreamFixture): FixtureUpstream }> {
  const desks = new Map<string, Desk>()
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request)
    const { pathname } = new URL(request.url!, 'http://localhost')
    const [, key = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? []
    const body = bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined
    const desk = desks.get(key)
    if (desk) await desk.serve(decodeURIComponent(path), request.method!, body, response)
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    open(key, fixture) {
      const desk = createDesk(`${root}/${key}`, fixture)
      desks.set(key, desk)
      return desk
    },
  }
}

function createDesk(base_url: string, { lookups = {} }: StreamFixture): Desk {
  const requests: ModelRequest[] = []
  let answers: FixtureAnswer[] = []
  let plainText: string | undefined
  return {
    base_url,
    requests,
    answer(queued) {
      answers = [...queued]
      plainText = undefined
    },
    answerPlainly(text) {
      plainText = text
    },
    async serve(path, method, body, response) {
      const wire = wireOf(path)
      if (method !== 'POST' || !wire) {
        const lookup = lookups[`${method} ${path}`]
        response.writeHead(lookup ? 200 : 404, { 'content-type': 'application/json' })
        response.end(JSON.stringify(lookup ?? { error: `no ${method} ${path}` }))
        return
      }
      requests.push({ wire, path, body })
      const next = answers.length > 1 ? answers.shift()! : answers[0]
      const plain = plainText ?? (next ? undefined : 'unexpected')
      await send(wire, plain === undefined ? next! : plainAnswer(wire, plain), response)
    },
  }
}

async function send(wire: Wire, answer: FixtureAnswer, response: ServerResponse): Promise<void> {
  const { status = 200, body = '', events, headers = {}, piece_bytes, cut = false, gzip = false } = answer
  const type = answer.type ?? (status < 400 ? streamTypeOf(wire) : 'application/json')
  // A block of YAML ends with one line end, an event with two.
  const isOpenEvent = type === 'text/event-stream' && /[^\n]\n$/.test(body)
  const plain = events
    ? Buffer.concat((events as [string, unknown][]).map(encodeEvent))
    : Buffer.from(isOpenEvent ? `${body}\n` : body)
  const bytes = gzip ? gzipSync(plain) : plain
  response.writeHead(status, {
    'content-type': type,
    ...(gzip && { 'content-encoding': 'gzip' }),
    ...headers,
  })
  const size = piece_bytes ?? (bytes.length || 1)
  for (let start = 0; start < bytes.length; start += size) {
    response.write(bytes.subarray(start, start + size))
    // Client and upstream share a process: a piece arrives before the next one is written.
    if (piece_bytes) await setImmediate()
  }
  if (!cut) return void response.end()
  // By then the body is on its way.
  await setImmediate()
  response.socket?.destroySoon()
}
