import { randomBytes } from 'node:crypto'
import { createWriteStream, openAsBlob, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { startServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { makeZipParts } from '../../support/zip.ts'
import { chatGptConversation, chatGptMessage } from './import-archives.ts'

/** The conversations of the archive, in files of 100 of them; each has 100 kB. */
const COUNT = amount({ short: 300, long: 20_000 })
const IN_FILE = 100
const CHARACTERS = 12_500
/** The most resident memory of a server, in MiB, that imports an archive of 2 GB. */
const MAX_MIB = 300

/** Returns text that no compression makes smaller than its bytes; most of it is from a stock, as making it takes time. */
const stock = randomBytes(3_000_000).toString('base64')
const makeText = () => {
  const start = Math.floor(Math.random() * (stock.length - CHARACTERS))
  return stock.slice(start, start + CHARACTERS)
}

const makeConversation = (index: number) =>
  chatGptConversation(
    `large-${index}`,
    Array.from({ length: 8 }, (_, turn) =>
      chatGptMessage(turn % 2 === 0 ? 'user' : 'assistant', [makeText()], {
        create_time: 1_700_000_000 + turn,
      }),
    ),
  )

function* listFiles() {
  for (let first = 0; first < COUNT; first += IN_FILE) {
    const conversations = Array.from({ length: IN_FILE }, (_, index) => makeConversation(first + index))
    const name = `conversations-${String(first / IN_FILE).padStart(3, '0')}.json`
    yield { name, content: JSON.stringify(conversations), method: 0 }
  }
}

const server = await startServer(t, { config: { limits: { threads: 50_000 } } })

t.test(
  `An archive of ${COUNT} conversations takes little memory, and the server answers meanwhile`,
  async (t) => {
    const path = join(server.home, 'archive.zip')
    await pipeline(Readable.from(makeZipParts(listFiles())), createWriteStream(path))
    const service = await spawnService(t, server.home, {}, { runsLong: true })
    const readMib = (field: string) => {
      const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
      return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) / 1024
    }
    const headers = { authorization: `Bearer ${server.admin.token}` }
    const startMib = readMib('VmRSS')
    const form = new FormData()
    form.append('file', await openAsBlob(path), 'export.zip')
    const reply = await fetch(`${service.url}/api/imports`, { method: 'POST', headers, body: form })
    t.equal(reply.status, 202)
    const { id } = (await reply.json()) as { id: string }
    let slowest = 0
    let report: { state: string; counts: object } | undefined
    do {
      const begun = performance.now()
      t.equal((await fetch(`${service.url}/api/health`)).status, 200)
      slowest = Math.max(slowest, performance.now() - begun)
      await pause(50)
      report = (await (
        await fetch(`${service.url}/api/imports/${id}?limit=1`, { headers })
      ).json()) as typeof report
    } while (report?.state === 'queued' || report?.state === 'running')
    t.match(report, { state: 'done', counts: { imported: COUNT, failed: 0 } })
    const most = readMib('VmHWM')
    t.comment(
      `${Math.round(most)} MiB at most, ${Math.round(startMib)} before; health after ${Math.round(slowest)} ms at most`,
    )
    t.ok(most <= MAX_MIB, `${Math.round(most)} MiB`)
  },
)
