import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { request } from 'undici'
import WebSocket from 'ws'

/** The target and the account of an attacker; the account has no special rights. */
export interface AttackOrders {
  url: string
  token: string
  agent_id: string
  seconds: number
}

/** The numbers of replies by status, and of closed sockets by close code. */
export interface AttackReport {
  statuses: Record<string, number>
  closes: Record<string, number>
}

const { url, token, agent_id, seconds } = workerData as AttackOrders
const { port } = new URL(url)
const begun = Date.now()
/** The longest attack, in milliseconds. */
const MOST_MS = 120_000
const statuses: Record<string, number> = {}
const closes: Record<string, number> = {}
const count = (counts: Record<string, number>, key: number | string) => {
  counts[key] = (counts[key] ?? 0) + 1
}
/** On a slow machine an attack lasts until it has met the limits. */
const goesOn = () =>
  Date.now() < begun + seconds * 1000 || (!(statuses[429] && closes[1008]) && Date.now() < begun + MOST_MS)
const authorization = `Bearer ${token}`
const socketPath = `/api/agents/${agent_id}/chat/ws`

/** Repeats an action without a pause until the time is over. */
async function repeat(act: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; goesOn(); n += 1) await act(n)
}

async function ask(method: 'GET' | 'POST', path: string, body?: object): Promise<void> {
  const response = await request(`${url}/api${path}`, {
    method,
    headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  })
  await response.body.dump()
  count(statuses, response.statusCode)
}

/** Creates as many objects as possible, as large as possible, and lists them repeatedly. */
const hoard = () =>
  repeat(async (n) => {
    await ask('POST', '/agents', { name: `a${Math.random()}`, system_prompt: 'x'.repeat(90_000) })
    await ask('POST', `/agents/${agent_id}/threads`)
    await ask('POST', '/providers', { name: `p${Date.now()}-${n}`, kind: 'demo', models: [{ id: 'm' }] })
    for (const path of ['/agents', `/agents/${agent_id}/threads?limit=200`, '/auth/me'])
      await ask('GET', path)
  })

async function open(): Promise<WebSocket> {
  const webSocket = new WebSocket(`${url.replace('http', 'ws')}${socketPath}`, { headers: { authorization } })
  webSocket.on('close', (code) => count(closes, code))
  webSocket.on('error', () => count(closes, 'refused'))
  await Promise.race([once(webSocket, 'open'), once(webSocket, 'close')]).catch(() => undefined)
  return webSocket
}

/** Sends frames as fast as possible until the socket is closed. */
const flood = () =>
  repeat(async () => {
    const webSocket = await open()
    while (webSocket.readyState === webSocket.OPEN && goesOn()) {
      for (let n = 0; n < 1000; n += 1) webSocket.send('{"type":"ping"}')
      await pause(1)
    }
    webSocket.terminate()
    await pause(10)
  })

/** Starts turns whose answers never come, on more sockets than allowed. */
async function occupy(): Promise<void> {
  const sockets: WebSocket[] = []
  for (let n = 0; n < 300 && goesOn(); n += 1) sockets.push(await open())
  for (const webSocket of sockets)
    if (webSocket.readyState === webSocket.OPEN) webSocket.send('{"type":"user_turn","text":"hang"}')
  while (goesOn()) await pause(100)
  for (const webSocket of sockets) webSocket.terminate()
}

const upgradeRequest = (path: string) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n')

/** Sends requests without reading the replies. */
async function ignore(): Promise<void> {
  const stream = connect(Number(port), '127.0.0.1')
  stream.on('error', () => undefined)
  stream.write(upgradeRequest(`${socketPath}?token=${token}`))
  const ping = Buffer.from('{"type":"ping"}')
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 | ping.length, 0, 0, 0, 0]), ping])
  while (goesOn() && !stream.destroyed) {
    stream.write(frame)
    await pause(20)
  }
  stream.destroy()
}

/** Keeps refused connections open. */
const linger = () =>
  repeat(async () => {
    const streams = Array.from({ length: 20 }, () => {
      const stream = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
      stream.on('error', () => undefined)
      stream.write(upgradeRequest(socketPath))
      return stream
    })
    await pause(1000)
    for (const stream of streams) stream.destroy()
  })

const upload = () =>
  repeat(async () => {
    const form = new FormData()
    form.append('file', new Blob(['x'.repeat(1024 * 1024)]), 'large.txt')
    const headers = { authorization }
    const { status } = await fetch(`${url}/api/agents/${agent_id}/upload`, {
      method: 'POST',
      headers,
      body: form,
    })
    count(statuses, status)
  })

const times = (n: number, act: () => Promise<unknown>) => Array.from({ length: n }, act)

await Promise.all([
  ...times(8, hoard),
  ...times(8, flood),
  occupy(),
  ...times(4, ignore),
  linger(),
  ...times(2, upload),
])
parentPort!.postMessage({ statuses, closes } satisfies AttackReport)
