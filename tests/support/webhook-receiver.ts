import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import type { Test } from '../run/file-test.ts'

/** A request as a receiver got it. */
export interface ReceivedRequest {
  id: string
  path: string
  headers: IncomingHttpHeaders
  body: { type: string; timestamp: string; data: Record<string, unknown> }
}

/** Answers a request; a status, or whatever it does with the response. */
type Answer = (request: ReceivedRequest, response: ServerResponse, raw: IncomingMessage) => number | undefined

/** Starts a receiver of webhooks on loopback that answers 200 unless told otherwise. */
export async function startReceiver(t: Test) {
  const requests: ReceivedRequest[] = []
  const receiver = {
    url: '',
    port: 0,
    requests,
    answer: (() => 200) as Answer,
    /** Waits until there are this many requests, and returns them. */
    see: (count: number): Promise<ReceivedRequest[]> =>
      eventually(
        () => `${count} requests, but there are ${requests.length}`,
        () => requests.length >= count && requests,
      ),
    /** Returns the requests of an event. */
    of: (type: string) => requests.filter(({ body }) => body.type === type),
  }
  const server = createServer(async (raw, response) => {
    const body = (await json(raw)) as ReceivedRequest['body']
    const request = { id: raw.headers['webhook-id'] as string, path: raw.url!, headers: raw.headers, body }
    requests.push(request)
    const status = receiver.answer(request, response, raw)
    if (status !== undefined) response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.port = (server.address() as AddressInfo).port
  receiver.url = `http://127.0.0.1:${receiver.port}/`
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return receiver
}

/** Verifies a request with the library of Standard Webhooks; throws unless its signature is right. */
export const verify = (secret: string, { headers, body }: ReceivedRequest): unknown =>
  new Webhook(secret).verify(JSON.stringify(body), headers as Record<string, string>)
