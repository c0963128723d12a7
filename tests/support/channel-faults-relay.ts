import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { WebSocket, WebSocketServer } from 'ws'
import type { FakePlatform } from '../../plugin-api/testing/fake-platform.ts'

/** A call of the bot: an HTTP request, or a frame that it sends on its socket, whose method is `FRAME`. */
export interface PlatformCall {
  method: string
  path: string
  body: string
}

/** An answer in place of the platform's. A frame has only a body. */
export interface FaultyAnswer {
  status?: number
  headers?: Record<string, string>
  body: string
}

/** The treatment of a call: an answer, a cut connection, no answer at all, or the beginning of the platform's answer. */
export type Treatment = { answer: (call: PlatformCall) => FaultyAnswer } | 'reset' | 'silence' | 'half'

/** A fault that is in force until it has been met `times` times, or until it is lifted. */
export interface Fault {
  matches(call: PlatformCall): boolean
  treatment: Treatment
  times: number
}

/** A fault in force. */
export interface ArmedFault {
  /** The number of calls that met the fault. */
  readonly hits: number
  lift(): void
}

/** A platform behind a relay that can put faults between the platform and the bot. */
export interface FaultyPlatform extends FakePlatform {
  arm(fault: Fault): ArmedFault
}

/** The share of a halved answer that is sent. */
const HALF = 0.5

/** Headers that a relay does not pass on. */
const withoutHops = ({
  connection: _,
  'content-length': __,
  'transfer-encoding': ___,
  ...headers
}: IncomingHttpHeaders) => headers

/**
 * Starts a relay in front of each address of a platform. All addresses that the platform tells of itself, in its
 * answers and frames, lead through the relay as well. When an answer is lost (`reset`, `silence`, `half`), the platform
 * carries out the first such call and none of the later ones: an outage begins with a call that is under way.
 */
export async function relayPlatform(platform: FakePlatform): Promise<FaultyPlatform> {
  const { endpoints, config, wrong_config } = platform
  const faults = new Set<Fault & { hits: number }>()
  const closing: (() => Promise<void>)[] = []
  const ports = new Map<string, string>()
  /** Replaces the platform's addresses by addresses of the relay. */
  const rewrite = (text: string) =>
    text.replace(/127\.0\.0\.1:(\d+)/g, (whole, port) => ports.get(port) ?? whole)
  const rewriteAll = <Value>(value: Value): Value => JSON.parse(rewrite(JSON.stringify(value)))

  const meet = (call: PlatformCall) => {
    const fault = [...faults].find((armed) => armed.hits < armed.times && armed.matches(call))
    if (fault) fault.hits += 1
    return fault
  }

  const origins = JSON.stringify([endpoints, config]).matchAll(/127\.0\.0\.1:(\d+)/g)
  for (const port of new Set([...origins].map(([, port]) => port!))) {
    const relay = await startRelay({ port, meet, rewrite })
    ports.set(port, relay.host)
    closing.push(relay.close)
  }

  return {
    ...platform,
    endpoints: rewriteAll(endpoints),
    config: rewriteAll(config),
    wrong_config: rewriteAll(wrong_config),
    arm(fault) {
      const armed = { ...fault, hits: 0 }
      faults.add(armed)
      return {
        get hits() {
          return armed.hits
        },
        lift: () => void faults.delete(armed),
      }
    },
    async close() {
      await platform.close()
      for (const close of closing) await close()
    },
  }
}

/** The parts that the relays of one platform share. */
interface RelayContext {
  port: string
  meet(call: PlatformCall): (Fault & { hits: number }) | undefined
  rewrite(text: string): string
}

