import { MongoClient } from 'mongodb'
import { type Figure, median } from './figure.ts'
import { seedThread } from './seed.ts'

const lengths = { short: 100, long: 100_000 }
const pageSize = 25
const warmUp = 20
const reads = 200

interface Page {
  messages: { content: { text?: string }[] }[]
  has_more: boolean
}

/** Measures the time of the newest history page of a thread of 100 messages and of a thread of 100,000. */
export const measureHistory: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const account = await stage.createAccount(service)
  const base = `/agents/${account.agentId}/threads`
  const client = await MongoClient.connect((await service.engine()).uri)
  const prepare = async (count: number) => {
    const { thread_id } = await account.call<{ thread_id: string }>('POST', base)
    await seedThread(client.db('svc'), { thread_id, count })
    const path = `${base}/${thread_id}/history?limit=${pageSize}`
    const page = await account.call<Page>('GET', path)
    const newest = page.messages.at(-1)?.content[0]?.text
    if (page.messages.length !== pageSize || !page.has_more || !newest?.startsWith(`Message ${count}:`)) {
      throw new Error(`the service does not read the seeded messages: ${JSON.stringify(page).slice(0, 300)}`)
    }
    return path
  }
  const short = { path: await prepare(lengths.short), times: [] as number[] }
  const long = { path: await prepare(lengths.long), times: [] as number[] }
  await client.close()

  for (let read = 0; read < warmUp + reads; read++) {
    for (const thread of [short, long]) {
      const startedAt = performance.now()
      await account.call('GET', thread.path)
      if (read >= warmUp) thread.times.push(performance.now() - startedAt)
    }
  }
  const note = `p50 of ${reads} pages of ${pageSize}`
  return [
    { measure: 'thread of 100', value: median(short.times), unit: 'ms', note },
    { measure: 'thread of 100,000', value: median(long.times), unit: 'ms', note },
    { measure: '100,000 / 100', value: median(long.times) / median(short.times), unit: 'ratio' },
  ]
}
