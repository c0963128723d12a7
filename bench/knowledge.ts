import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { WebSocket } from 'ws'
import type { IndexDescription } from '../plugins/tools/knowledge/types.ts'
import { openChatSocket } from './chat-socket.ts'
import { type Figure, quantile } from './figure.ts'
import { type Library, openLibrary, seedPassages } from './library.ts'
import { readRss } from './memory.ts'
import { readCpuMs, type Service } from './service.ts'

const passageCount = 100_000
const warmUp = 20
const searches = 200
const atOnce = 20
const searchesAtOnce = 600
const uploadBytes = 10_000_000
const fileBytes = 250_000
const filesAtOnce = 20
const streamedTurns = 5

type Account = Awaited<ReturnType<Parameters<Figure>[0]['createAccount']>>

/** Measures the search in 100,000 passages by words and vectors, and how fast text is read and indexed. */
export const measureKnowledge: Figure = async (stage) => {
  const library = await openLibrary()
  const home = await stage.createHome()
  const service = await stage.startService(home)
  const account = await stage.createAccount(service)
  const socket = await openChatSocket(account.chatUrl)
  await socket.turn('Hello.')
  await sleep(3000)
  const idleMemory = await readRss(service.pid)
  const memory = watchMemory(service.pid)

  const read = await measureReading(service, account, library)
  const readingMemory = memory.takePeak()

  await account.call('PUT', '/knowledge-bases/settings', { embedding_model: 'bench:embedder' })
  const client = await MongoClient.connect((await service.engine()).uri)
  const db = client.db('svc')
  const settings = db.collection<{ _id: string; active: IndexDescription }>('knowledge_settings')
  let index: IndexDescription
  do {
    await sleep(500)
    index = (await settings.findOne({ _id: 'settings' }))!.active
  } while (index.dimensions === null)
  const base = await account.call<{ id: string }>('POST', '/knowledge-bases', { name: 'library' })
  const { id: user_id } = await account.call<{ id: string }>('GET', '/auth/me')
  await seedPassages({ db, home, library }, { base_id: base.id, user_id, index, count: passageCount })
  await client.close()

  let asked = 0
  const search = async () => {
    asked += 1
    const query = library.ask(asked % 2 === 0 ? 'en' : 'zh').slice(0, 100)
    const startedAt = performance.now()
    const hits = await account.call<object[]>('POST', '/knowledge-bases/search', { query, limit: 6 })
    if (hits.length === 0) throw new Error('nothing was found')
    return performance.now() - startedAt
  }
  const searchAll = async (count: number, parallel: number) => {
    const times: number[] = []
    const worker = async () => {
      while (count > 0) {
        count -= 1
        times.push(await search())
      }
    }
    await Promise.all(Array.from({ length: parallel }, worker))
    return times
  }
  memory.takePeak()
  await searchAll(warmUp, 1)
  const cpuBefore = await readCpuMs(service.pid)
  const alone = await searchAll(searches, 1)
  const cpuMs = ((await readCpuMs(service.pid)) - cpuBefore) / searches
  const together = await searchAll(searchesAtOnce, atOnce)

  const quiet = await measureGaps(account.chatUrl)
  let isOver = false
  const searching = (async () => {
    while (!isOver) await search()
  })()
  const busy = await measureGaps(account.chatUrl)
  isOver = true
  await searching
  await socket.close()
  const note = `${passageCount} passages, 768 dimensions`
  return [
    { measure: 'search, p50', value: quantile(alone, 0.5), unit: 'ms', note },
    { measure: 'search, p95', value: quantile(alone, 0.95), unit: 'ms' },
    { measure: 'search, CPU', value: cpuMs, unit: 'ms' },
    { measure: `${atOnce} at once, p50`, value: quantile(together, 0.5), unit: 'ms', note: 'aim: 60' },
    { measure: `${atOnce} at once, p95`, value: quantile(together, 0.95), unit: 'ms', note: 'aim: 150' },
    {
      measure: 'text read and indexed',
      value: read.mbPerCpuMinute,
      unit: 'MB',
      note: 'in a minute of one core',
    },
    { measure: 'the same, by the clock', value: read.mbPerMinute, unit: 'MB', note: 'in a minute' },
    {
      measure: 'memory added by reading',
      value: (readingMemory - idleMemory) / 1024,
      unit: 'MiB',
      note: 'at the peak',
    },
    {
      measure: 'memory added by searching',
      value: (memory.stop() - idleMemory) / 1024,
      unit: 'MiB',
      note: 'at the peak; aim: 250',
    },
    {
      measure: 'pause of a stream, longest',
      value: Math.max(...quiet),
      unit: 'ms',
      note: 'a word each 20 ms',
    },
    {
      measure: 'the same while searching',
      value: Math.max(...busy),
      unit: 'ms',
      note: 'one search after the other',
    },
    {
      measure: 'p99 while searching',
      value: quantile(busy, 0.99),
      unit: 'ms',
      note: `${quantile(quiet, 0.99).toFixed(1)} without`,
    },
  ]
}

