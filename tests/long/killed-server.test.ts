import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { useUpstream } from '../../plugin-api/testing/agent-bench.ts'
import t, { type Test } from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { noBubblewrap } from '../support/bubblewrap.ts'
import { chatUrl, range } from '../support/chat.ts'
import { noNats, startNats } from '../support/nats-server.ts'
import { startServer } from '../support/server.ts'
import { spawnService } from '../support/service-process.ts'
import type { TestFrame } from '../support/socket.ts'

const STREAMS = Number(process.env.SVC_TEST_STREAMS ?? 300)
/** The streams whose frames share a socket. */
const PER_SOCKET = 20
const TOKENS = 60
const TOKEN_MS = 250
const ANSWER = range(1, TOKENS).join(' ')

const LIMITS = {
  SVC_LIMIT_RUNNING_TURNS: '1000',
  SVC_LIMIT_SOCKETS: '1000',
  SVC_LIMIT_SOCKET_BACKLOG_BYTES: '64mb',
  SVC_MAX_MODEL_CALLS: '1000',
}

/** A model server whose answers are numbers, one each TOKEN_MS. */
async function startUpstream(t: Test): Promise<string> {
  const server = createServer(async (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = (delta: object, finish_reason: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      )
    for (const n of range(1, TOKENS)) {
      write({ content: n === 1 ? '1' : ` ${n}` })
      await pause(TOKEN_MS)
      if (response.destroyed) return
    }
    write({}, 'stop')
    response.end('data: [DONE]\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** The frames that one reader of one thread has received, from whatever servers. */
interface Seen {
  thread_id: string
  frames: TestFrame[]
  /** Milliseconds of `performance.now()` of the first text and of each frame after the kill. */
  firstAt?: number
  nextAt?: number
}

/** Connects readers of several threads, and connects them to another server when theirs is gone. */
async function connect(
  urls: readonly string[],
  readers: readonly Seen[],
  { token, agent_id, isEnded }: { token: string; agent_id: string; isEnded: () => boolean },
) {
  const byThread = new Map(readers.map((seen) => [seen.thread_id, seen]))
  let killIndex = 0
  let socket: WebSocket
  const open = async () => {
    socket = new WebSocket(chatUrl(urls[killIndex]!, agent_id, token))
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as TestFrame
      const seen = byThread.get(String(frame.thread_id))
      if (!seen || frame.seq === undefined) return
      seen.frames.push(frame)
      if (frame.type === 'content') seen.firstAt ??= performance.now()
      seen.nextAt ??= performance.now()
    })
    const gone = () => {
      if (isEnded() || socket.readyState === WebSocket.OPEN) return
      killIndex += 1
      void open()
    }
    socket.on('error', () => undefined)
    await new Promise<void>((resolve) => {
      socket.once('open', resolve)
      socket.once('close', () => {
        resolve()
        gone()
      })
    })
    if (socket.readyState !== WebSocket.OPEN) return
    for (const { thread_id, frames } of readers)
      socket.send(
        JSON.stringify({ type: 'subscribe', thread_id, after_seq: Number(frames.at(-1)?.seq ?? 0) }),
      )
  }
  await open()
  return { send: (frame: object) => socket.send(JSON.stringify(frame)), close: () => socket.close() }
}

const percentile = (values: readonly number[], share: number) =>
  Math.round([...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)]!)

async function killOne(t: Test, env: Record<string, string>) {
  const server = await startServer(t, { env })
  await useUpstream(
    { request: (method, path, body) => server.request(method, path, { body }) },
    await startUpstream(t),
  )
  const { body: agents } = await server.request('GET', '/agents')
  const agent_id: string = agents[0].id
  const { token } = server.admin
  const path = `/agents/${agent_id}/threads`
  const threads: string[] = []
  for (const _ of range(1, STREAMS))
    threads.push((await server.request('POST', path, { body: {} })).body.thread_id)
  await server.stop()
  const nodes = await Promise.all(
    range(1, 3).map((n) =>
      spawnService(
        t,
        server.home,
        { ...LIMITS, ...env },
        { runsLong: true, ...(n === 3 && !noBubblewrap && { hostname: 'elsewhere' }) },
      ),
    ),
  )
  // Until all of them know each other.
  await pause(6000)

  let isEnded = false
  const sides = { token, agent_id, isEnded: () => isEnded }
  const after = (first: number) => [0, 1, 2].map((step) => nodes[(first + step) % 3]!.url)
  const groups = range(1, Math.ceil(STREAMS / PER_SOCKET)).map((_, index) => {
    const own = threads.slice(index * PER_SOCKET, (index + 1) * PER_SOCKET)
    const toSeen = (thread_id: string): Seen => ({ thread_id, frames: [] })
    return {
      node: index % 3,
      writers: own.map(toSeen),
      readers: own.map(toSeen),
      sentAt: new Map<string, number>(),
    }
  })
  const sockets = await Promise.all(
    groups.map(async ({ node, writers, readers }) => ({
      writer: await connect(after(node), writers, sides),
      reader: await connect(after(node + 1), readers, sides),
    })),
  )
  for (const [index, { writers, sentAt }] of groups.entries())
    for (const { thread_id } of writers) {
      sentAt.set(thread_id, performance.now())
      sockets[index]!.writer.send({ type: 'user_turn', thread_id, text: 'Count.' })
      await pause(10)
    }
  const all = groups.flatMap(({ node, writers, readers, sentAt }) => [
    ...writers.map((seen) => ({ seen, runs: node, reads: node, sentAt: sentAt.get(seen.thread_id)! })),
    ...readers.map((seen) => ({
      seen,
      runs: node,
      reads: (node + 1) % 3,
      sentAt: sentAt.get(seen.thread_id)!,
    })),
  ])
  while (all.some(({ seen }) => seen.firstAt === undefined)) await pause(100)

  for (const { seen } of all) seen.nextAt = undefined
  const killedAt = performance.now()
  await nodes[2]!.kill()
  const isOver = ({ frames }: Seen) => ['done', 'error'].includes(String(frames.at(-1)?.type))
  while (!all.every(({ seen }) => isOver(seen))) await pause(100)
  isEnded = true
  for (const { writer, reader } of sockets) for (const socket of [writer, reader]) socket.close()

  const textOf = ({ frames }: Seen) =>
    frames.map(({ type, content }) => (type === 'content' ? content : '')).join('')
  let [wrong, cut] = [0, 0]
  for (const { seen, runs } of all) {
    const last = seen.frames.at(-1)!
    const isGapless = seen.frames.every(({ seq }, index) => seq === index + 1)
    const text = textOf(seen)
    const isRight =
      runs === 2 && last.type === 'error'
        ? last.code === 'TURN_INTERRUPTED' && ANSWER.startsWith(text)
        : last.type === 'done' && text === ANSWER
    if (last.type === 'error') cut += 1
    if (!isGapless || !isRight) wrong += 1
  }
  t.equal(wrong, 0, 'nothing is lost and nothing comes twice')
  const pairs = new Map<string, string>()
  for (const { seen } of all) {
    const other = pairs.get(seen.thread_id)
    if (other !== undefined && other !== textOf(seen)) t.fail(`the readers of ${seen.thread_id} differ`)
    pairs.set(seen.thread_id, textOf(seen))
  }
  const history = await fetch(`${nodes[0]!.url}/api${path}/${threads[2 * PER_SOCKET]}/history`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { messages } = (await history.json()) as { messages: { role: string; content: { text: string }[] }[] }
  t.equal(
    messages
      .at(-1)
      ?.content.map(({ text }) => text)
      .join(''),
    pairs.get(threads[2 * PER_SOCKET]!),
  )

  const waits = (of: typeof all) => of.map(({ seen }) => seen.nextAt! - killedAt)
  const firsts = (of: typeof all) => of.map(({ seen, sentAt }) => seen.firstAt! - sentAt)
  const concerned = all.filter(({ runs, reads }) => runs === 2 || reads === 2)
  const figures = {
    streams: STREAMS,
    cut,
    first_token_ms_p95: percentile(firsts(all.filter(({ runs, reads }) => runs === reads)), 0.95),
    first_token_elsewhere_ms_p95: percentile(firsts(all.filter(({ runs, reads }) => runs !== reads)), 0.95),
    until_readers_go_on_ms_p50: percentile(waits(concerned), 0.5),
    until_readers_go_on_ms_max: percentile(waits(concerned), 1),
  }
  console.error(`# ${JSON.stringify(figures)}`)
  t.ok(cut > 0, 'turns were cut')
}

t.test('a killed server costs its readers seconds, through the database', { skip: onlyLong }, (t) =>
  killOne(t, {}),
)

t.test('and through NATS', { skip: onlyLong || noNats }, async (t) => {
  const nats = await startNats(t)
  await killOne(t, { SVC_NATS_URL: nats.url })
})
