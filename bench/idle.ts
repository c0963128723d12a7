import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { countCommands, difference } from './engine-commands.ts'
import type { Figure } from './figure.ts'
import { readCpuMs } from './service.ts'

const WARM_UP_MS = 15_000
const WINDOW_MS = 30_000

/** Measures what a server costs that nobody uses: its share of a core, and its database commands. */
export const measureIdle: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  await stage.createAccount(service)
  const { uri, pid } = await service.engine()
  const client = new MongoClient(uri)
  try {
    await sleep(WARM_UP_MS)
    const pids = [service.pid, pid]
    const before = await Promise.all(pids.map(readCpuMs))
    const commands = await difference(
      () => countCommands(client),
      () => sleep(WINDOW_MS),
    )
    const after = await Promise.all(pids.map(readCpuMs))
    const [server, engine] = after.map((ms, index) => ((ms - before[index]!) / WINDOW_MS) * 100)
    const seconds = WINDOW_MS / 1000
    const counted = Object.entries(commands).filter(([, total]) => total > 0)
    return [
      { measure: 'server', value: server!, unit: '% of a core' },
      { measure: 'engine', value: engine!, unit: '% of a core' },
      {
        measure: 'commands',
        value: counted.reduce((sum, [, total]) => sum + total, 0) / seconds,
        unit: 'a second',
        note: counted.map(([name, total]) => `${name} ${(total / seconds).toFixed(2)}`).join(', '),
      },
    ]
  } finally {
    await client.close()
  }
}