/** Uploads text without an embedding model, and measures how much of it is read, cut and indexed. */
async function measureReading({ pid, url }: Service, { call, token }: Account, library: Library) {
  const base = await call<{ id: string }>('POST', '/knowledge-bases', { name: 'reading' })
  const files: Blob[] = []
  for (let bytes = 0; bytes < uploadBytes; bytes += files.at(-1)!.size) {
    const isChinese = files.length % 2 === 1
    files.push(new Blob([library.write(isChinese ? 'zh' : 'en', isChinese ? fileBytes / 3 : fileBytes)]))
  }
  const startedAt = performance.now()
  const cpuBefore = await readCpuMs(pid)
  let sent = 0
  for (let from = 0; from < files.length; from += filesAtOnce) {
    const form = new FormData()
    for (const [index, file] of files.slice(from, from + filesAtOnce).entries())
      form.append('file', file, `${from + index}.txt`)
    const headers = { authorization: `Bearer ${token}` }
    const path = `${url}/api/knowledge-bases/${base.id}/documents`
    const response = await fetch(path, { method: 'POST', headers, body: form })
    if (!response.ok) throw new Error(`an upload was answered ${response.status}`)
    sent += ((await response.json()) as object[]).length
  }
  let row: { documents: number; status: string }
  do {
    await sleep(200)
    row = await call('GET', `/knowledge-bases/${base.id}`)
    if (row.status === 'failed') throw new Error('a document could not be read')
  } while (row.status !== 'ready' || row.documents < sent)
  const minutes = (performance.now() - startedAt) / 60_000
  const cpuMinutes = ((await readCpuMs(pid)) - cpuBefore) / 60_000
  const megabytes = files.reduce((sum, { size }) => sum + size, 0) / 1e6
  await call('DELETE', `/knowledge-bases/${base.id}`)
  return { mbPerMinute: megabytes / minutes, mbPerCpuMinute: megabytes / cpuMinutes }
}

/** Reads the memory of a process until it is stopped; the peaks are in KiB. */
function watchMemory(pid: number) {
  let most = 0
  const timer = setInterval(async () => {
    most = Math.max(most, await readRss(pid))
  }, 250)
  /** Returns the largest value since the last call. */
  const takePeak = () => {
    const peak = most
    most = 0
    return peak
  }
  return {
    takePeak,
    stop() {
      clearInterval(timer)
      return takePeak()
    },
  }
}

/** Runs turns of which a word comes each 20 ms, and returns the times between two frames with text. */
async function measureGaps(url: string): Promise<number[]> {
  const gaps: number[] = []
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  for (let turn = 0; turn < streamedTurns; turn += 1)
    await new Promise<void>((resolve, reject) => {
      let last = Number.NaN
      socket.removeAllListeners('message')
      socket.on('message', (data) => {
        const { type, message } = JSON.parse(String(data)) as { type: string; message?: string }
        if (type === 'done') resolve()
        else if (type === 'error') reject(new Error(message))
        if (type !== 'content') return
        const now = performance.now()
        if (last > 0) gaps.push(now - last)
        last = now
      })
      socket.send(JSON.stringify({ type: 'user_turn', text: 'Tell me something, a word each 20 ms.' }))
    })
  socket.close()
  return gaps
}
