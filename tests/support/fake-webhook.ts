import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { HookReply, HookRequest } from '#plugin-api'
import type { FakePlatform, Place, Saying, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'

const SECRET = 'a webhook secret to share'
const PLACES: Record<Place, string> = { direct: 'private', group: 'square' }

/** An event that the channel posts. */
interface Event {
  type: string
  conversation_id: string
  message: {
    id: string
    text?: string
    is_final?: boolean
    buttons?: { label: string; value: string }[]
    filename?: string
    media_type?: string
    base64?: string
  }
}

/** The controls that only this fake has. */
export interface FakeWebhook extends FakePlatform {
  /** Answers the next callbacks, and probes, with this status; `end: false` leaves the body unfinished. */
  answer(status: number, headers?: Record<string, string>, body?: { text: string; end?: boolean }): void
  /** Sends a signed request with this body and returns the answer. */
  post(body: string): Promise<HookReply>
  /** Number of callbacks that came. */
  calls(): number
}

/** The other side of a webhook: a small platform that signs what it sends and checks what it gets. */
export async function startFakeWebhook(): Promise<FakeWebhook> {
  const shown: (ShownMessage & { values: Map<string, string> })[] = []
  const said = new Map<string, Saying>()
  const files = new Map<string, NonNullable<Saying['file']>>()
  const violations: string[] = []
  const keys = new Set<string>()
  let hook: ((request: HookRequest) => Promise<HookReply>) | undefined
  let limited = { calls: 0, seconds: 0 }
  let failing = 0
  let typings = 0
  let count = 0
  let calls = 0
  let answered:
    | { status: number; headers?: Record<string, string>; body?: { text: string; end?: boolean } }
    | undefined

  const sign = (body: string, timestamp = String(Math.floor(Date.now() / 1000))) => ({
    'x-timestamp': timestamp,
    'x-signature': `v1=${createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')}`,
  })

  const placeOf = (conversation_id: string) => (conversation_id === PLACES.group ? 'group' : 'direct')

  const take = ({ type, conversation_id, message }: Event) => {
    if (type === 'typing') typings += 1
    if (type !== 'message' && type !== 'message.update' && type !== 'file') return
    const { id, text = '', is_final = true, buttons, filename, media_type, base64 } = message
    const original = shown.find((one) => one.id === id)
    const values = new Map(buttons?.map(({ label, value }) => [label, value]))
    if (original && type === 'message.update') {
      if (original.text !== text) original.history.push(original.text)
      Object.assign(original, {
        text,
        is_live: !is_final,
        ...(buttons && { buttons: [...values.keys()], values }),
      })
      return
    }
    const file =
      type === 'file' && filename && media_type && base64 !== undefined
        ? { filename, media_type, bytes: Buffer.from(base64, 'base64') }
        : undefined
    shown.push({
      id,
      place: placeOf(conversation_id),
      text,
      history: [],
      is_live: !is_final,
      buttons: [...values.keys()],
      values,
      ...(file && { file }),
    })
  }

  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    if (url.startsWith('/files/')) {
      const file = files.get(url.slice('/files/'.length))
      response.writeHead(file ? 200 : 404, { 'content-type': file?.media_type }).end(file?.bytes)
      return
    }
    const body = await readText(request)
    const expected = sign(body, String(headers['x-timestamp']))['x-signature']
    if (headers['x-signature'] !== expected || url !== '/callback') {
      response.writeHead(url === '/callback' ? 401 : 404).end()
      return
    }
    if (/\\ud[89a-f]/i.test(body)) violations.push('a callback had half a character')
    calls += 1
    if (answered) {
      response.writeHead(answered.status, answered.headers)
      if (answered.body) response.write(answered.body.text)
      if (answered.body?.end !== false) response.end()
      else setImmediate(() => response.destroy())
      return
    }
    const event: Event = JSON.parse(body)
    const counts = event.type !== 'ping' && event.type !== 'typing'
    if (counts && limited.calls > 0) {
      limited.calls -= 1
      response.writeHead(429, { 'retry-after': String(limited.seconds) }).end()
      return
    }
    if (counts && failing > 0) {
      failing -= 1
      response.writeHead(503).end()
      return
    }
    const key = headers['idempotency-key'] as string | undefined
    if (key === undefined || !keys.has(key)) take(event)
    if (key !== undefined) keys.add(key)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const postRaw = async (body: string): Promise<HookReply> => {
    for (let waited = 0; !hook; waited += 10) {
      if (waited > 40_000) throw new Error('the fake was never told how to reach the server')
      await pause(10)
    }
    return hook({ method: 'POST', headers: sign(body), query: {}, body: Buffer.from(body) })
  }

  const post = (content: object) => postRaw(JSON.stringify(content))

  const deliver = async (id: string) => {
    const { text, place = 'direct', sender = 'ann', mention = true, sent_at, file, quote } = said.get(id)!
    const answer = await post({
      id,
      conversation_id: PLACES[place],
      user: { id: sender, name: sender },
      text,
      group: place === 'group',
      mentioned: mention,
      ...(sent_at !== undefined && { sent_at }),
      ...(quote !== undefined && { quote: { text: quote } }),
      ...(file && {
        files: [{ url: `${url}/files/${id}`, filename: file.filename, media_type: file.media_type }],
      }),
    })
    if (answer.status !== 202) throw new Error(`the message was answered ${answer.status} ${answer.body}`)
  }

  return {
    endpoints: {},
    allow_hosts: ['127.0.0.1'],
    config: { secret: SECRET, callback_url: `${url}/callback` },
    wrong_config: { secret: 'quite another secret', callback_url: `${url}/callback` },
    attach(newSettings) {
      hook = newSettings
    },
    async say(saying) {
      count += 1
      const id = saying.id ?? `m${count}`
      said.set(id, saying)
      if (saying.file) files.set(id, saying.file)
      await deliver(id)
      return id
    },
    redeliver: deliver,
    shown: (place) => shown.filter((message) => place === undefined || message.place === place),
    async press(message_id, label, sender = 'ann') {
      const message = shown.find(({ id }) => id === message_id)!
      const answer = await post({
        type: 'press',
        value: message.values.get(label),
        conversation_id: PLACES[message.place],
        user: { id: sender, name: sender },
      })
      const { notice, text } = JSON.parse(answer.body!)
      if (text !== undefined) Object.assign(message, { text, buttons: [] })
      return notice
    },
    connections: () => 0,
    drop: () => server.closeAllConnections(),
    limitRate(calls, seconds) {
      limited = { calls, seconds }
    },
    fail(calls) {
      failing = calls
    },
    typings: () => typings,
    violations,
    answer(status, headers, body) {
      answered = { status, ...(headers && { headers }), ...(body && { body }) }
    },
    post: postRaw,
    calls: () => calls,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
