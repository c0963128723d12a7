import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { type ChatSocket, openChatSocket } from './chat-socket.ts'
import type { Figure, Row } from './figure.ts'

const SOCKETS = 20
const TURNS = 20
/** Writes that follow later in batches count too. */
const SETTLE_MS = 3000

/** Measures the database commands of a turn, from the engine's own counters, less the commands of the idle server. */
export const measureCommands: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const { chatUrl } = await stage.createAccount(service)
  const client = new MongoClient((await service.engine()).uri)
  try {
    const count = () => countCommands(client)
    const openSockets = (count: number) =>
      Promise.all(Array.from({ length: count }, () => openChatSocket(chatUrl)))
    const [first, ...others] = await openSockets(SOCKETS)
    await runTurns([first!, ...others], 1)
    await sleep(SETTLE_MS)
    const idle = await difference(count, () => sleep(SETTLE_MS))
    const measure = async (sockets: ChatSocket[], turns: number, { inTurn = false } = {}) => {
      const began = performance.now()
      const spent = await difference(count, async () => {
        if (inTurn) for (const socket of sockets) await runTurns([socket], turns)
        else await runTurns(sockets, turns)
        await sleep(SETTLE_MS)
      })
      const share = (performance.now() - began) / SETTLE_MS
      return subtract(spent, idle, share, sockets.length * turns)
    }
    const alone = await measure([first!], TURNS)
    const together = await measure([first!, ...others], TURNS)
    const opening = await measure(await openSockets(SOCKETS), 1, { inTurn: true })
    return [
      toRow('one turn after another', alone),
      toRow(`${SOCKETS} sockets at once`, together),
      toRow('first turns of threads', opening),
    ]
  } finally {
    await client.close()
  }
}

/** Returns the commands of one of `turns` turns, by name. */
const subtract = (spent: Counts, idle: Counts, share: number, turns: number): Counts =>
  Object.fromEntries(
    Object.entries(spent)
      .map(([name, total]): [string, number] => [name, (total - (idle[name] ?? 0) * share) / turns])
      .filter(([, each]) => each >= 0.01),
  )

const runTurns = async (sockets: ChatSocket[], turns: number): Promise<void> => {
  await Promise.all(
    sockets.map(async (socket) => {
      for (let turn = 0; turn < turns; turn++) await socket.turn('Tell me something about the sea.')
    }),
  )
}

const toRow = (measure: string, counts: Counts): Row => ({
  measure,
  value: Object.values(counts).reduce((sum, each) => sum + each, 0),
  unit: 'commands',
  note: Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, each]) => `${name} ${each.toFixed(2)}`)
    .join(', '),
})

/** The number of runs of each command, by name. */
export type Counts = Record<string, number>

/** Reads how often each command has run. */
export async function countCommands(client: MongoClient): Promise<Counts> {
  const { metrics } = await client.db('admin').command({ serverStatus: 1 })
  const commands = Object.entries(metrics.commands as Record<string, { total?: number | bigint }>)
  return Object.fromEntries(commands.map(([name, { total }]) => [name, Number(total ?? 0)]))
}

/** Returns what a piece of work adds. */
export async function difference(count: () => Promise<Counts>, work: () => Promise<void>): Promise<Counts> {
  const start = await count()
  await work()
  const after = await count()
  return Object.fromEntries(Object.entries(after).map(([name, total]) => [name, total - (start[name] ?? 0)]))
}
