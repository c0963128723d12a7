import { execFile } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MongoClient } from 'mongodb'
import { type ChatSocket, openChatSocket } from './chat-socket.ts'
import { type Figure, median, quantile } from './figure.ts'
import { seedThread } from './seed.ts'

const MB = 1e6
/** A gigabyte of messages, and half as much in files. */
const seeded = { threads: 10, messages: 100_000, files: 125, fileBytes: 4 * MB }
const streams = 50
const rounds = 3
/** The upstream obeys it: the pause between two of the 50 tokens. */
const asked = 'Tell me something about the sea, a word each 20 ms.'

const main = fileURLToPath(new URL('../kernel/cli/main.js', import.meta.url))
const run = promisify(execFile)

/** Measures a backup of a gigabyte, how much it slows turns that run meanwhile, and how it is restored. */
export const measureBackup: Figure = async (stage) => {
  const home = await stage.createHome()
  const service = await stage.startService(home)
  const account = await stage.createAccount(service)
  const client = await MongoClient.connect((await service.engine()).uri)
  for (let thread = 0; thread < seeded.threads; thread++) {
    const { thread_id } = await account.call<{ thread_id: string }>(
      'POST',
      `/agents/${account.agentId}/threads`,
    )
    await seedThread(client.db('svc'), { thread_id, count: seeded.messages })
  }
  await client.close()
  const folder = join(home, 'agents', account.agentId, 'pictures')
  await mkdir(folder, { recursive: true })
  for (let file = 0; file < seeded.files; file++)
    await writeFile(join(folder, `${file}.bin`), randomFillSync(Buffer.alloc(seeded.fileBytes)))

  const archives = await stage.createHome()
  await writeFile(join(archives, 'passphrase'), 'a passphrase of the benchmark')
  const svc = async (to: string, ...words: string[]) => {
    const startedAt = performance.now()
    await run(process.execPath, [main, ...words, '--passphrase-file', join(archives, 'passphrase')], {
      env: { PATH: process.env.PATH, SVC_HOME: to },
    })
    return (performance.now() - startedAt) / 1000
  }
  let backups = 0
  const backUp = () => {
    backups += 1
    return svc(home, 'backup', join(archives, `${backups}.tar`))
  }

  const quiet: number[] = []
  for (let round = 0; round < rounds; round++) quiet.push(await backUp())
  const { size } = await stat(join(archives, '1.tar'))

  const sockets = await Promise.all(Array.from({ length: streams }, () => openChatSocket(account.chatUrl)))
  const busy: number[] = []
  const [idle, during] = [
    { turns: [] as number[], firsts: [] as number[] },
    { turns: [], firsts: [] },
  ]
  await watchTurns(sockets, async () => undefined)
  for (let round = 0; round < rounds; round++) {
    const seconds = quiet[round]!
    add(idle, await watchTurns(sockets, () => new Promise((resolve) => setTimeout(resolve, seconds * 1000))))
    add(
      during,
      await watchTurns(sockets, async () => {
        busy.push(await backUp())
      }),
    )
  }
  await Promise.all(sockets.map((socket) => socket.close()))
  await service.stop()
  const restored = await svc(await stage.createHome(), 'restore', join(archives, `${backups}.tar`))

  const rate = (seconds: number) => size / MB / seconds
  const note = `${(size / MB).toFixed(0)} MB`
  return [
    { measure: 'backup, nothing else running', value: rate(median(quiet)), unit: 'MB/s', note },
    { measure: `backup beside ${streams} streams`, value: rate(median(busy)), unit: 'MB/s' },
    {
      measure: 'turn without a backup, p50',
      value: median(idle.turns),
      unit: 'ms',
      note: 'a word each 20 ms',
    },
    { measure: 'turn beside a backup, p50', value: median(during.turns), unit: 'ms' },
    {
      measure: 'beside / without',
      value: median(during.turns) / median(idle.turns),
      unit: 'ratio',
      note: 'aim: 1.2',
    },
    { measure: 'first token without, p95', value: quantile(idle.firsts, 0.95), unit: 'ms' },
    { measure: 'first token beside, p95', value: quantile(during.firsts, 0.95), unit: 'ms' },
    { measure: 'restore, verified', value: rate(restored), unit: 'MB/s' },
  ]
}

interface Times {
  /** Milliseconds of whole turns, and until their first text. */
  turns: number[]
  firsts: number[]
}

function add(to: Times, { turns, firsts }: Times): void {
  to.turns.push(...turns)
  to.firsts.push(...firsts)
}

/** Runs turns on all sockets for as long as an action takes, and measures those that end before it does. */
async function watchTurns(sockets: readonly ChatSocket[], action: () => Promise<void>): Promise<Times> {
  const times: Times = { turns: [], firsts: [] }
  let isOver = false
  const driving = sockets.map(async (socket) => {
    do {
      const startedAt = performance.now()
      const firstMs = await socket.turn(asked)
      if (isOver) return
      times.firsts.push(firstMs)
      times.turns.push(performance.now() - startedAt)
    } while (!isOver)
  })
  try {
    await action()
  } finally {
    isOver = true
    await Promise.all(driving)
  }
  return times
}
