import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MongoClient } from 'mongodb'
import { type ChatSocket, openChatSocket } from './chat-socket.ts'
import { median } from './figure.ts'
import { readCpuMs, type Service } from './service.ts'

const WINDOW_MS = 4000
const JOURNALED_WRITES = 200

/** The load of one run: `spread` is the number of streams at each server. */
export interface Run {
  spread: number[]
  words: number
  /** Milliseconds between two words. */
  pauseMs: number
  /** Milliseconds between the end of a turn and the next one. */
  restMs: number
  /** True if the next server reads each stream too. */
  isReadElsewhere: boolean
}

/** The cost and the output of a second of a run. */
export interface Measured {
  servers: {
    cpuMs: number
    wakes: number
    turns: number
    tokens: number
    texts: number
    foreignTexts: number
  }[]
  engineMs: number
  natsMs: number
  /** Commands with which servers write together. */
  commits: number
  commands: number
  documents: number
  /** Milliseconds until the first text of each turn, less the pause before it. */
  firstMs: number[]
}

/** The processes of a run. */
export interface Cluster {
  services: Pick<Service, 'url' | 'pid'>[]
  enginePid: number
  natsPid: number
  client: MongoClient
  chatPath: string
}

/** Starts a NATS server on a free port of this machine. */
export async function startNats(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', '-1'], { stdio: ['ignore', 'ignore', 'pipe'] })
  await once(child, 'spawn')
  let address: string | undefined
  for await (const line of createInterface({ input: child.stderr })) {
    address ??= /client connections on (\S+)/.exec(line)?.[1]
    if (line.includes('Server is ready')) break
  }
  child.stderr.resume()
  if (!address) throw new Error('nats-server ended before it was ready')
  return { url: `nats://${address}`, child }
}

/** Measures what an acknowledged write waits for the journal, in milliseconds. */
export async function measureJournalMs(client: MongoClient): Promise<number> {
  const collection = client.db('svc-bench-scale').collection('writes')
  const writeAll = async (journal: boolean) => {
    const times: number[] = []
    for (let index = 0; index < JOURNALED_WRITES; index++) {
      const startedAt = performance.now()
      await collection.insertOne({ index }, { writeConcern: { w: 1, journal } })
      times.push(performance.now() - startedAt)
    }
    return median(times)
  }
  await writeAll(false)
  const unjournaledMs = await writeAll(false)
  return Math.max(0, (await writeAll(true)) - unjournaledMs)
}

/** Runs streams, and measures them from the time when all of them are under way. */
export async function measureRun(cluster: Cluster, run: Run): Promise<Measured> {
  const { spread, words, pauseMs, restMs, isReadElsewhere } = run
  const urlOf = (server: number) =>
    cluster.services[server % spread.length]!.url.replace('http', 'ws') + cluster.chatPath
  const openAll = (servers: number[]) =>
    Promise.all(servers.map(async (server) => ({ server, socket: await openChatSocket(urlOf(server)) })))
  const placed = await openAll(spread.flatMap((streams, server) => Array(streams).fill(server)))
  const readers = isReadElsewhere ? await openAll(placed.map(({ server }) => server + 1)) : []
  const turns = spread.map(() => 0)
  const firstMs: number[] = []
  const text = `Tell me something about the sea in ${words} words, a word each ${pauseMs} ms.`
  const turnMs = words * pauseMs + restMs
  let isOver = false
  const repeat = async ({ socket, server }: (typeof placed)[number], reader?: ChatSocket) => {
    await sleep(Math.random() * turnMs)
    for (let isFollowed = false; !isOver; ) {
      firstMs.push((await socket.turn(text)) - pauseMs)
      turns[server]! += 1
      if (reader && !isFollowed) reader.follow(socket.threadId()!)
      isFollowed = true
      await sleep(restMs)
    }
  }
  const running = Promise.all(placed.map((place, index) => repeat(place, readers[index]?.socket)))
  const read = () => readCounters(cluster, { spread, placed, readers, turns })
  const measured = sleep(turnMs * (isReadElsewhere ? 2 : 1) + 1000).then(async () => {
    const [startedAt, start] = [performance.now(), await read()]
    firstMs.length = 0
    await sleep(WINDOW_MS)
    const after = await read()
    isOver = true
    return { ...perSecond(start, after, (performance.now() - startedAt) / 1000), firstMs: [...firstMs] }
  })
  await Promise.all([running, measured])
  await Promise.all([...placed, ...readers].map(({ socket }) => socket.close()))
  return measured
}

type Counters = Omit<Measured, 'firstMs'>
interface Placed {
  server: number
  socket: ChatSocket
}

async function readCounters(
  { services, enginePid, natsPid, client }: Cluster,
  load: { spread: number[]; placed: Placed[]; readers: Placed[]; turns: number[] },
): Promise<Counters> {
  const sumAt = (server: number, sockets: Placed[], field: 'texts' | 'tokens') =>
    sockets
      .filter((place) => place.server % load.spread.length === server)
      .reduce((sum, { socket }) => sum + socket.received[field], 0)
  const servers = await Promise.all(
    load.spread.map(async (_, server) => ({
      cpuMs: await readCpuMs(services[server]!.pid),
      wakes: await readWakes(services[server]!.pid),
      turns: load.turns[server]!,
      tokens: sumAt(server, load.placed, 'tokens'),
      texts: sumAt(server, load.placed, 'texts'),
      foreignTexts: sumAt(server, load.readers, 'texts'),
    })),
  )
  const [engineMs, natsMs] = await Promise.all([readCpuMs(enginePid), readCpuMs(natsPid)])
  const { metrics } = await client.db('admin').command({ serverStatus: 1 })
  const commands = Object.values(metrics.commands as Record<string, { total?: number | bigint }>)
  return {
    servers,
    engineMs,
    natsMs,
    commits: Number(metrics.commands.bulkWrite.total),
    commands: commands.reduce((sum, { total }) => sum + Number(total ?? 0), 0),
    documents: Number(metrics.document.inserted),
  }
}

/** Reads how often the main thread of a process has waited for something. */
async function readWakes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1])
}

function perSecond(start: Counters, after: Counters, seconds: number): Counters {
  const rates = <Part extends object>(from: Part, to: Part) =>
    Object.fromEntries(
      Object.entries(to).map(([name, value]) => [
        name,
        typeof value === 'number' ? (value - (from[name as keyof Part] as number)) / seconds : value,
      ]),
    ) as Part
  const servers = after.servers.map((server, index) => rates(start.servers[index]!, server))
  return { ...rates(start, after), servers }
}
