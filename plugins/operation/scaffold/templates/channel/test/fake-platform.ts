import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { FakePlatform, Saying, ShownMessage } from 'agent-platform-service/plugin-api/testing'

const TOKEN = 'the-token-of-the-bot'

/** A platform on loopback that speaks the protocol of the kind. Replace it together with the kind. */
export async function startFake(): Promise<FakePlatform> {
  const said: ({ id: string; number: number } & Record<string, unknown>)[] = []
  const shown: ShownMessage[] = []
  const news = new EventEmitter().setMaxListeners(0)
  let connections = 0
  let stored = 0
  let limited = { calls: 0, seconds: 0 }
  let failing = 0

  /** Delivers a message to the bot and waits until the bot asks for the messages after it. */
  const deliver = async (message: { id: string } & Record<string, unknown>) => {
    const number = said.length + 1
    said.push({ ...message, number })
    news.emit('said')
    while (stored < number) await once(news, 'stored')
    return message.id
  }

  const server = createServer(async (request, response) => {
    const reply = (status: number, body: object = {}, headers = {}) =>
      response.writeHead(status, headers).end(JSON.stringify(body))
    const { pathname, searchParams } = new URL(request.url!, 'http://fake')
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return reply(401)
    if (pathname === '/me') return reply(200)
    if (request.method === 'GET') {
      // A bot that starts again gets the messages that it has not stored yet.
      stored = Math.max(stored, Number(searchParams.get('after')))
      news.emit('stored')
      const left = new AbortController()
      response.once('close', () => left.abort())
      connections++
      if (said.length <= stored) await once(news, 'said', { signal: left.signal }).catch(() => undefined)
      connections--
      return reply(200, said.slice(stored))
    }
    const { room, text, key } = (await json(request)) as { room: string; text: string; key: string }
    if (limited.calls-- > 0) return reply(429, {}, { 'retry-after': limited.seconds })
    if (failing-- > 0) return reply(503)
    const place = room === 'lobby' ? 'group' : 'direct'
    if (!shown.some(({ id }) => id === key))
      shown.push({ id: key, place, text, history: [], is_live: false, buttons: [] })
    return reply(200)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    endpoints: { api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    config: { token: TOKEN },
    wrong_config: { token: 'the-token-of-another-bot' },
    say: ({ text, place = 'direct', sender = 'ann', mention = true, id, sent_at = Date.now() }: Saying) =>
      deliver({
        id: id ?? `message-${said.length + 1}`,
        room: place === 'group' ? 'lobby' : 'talk',
        is_group: place === 'group',
        author: sender,
        text,
        mentioned: place === 'direct' || mention,
        sent_at,
      }),
    async redeliver(id) {
      await deliver(said.find((message) => message.id === id)!)
    },
    shown: (place) => shown.filter((message) => place === undefined || message.place === place),
    press: async () => undefined,
    connections: () => connections,
    drop: () => server.closeAllConnections(),
    limitRate(calls, seconds) {
      limited = { calls, seconds }
    },
    fail(calls) {
      failing = calls
    },
    typings: () => 0,
    violations: [],
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
