import { createHmac } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type Figure, median } from './figure.ts'
import { readCpuMs } from './service.ts'

const SECRET = 'the secret of the bench'
const messagesAWindow = 60
const rounds = 5

/** Measures the processor time of a message that comes by a channel, its answer included, of the server and the engine. */
export const measureChannels: Figure = async (stage) => {
  const platform = await startPlatform()
  const service = await stage.startService(await stage.createHome())
  const { agentId, call } = await stage.createAccount(service)
  const { id } = await call<{ id: string }>('POST', `/agents/${agentId}/channels`, {
    kind: 'webhook',
    name: 'bench',
    config: { secret: SECRET, callback_url: platform.url },
  })
  const engine = await service.engine()
  let count = 0
  const exchange = async () => {
    count += 1
    const answered = once(platform.answers, 'answer')
    const body = JSON.stringify({
      id: `m${count}`,
      conversation_id: 'c',
      user: { id: 'ann' },
      text: 'Hello.',
    })
    await fetch(`${service.url}/api/hooks/${id}`, { method: 'POST', body, headers: sign(body) })
    await answered
  }
  const measure = async () => {
    const startCpu = await Promise.all([service.pid, engine.pid].map(readCpuMs))
    for (let sent = 0; sent < messagesAWindow; sent++) await exchange()
    const after = await Promise.all([service.pid, engine.pid].map(readCpuMs))
    return after.map((ms, index) => (ms - startCpu[index]!) / messagesAWindow)
  }
  await measure()
  const windows: number[][] = []
  for (let round = 0; round < rounds; round++) windows.push(await measure())
  platform.close()
  const note = `median of ${rounds} windows of ${messagesAWindow} messages`
  return ['server', 'engine'].map((process, index) => ({
    measure: `${process}, CPU a message`,
    value: median(windows.map((window) => window[index]!)),
    unit: 'ms',
    note,
  }))
}

function sign(body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')
  return { 'x-timestamp': timestamp, 'x-signature': `v1=${signature}` }
}

/** Starts the other side of a webhook, which emits `answer` for each message that it receives. */
async function startPlatform() {
  const answers = new EventEmitter()
  const http = createServer(async (request, response) => {
    const { type } = (await json(request)) as { type: string }
    response.writeHead(204).end()
    if (type === 'message') answers.emit('answer')
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/callback`, answers, close: () => http.close() }
}
