import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { FakePlatform, Place, Saying, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'

const TOKEN = 'the-token-of-the-pigeon'
const LOFTS: Record<Place, string> = { direct: 'loft-1', group: 'loft-2' }
/** The time that a call waits for letters, in milliseconds. */
const HOLD_MS = 20_000

/** A letter as the platform delivers it. */
interface Letter {
  number: number
  id: string
  loft: string
  group: boolean
  from: string
  text: string
  mentions_me: boolean
  at: number
}

/** The platform of the example in docs/plugins.md: letters are fetched by number, and sent by a call. */
export async function startFakePigeon(): Promise<FakePlatform> {
  const letters: Letter[] = []
  const shown: ShownMessage[] = []
  const keys = new Set<string>()
  const news = new EventEmitter().setMaxListeners(0)
  const waiting = new Set<AbortController>()
  const violations: string[] = []
  let fetchedUpTo = 0
  let limited = { calls: 0, seconds: 0 }
  let failing = 0

  const post = (letter: Omit<Letter, 'number'>) => {
    letters.push({ ...letter, number: letters.length + 1 })
    news.emit('letter')
    return letters.length
  }

  /** Resolves once the bot has asked for the letters after a given one. */
  const fetched = async (number: number) => {
    while (fetchedUpTo < number) await once(news, 'fetched', { signal: AbortSignal.timeout(40_000) })
  }

  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object = {}, headers = {}) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body))
    const { pathname, searchParams } = new URL(request.url!, 'http://pigeon')
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return answer(401)
    if (pathname === '/me') return answer(200, { name: 'pigeon', last_letter: letters.length })
    if (request.method === 'GET') {
      const after = Number(searchParams.get('after'))
      fetchedUpTo = after
      news.emit('fetched')
      const hold = new AbortController()
      const timer = setTimeout(() => hold.abort(), HOLD_MS)
      response.once('close', () => hold.abort())
      waiting.add(hold)
      // It rejects only when aborted, which ends the wait.
      if (letters.length <= after) await once(news, 'letter', { signal: hold.signal }).catch(() => undefined)
      clearTimeout(timer)
      waiting.delete(hold)
      return answer(200, { letters: letters.slice(after) })
    }
    const { to, text, key } = (await json(request)) as { to: string; text: string; key: string }
    if (limited.calls > 0) {
      limited.calls -= 1
      return answer(429, {}, { 'retry-after': String(limited.seconds) })
    }
    if (failing > 0) {
      failing -= 1
      return answer(503)
    }
    if (text.length > 2000) violations.push('a letter is too long')
    const place = to === LOFTS.group ? 'group' : 'direct'
    if (!keys.has(key)) shown.push({ id: key, place, text, history: [], is_live: false, buttons: [] })
    keys.add(key)
    answer(200, { key })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    endpoints: { api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    config: { token: TOKEN },
    wrong_config: { token: 'the token of a sparrow' },
    async say({ text, place = 'direct', sender = 'ann', mention = true, ...said }: Saying) {
      const id = said.id ?? `letter-${letters.length + 1}`
      const letter = { id, loft: LOFTS[place], group: place === 'group', from: sender, text }
      const mentions_me = place === 'direct' || mention
      await fetched(post({ ...letter, mentions_me, at: said.sent_at ?? Date.now() }))
      return id
    },
    async sayUnheard({ text, place = 'direct', sender = 'ann' }) {
      const id = `letter-${letters.length + 1}`
      const group = place === 'group'
      post({ id, loft: LOFTS[place], group, from: sender, text, mentions_me: true, at: Date.now() })
      return id
    },
    async redeliver(id) {
      await fetched(post(letters.find((letter) => letter.id === id)!))
    },
    shown: (place) => shown.filter((message) => place === undefined || message.place === place),
    press: async () => undefined,
    connections: () => waiting.size,
    drop: () => server.closeAllConnections(),
    limitRate(calls, seconds) {
      limited = { calls, seconds }
    },
    fail(calls) {
      failing = calls
    },
    typings: () => 0,
    violations,
    async close() {
      for (const hold of waiting) hold.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