async function startRelay({ port, meet, rewrite }: RelayContext) {
  const server = createServer((incoming, response) => {
    // A client that has left, or a platform that was closed, ends the exchange on both sides.
    relayRequest(incoming, response, { port, meet, rewrite }).catch(() => response.destroy())
  })
  const sockets = new WebSocketServer({ noServer: true, autoPong: false })
  server.on('upgrade', (incoming, socket: Duplex, head: Buffer) =>
    sockets.handleUpgrade(incoming, socket, head, (client) =>
      relayFrames(client, new WebSocket(`ws://127.0.0.1:${port}${incoming.url}`, { autoPong: false }), {
        port,
        meet,
        rewrite,
      }),
    ),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const client of sockets.clients) client.terminate()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function relayRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  { port, meet, rewrite }: RelayContext,
): Promise<void> {
  const { method = 'GET', url = '/' } = incoming
  const bytes = await buffer(incoming)
  const fault = meet({ method, path: url, body: bytes.toString() })
  const treatment = fault?.treatment
  if (typeof treatment === 'object') {
    const { status = 200, headers, body } = treatment.answer({ method, path: url, body: bytes.toString() })
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
    return
  }
  if (fault && fault.hits > 1) return endWithoutAnswer(response, treatment)
  const headers = {
    ...withoutHops(incoming.headers),
    host: `127.0.0.1:${port}`,
    'content-length': bytes.length,
  }
  const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers })
  // A poll that the bot cancels must end at the platform as well.
  response.once('close', () => {
    if (!fault) outgoing.destroy()
  })
  outgoing.end(bytes)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  const content = await buffer(answer)
  if (treatment === 'half') return endInHalf(response, answer, content)
  if (treatment) return endWithoutAnswer(response, treatment)
  const isText = /json|text/.test(answer.headers['content-type'] ?? '')
  response.writeHead(answer.statusCode!, withoutHops(answer.headers))
  response.end(isText ? rewrite(content.toString()) : content)
}

/** Ends a call that the platform does not carry out. Silence lasts until the bot leaves. */
function endWithoutAnswer(response: ServerResponse, treatment: Treatment | undefined): void {
  const answer = { statusCode: 200, headers: { 'content-type': 'application/json' } }
  if (treatment === 'half') endInHalf(response, answer, Buffer.from('{}'))
  if (treatment === 'reset') response.destroy()
}

function endInHalf(
  response: ServerResponse,
  { statusCode, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>,
  content: Buffer,
): void {
  const announced = Math.max(content.length, 64)
  response.writeHead(statusCode!, { ...withoutHops(headers), 'content-length': announced })
  response.write(content.subarray(0, Math.floor(content.length * HALF)), () => response.destroy())
}

/** Passes frames, pings and the end of a socket on, in both directions. */
function relayFrames(client: WebSocket, upstream: WebSocket, { meet, rewrite }: RelayContext): void {
  /** Ids of requests whose next confirmation is lost, or halved. */
  const lost = new Map<string, Treatment>()
  const opened = once(upstream, 'open')
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    // The close event follows.
    one.on('error', () => one.terminate())
    one.on('close', () => other.terminate())
    one.on('ping', (data) => opened.then(() => other.ping(data)).catch(() => one.terminate()))
    one.on('pong', (data) => opened.then(() => other.pong(data)).catch(() => one.terminate()))
  }

  const take = (body: string): boolean => {
    const { cmd = '', headers: { req_id = '' } = {} } = parse(body)
    const call = { method: 'FRAME', path: String(cmd), body }
    const fault = cmd === '' ? undefined : meet(call)
    if (!fault) return true
    const { treatment } = fault
    if (typeof treatment === 'object') {
      client.send(treatment.answer(call).body)
      return false
    }
    if (treatment === 'half') client.send(`{"headers":{"req_id":"${req_id}`)
    // A bot whose every call costs it the connection waits for minutes: the later frames are only lost.
    if (fault.hits > 1) return false
    lost.set(req_id, treatment)
    return true
  }

  client.on('message', async (data, isBinary) => {
    // A bot that speaks before the platform listens is heard later.
    await opened.catch(() => client.terminate())
    if (upstream.readyState !== upstream.OPEN) return
    if (isBinary || take(String(data))) upstream.send(isBinary ? data : String(data))
  })
  upstream.on('message', (data, isBinary) => {
    if (client.readyState !== client.OPEN) return
    if (isBinary) return client.send(data)
    const text = String(data)
    const { cmd, headers: { req_id = '' } = {} } = parse(text)
    const treatment = cmd === undefined ? lost.get(req_id) : undefined
    if (!treatment) return client.send(rewrite(text))
    lost.delete(req_id)
    if (treatment === 'reset') client.terminate()
  })
}

/** Reads a frame; frames of most platforms have none of these fields. */
function parse(text: string): { cmd?: unknown; headers?: { req_id?: string } } {
  try {
    return JSON.parse(text) ?? {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
