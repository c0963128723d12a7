import { type Document, MongoClient } from 'mongodb'
import { Pool } from 'undici'
import { type Figure, median, type Row, spread } from './figure.ts'
import { seedThread } from './seed.ts'
import { readCpuMs } from './service.ts'

const connections = 32
const rounds = 5
const windowMs = 1500
const threadCount = 5
const pageSize = 24

/**
 * Measures the requests per second of four routes and the processor time of each, beside a route that does nothing and
 * beside the queries of a route alone.
 */
export const measureRequests: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const { agentId, token, call } = await stage.createAccount(service)
  const threads = `/agents/${agentId}/threads`
  for (let made = 1; made < threadCount; made++) await call('POST', threads, {})
  const { thread_id } = await call<{ thread_id: string }>('POST', threads, {})
  const engine = await service.engine()
  const client = await MongoClient.connect(engine.uri)
  const db = client.db('svc')
  await seedThread(db, { thread_id, count: pageSize })

  const paths = {
    '/health/live': '/health/live',
    '/auth/me': '/auth/me',
    'list of 5 threads': threads,
    'page of 24 messages': `${threads}/${thread_id}/history?limit=${pageSize}`,
  }
  const { length } = await call<unknown[]>('GET', threads)
  const { messages } = await call<{ messages: unknown[] }>('GET', paths['page of 24 messages'])
  if (length !== threadCount || messages.length !== pageSize)
    throw new Error(`the service lists ${length} threads and ${messages.length} messages`)

  const pool = new Pool(service.url, { connections })
  const measured = Object.entries(paths).map(([name, path]) => ({ name, path, windows: [] as Window[] }))
  for (let round = -1; round < rounds; round++)
    for (const { path, windows } of measured) {
      const window = await countRequests(pool, { path, token, pids: [service.pid, engine.pid] })
      // The first round warms up.
      if (round >= 0) windows.push(window)
    }
  await pool.close()
  const { id: user_id } = await call<{ id: string }>('GET', '/auth/me')
  const threadRows = db.collection<Document & { _id: string }>('threads')
  const owned = { user_id, agent_id: agentId, deleted_at: { $exists: false } }
  const queries = {
    'list of 5 threads': () =>
      threadRows.find(owned).sort({ pinned: -1, last_active: -1, _id: -1 }).limit(threadCount).toArray(),
    'page of 24 messages': async () => {
      await threadRows.findOne({ _id: thread_id, ...owned })
      return db.collection('messages').find({ thread_id }).sort({ position: -1 }).limit(pageSize).toArray()
    },
  }
  const alone: [name: string, window: Window][] = []
  for (const [name, query] of Object.entries(queries)) {
    await count(query, [])
    alone.push([name, await count(query, [process.pid, engine.pid])])
  }
  await client.close()

  const [live, ...routes] = measured
  const ratesOf = ({ windows }: { windows: Window[] }) => windows.map(({ rate }) => rate)
  return [
    ...measured.flatMap((route): Row[] => [
      {
        measure: route.name,
        value: median(ratesOf(route)),
        unit: 'requests/s',
        note: `${connections} connections, median of ${rounds} windows, ${spread(ratesOf(route))}`,
      },
      {
        measure: `${route.name}, CPU`,
        value: median(route.windows.map(({ serverMs, engineMs }) => serverMs + engineMs)),
        unit: 'ms',
        note: `a request; of it the engine ${median(route.windows.map(({ engineMs }) => engineMs)).toFixed(2)}`,
      },
    ]),
    ...alone.flatMap(([name, { rate, serverMs, engineMs }]): Row[] => [
      {
        measure: `${name}, its queries alone, CPU`,
        value: serverMs + engineMs,
        unit: 'ms',
        note: `by the driver, without a server; of it the engine ${engineMs.toFixed(2)}`,
      },
      {
        measure: `${name}, its queries alone / ${live!.name}`,
        value: rate / median(ratesOf(live!)),
        unit: 'ratio',
      },
    ]),
    ...routes.map((route): Row => {
      const ratios = ratesOf(route).map((rate, round) => rate / ratesOf(live!)[round]!)
      return {
        measure: `${route.name} / ${live!.name}`,
        value: median(ratios),
        unit: 'ratio',
        note: spread(ratios, 2),
      }
    }),
  ]
}

/** The requests per second of a time window, and the processor time per request. */
interface Window {
  rate: number
  serverMs: number
  engineMs: number
}

/** Counts the requests that connections complete within a window. */
function countRequests(
  pool: Pool,
  { path, token, pids }: { path: string; token: string; pids: number[] },
): Promise<Window> {
  const request = {
    method: 'GET',
    path: `/api${path}`,
    headers: { authorization: `Bearer ${token}` },
  } as const
  return count(async () => {
    const { statusCode, body } = await pool.request(request)
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${await body.text()}`)
    await body.dump()
  }, pids)
}

/** Counts how often a piece of work is done within a window, by 32 that each do it again and again. */
async function count(work: () => Promise<unknown>, pids: number[]): Promise<Window> {
  const startCpu = await Promise.all(pids.map(readCpuMs))
  const startedAt = performance.now()
  let total = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - startedAt < windowMs) {
        await work()
        total++
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  const after = await Promise.all(pids.map(readCpuMs))
  const [serverMs, engineMs] = after.map((ms, index) => (ms - startCpu[index]!) / total)
  return { rate: total / seconds, serverMs: serverMs!, engineMs: engineMs! }
}
